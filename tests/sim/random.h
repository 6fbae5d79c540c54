// SPDX-License-Identifier: Apache-2.0
//
// The dice of the simulation: the same seed gives the same numbers on every machine, and seeds that
// are near to each other give numbers that have nothing to do with each other.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace windrow::sim {

class Random {
 public:
  // The state is hashed, because it only counts up: from the seed itself, the next seed would give
  // the same numbers one or a few draws later.
  explicit Random(std::uint64_t seed) : state_(mixed(mixed(seed) ^ 0x2545f4914f6cdd1dU)) {}

  std::uint64_t next() { return mixed(state_ += 0x9e3779b97f4a7c15U); }  // splitmix64

  // REQUIRES: bound > 0.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  std::uint32_t between(std::uint32_t low, std::uint32_t high) {
    return low + static_cast<std::uint32_t>(below(std::uint64_t{high} - low + 1));
  }
  Duration between(Duration low, Duration high) {
    const auto range = static_cast<std::uint64_t>((high - low).count());
    return low + Duration(static_cast<std::int64_t>(below(range + 1)));
  }
  bool per_mille(std::uint32_t chance) { return below(1000) < chance; }

 private:
  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

  std::uint64_t state_;
};

}  // namespace windrow::sim
