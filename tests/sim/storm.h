// SPDX-License-Identifier: Apache-2.0
//
// The frame of a storm: one part of core/ alone, and events in any order, possible or not.
//
// A Storm is made from a seed, and run() plays its events. The first seed that fails is named, and
// those after it are not tried.
#pragma once

#include <cstdint>

#include <gtest/gtest.h>

namespace windrow::sim {

inline constexpr std::uint64_t kStorms = 400;

template <class Storm>
void play_storms(std::uint64_t count = kStorms) {
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    SCOPED_TRACE(seed);
    Storm(seed).run();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace windrow::sim
