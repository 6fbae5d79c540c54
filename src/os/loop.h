// SPDX-License-Identifier: Apache-2.0
//
// The loop that a process lives on: steady time, timers, and blocking work done elsewhere.
//
// Thread: everything runs on the loop's own thread, except `work` of `blocking`, which runs on a
// small pool and must not touch what the loop owns. Ownership: callbacks live until they ran or
// were cancelled. Failure: none; a fake drives the same code in the simulation.
#pragma once

#include <cstdint>
#include <functional>

#include "base/time.h"

namespace windrow {

class Loop {
 public:
  using Callback = std::function<void()>;
  enum class TimerId : std::uint64_t {};

  virtual ~Loop() = default;

  // Steady time, read once per turn of the loop.
  [[nodiscard]] virtual TimePoint now() const = 0;

  // Wall time, for records.
  [[nodiscard]] virtual WallTime wall_now() const = 0;

  // The wall time at which CLOCK_MONOTONIC, as other processes read it, was `monotonic`.
  [[nodiscard]] virtual WallTime wall_at(TimePoint monotonic) const = 0;

  // Runs `callback` in a turn at or after `when`. Timers of one turn run in order of time, then
  // of setting; everything readable is read before any of them.
  virtual TimerId at(TimePoint when, Callback callback) = 0;

  // Does nothing when the timer has run already.
  virtual void cancel(TimerId timer) = 0;

  // Runs `callback` in the next turn. May be called from any thread.
  virtual void post(Callback callback) = 0;

  // Runs `work` on the pool, then `done` on the loop. Work given earlier may end later.
  virtual void blocking(Callback work, Callback done) = 0;
};

}  // namespace windrow
