// SPDX-License-Identifier: Apache-2.0
//
// Numbers appended to text without a format string: for lines that are written once a mini-batch.
#pragma once

#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace windrow {

inline void append_number(std::uint64_t number, std::string& out) {
  const fmt::format_int digits(number);
  out.append(digits.data(), digits.size());
}

// Exactly `width` digits, with zeros in front. REQUIRES: number < 10^width, width <= 20.
inline void append_padded(std::uint64_t number, int width, std::string& out) {
  char digits[20];
  for (int i = width; i-- > 0; number /= 10) digits[i] = static_cast<char>('0' + number % 10);
  out.append(digits, static_cast<std::size_t>(width));
}

// 1234567 -> "1.234567"
inline void append_seconds(std::uint64_t microseconds, std::string& out) {
  append_number(microseconds / 1000000, out);
  out.push_back('.');
  append_padded(microseconds % 1000000, 6, out);
}

// 7 -> "process007"
inline void append_process_name(std::uint32_t process, std::string& out) {
  out.append("process");
  if (process < 1000) {
    append_padded(process, 3, out);
  } else {
    append_number(process, out);
  }
}

}  // namespace windrow
