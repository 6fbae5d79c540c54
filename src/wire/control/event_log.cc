// SPDX-License-Identifier: Apache-2.0
#include "wire/control/event_log.h"

#include <algorithm>
#include <utility>

namespace windrow {

const std::string& EventLog::add(ControlEvent event) {
  event.number = ++last_;
  lines_.push_back(event_line(event));
  bytes_ += lines_.back().size();
  while (lines_.size() > 1 && (lines_.size() > kEventsMax || bytes_ > kBytesMax)) {
    bytes_ -= lines_.front().size();
    lines_.pop_front();
  }
  return lines_.back();
}

std::vector<std::string> EventLog::behind(std::uint64_t after) const {
  std::vector<std::string> out;
  const std::uint64_t gone = last_ - lines_.size();  // events before the first that is kept
  const std::uint64_t from = std::min(after, last_);
  if (from < gone) {
    out.push_back(event_line({.kind = ControlEvent::Kind::kMissed, .missed = gone - from}));
  }
  const auto skip = static_cast<std::ptrdiff_t>(std::max(from, gone) - gone);
  out.insert(out.end(), lines_.begin() + skip, lines_.end());
  return out;
}

}  // namespace windrow
