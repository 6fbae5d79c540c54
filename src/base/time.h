// SPDX-License-Identifier: Apache-2.0
//
// Time types. The core is handed time and never reads it.
#pragma once

#include <chrono>
#include <cstdint>

namespace windrow {

using Duration = std::chrono::nanoseconds;

// Steady time of this machine (CLOCK_MONOTONIC), shared by all its processes. For deadlines.
using TimePoint = std::chrono::time_point<std::chrono::steady_clock, Duration>;

// Wall time, nanoseconds since 1970 UTC. For display and records only, never for a deadline.
struct WallTime {
  std::int64_t nanoseconds = 0;
  friend bool operator==(const WallTime&, const WallTime&) = default;
};

}  // namespace windrow
