// SPDX-License-Identifier: Apache-2.0
//
// The machine's clocks, and the steady time of a loop that may have been stopped in between.
//
// The time of a SteadyClock is CLOCK_MONOTONIC less the time during which its process evidently
// did not run (SIGSTOP, a paused virtual machine). A deadline that is a time of this clock is
// thereby shifted by every pause, and nobody who sets one needs to know of pauses. Times that
// another process took from CLOCK_MONOTONIC are brought over by `from_monotonic`.
//
// Thread: one. Failure: none.
#pragma once

#include <vector>

#include "base/time.h"

namespace windrow {

// CLOCK_MONOTONIC.
TimePoint monotonic_now();

// CLOCK_REALTIME.
WallTime system_now();

class SteadyClock {
 public:
  // A turn that begins more than this later than it should counts as a pause of the process.
  static constexpr Duration kPauseMin = std::chrono::seconds(1);

  explicit SteadyClock(TimePoint monotonic) : turn_(monotonic) {}

  // A turn of the loop begins at `monotonic`, and may begin `allowed` after the one before. If it
  // is later by more than kPauseMin, the whole delay is a pause.
  void turn(TimePoint monotonic, Duration allowed);

  // As turn(), but however late it is, it is not a pause: the loop was not running.
  void resume(TimePoint monotonic) { turn_ = monotonic; }

  // The beginning of the turn. Never goes back.
  [[nodiscard]] TimePoint now() const { return turn_ - paused(); }

  // All pauses together.
  [[nodiscard]] Duration paused() const;

  // The time of this clock when CLOCK_MONOTONIC was `monotonic`. For a moment inside a pause that
  // is the time at which the pause began.
  [[nodiscard]] TimePoint from_monotonic(TimePoint monotonic) const;

 private:
  struct Pause {
    TimePoint began;  // CLOCK_MONOTONIC
    TimePoint ended;
    Duration total;  // of this pause and all before it
  };

  TimePoint turn_;  // CLOCK_MONOTONIC
  std::vector<Pause> pauses_;
};

}  // namespace windrow
