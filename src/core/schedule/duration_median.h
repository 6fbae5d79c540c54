// SPDX-License-Identifier: Apache-2.0
//
// The median of how long things took lately.
//
// A value. Thread: one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/time.h"

namespace windrow {

class DurationMedian {
 public:
  void add(Duration duration) {
    if (latest_.size() < kLatest) {
      latest_.push_back(duration);
    } else {
      latest_[next_++ % kLatest] = duration;
    }
  }

  // How many it knows of.
  [[nodiscard]] std::size_t count() const { return latest_.size(); }

  // REQUIRES: count() > 0.
  [[nodiscard]] Duration median() const {
    std::vector<Duration> sorted = latest_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::ranges::nth_element(sorted, middle);
    return *middle;
  }

 private:
  static constexpr std::size_t kLatest = 255;

  std::vector<Duration> latest_;
  std::size_t next_ = 0;
};

}  // namespace windrow
