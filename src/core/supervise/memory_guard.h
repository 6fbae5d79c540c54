// SPDX-License-Identifier: Apache-2.0
//
// How short memory is, and what follows for an agent's workers, so that the kernel never has to
// choose one to end.
//
//   fine --- less than a tenth is available ---> low --- less than a twentieth ---> very low
//    ^                                            |
//    +------ half as much again as that ----------+
//
// Of large machines the marks are 2 GB and 1 GB. When a worker had to be ended there may be as many
// as were left, and one more each time that memory has been fine for a while. The while gets longer
// whenever one more was one too many, so that workers are not started and ended for ever.
//
// Part of the Supervisor and as pure: it reads no clock and no file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/memory_room.h"
#include "base/time.h"

namespace windrow {

class MemoryGuard {
 public:
  // `slots`: how many workers there are when memory does not matter.
  explicit MemoryGuard(std::uint32_t slots) : slots_(slots), allowed_(slots) {}

  // What machine and control groups have left; nothing when nobody knows, which counts as fine.
  void sampled(const std::vector<MemoryRoom>& rooms, TimePoint now);
  // How long until it should be sampled again: the nearer the end of memory, the sooner.
  [[nodiscard]] Duration sample_again_in() const;

  // Low or very low: only one worker gets new work.
  [[nodiscard]] bool low() const { return low_; }
  // Very low, and the memory of the last one that was ended has had time to come back.
  [[nodiscard]] bool should_end_one(TimePoint now) const;
  // A worker is being ended for it; `left` others live.
  void ended_one(std::uint32_t left, TimePoint now);

  // How many workers there may be.
  [[nodiscard]] std::uint32_t workers_max() const { return low_ ? 1 : allowed_; }

  // "28.0 MB of 300.0 MB available", where it is tightest, and if so "by memory_limit".
  [[nodiscard]] std::string room_text() const;

 private:
  std::uint32_t slots_;
  std::uint32_t allowed_;  // while memory is fine
  MemoryRoom tightest_;
  double slack_ = kSlackMax;  // what is available there, by the mark for low
  bool low_ = false;
  bool grown_ = false;  // since the last one was ended
  TimePoint ended_at_ = TimePoint::min();
  TimePoint fine_since_;  // or since the number of workers changed
  Duration calm_ = kCalmFirst;

  static constexpr double kSlackMax = 1000;
  static constexpr Duration kCalmFirst = std::chrono::seconds(5);
};

// What a job may use of the rooms it stands in: `limit`, or else a share of the smallest. `held`:
// what its engine and workers have.
MemoryRoom room_of_job(const std::vector<MemoryRoom>& rooms,
                       std::optional<std::uint64_t> limit,
                       std::uint64_t held);

}  // namespace windrow
