// SPDX-License-Identifier: Apache-2.0
//
// The last events of a job, numbered, so that a follower that was cut off can ask for those that it
// has not seen. Holds a limited number and a limited size of them.
//
// Thread: one. Failure: none; what is no longer kept is counted.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "wire/control/control_lines.h"

namespace windrow {

class EventLog {
 public:
  static constexpr std::size_t kEventsMax = 4096;
  static constexpr std::size_t kBytesMax = 1U << 20;

  // Numbers and keeps it; its line.
  const std::string& add(ControlEvent event);

  // The number of the last event; 0 before the first.
  [[nodiscard]] std::uint64_t last() const { return last_; }

  // Lines of the events behind number `after`, oldest first; before them, when some of these are
  // gone, a line that says how many.
  [[nodiscard]] std::vector<std::string> behind(std::uint64_t after) const;

 private:
  std::deque<std::string> lines_;  // of the events up to last_
  std::size_t bytes_ = 0;
  std::uint64_t last_ = 0;
};

}  // namespace windrow
