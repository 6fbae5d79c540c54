// SPDX-License-Identifier: Apache-2.0
//
// Wall time as text, always UTC. Fast: one conversion a second for any number of lines.
//
// Thread: one ClockText by one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/append.h"
#include "base/time.h"

namespace windrow {

class ClockText {
 public:
  // 2026-11-15T06:44:53.123456Z
  template <class Text>
  void append_iso(WallTime time, Text& out) {
    convert(time);
    out.append(text_).push_back('.');
    append_padded(nanoseconds(time) / 1000, 6, out);
    out.push_back('Z');
  }
  // 2026-11-15 06:44:53,123
  template <class Text>
  void append_log(WallTime time, Text& out) {
    convert(time);
    const std::string_view text = text_;
    out.append(text.substr(0, 10)).push_back(' ');
    out.append(text.substr(11)).push_back(',');
    append_padded(nanoseconds(time) / 1000000, 3, out);
  }
  // 2026-11-15
  std::string date(WallTime time);

 private:
  static constexpr std::int64_t kSecond = 1'000'000'000;

  // Makes text_ that of the time's second.
  void convert(WallTime time) {
    if (time.nanoseconds < start_ || time.nanoseconds - start_ >= kSecond) convert_second(time);
  }
  void convert_second(WallTime time);
  // Since the second that text_ says.
  [[nodiscard]] std::uint64_t nanoseconds(WallTime time) const {
    return static_cast<std::uint64_t>(time.nanoseconds - start_);
  }

  std::int64_t start_ = INT64_MAX;  // nanosecond with which the second of text_ begins
  std::string text_;                // "2026-11-15T06:44:53"
};

}  // namespace windrow
