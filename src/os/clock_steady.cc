// SPDX-License-Identifier: Apache-2.0
#include "os/clock_steady.h"

#include <algorithm>
#include <ctime>
#include <ranges>

namespace windrow {
namespace {

std::int64_t read_clock(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

TimePoint monotonic_now() { return TimePoint(Duration(read_clock(CLOCK_MONOTONIC))); }

WallTime system_now() { return WallTime{read_clock(CLOCK_REALTIME)}; }

void SteadyClock::turn(TimePoint monotonic, Duration allowed) {
  const TimePoint expected = turn_ + allowed;
  if (monotonic - expected > kPauseMin) {
    pauses_.push_back({expected, monotonic, paused() + (monotonic - expected)});
  }
  turn_ = monotonic;
}

Duration SteadyClock::paused() const {
  return pauses_.empty() ? Duration::zero() : pauses_.back().total;
}

TimePoint SteadyClock::from_monotonic(TimePoint monotonic) const {
  for (const Pause& pause : std::views::reverse(pauses_)) {
    if (monotonic > pause.began) return std::max(monotonic, pause.ended) - pause.total;
  }
  return monotonic;
}

}  // namespace windrow
