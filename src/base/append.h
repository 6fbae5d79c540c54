// SPDX-License-Identifier: Apache-2.0
//
// Numbers appended to text without a format string: for lines that are written once a mini-batch.
//
// `Text` is std::string or Line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "base/check.h"

namespace windrow {

// The short fields of a line, on the stack: a string that is grown field by field costs three times
// as much.
class Line {
 public:
  Line& append(std::string_view text) {
    CHECK(text.size() <= bytes_.size() - size_);
    std::memcpy(bytes_.data() + size_, text.data(), text.size());
    size_ += text.size();
    return *this;
  }
  void push_back(char c) {
    CHECK(size_ < bytes_.size());
    bytes_[size_++] = c;
  }
  [[nodiscard]] std::string_view text() const { return {bytes_.data(), size_}; }

 private:
  std::size_t size_ = 0;
  std::array<char, 512> bytes_;  // NOLINT(*-member-init): only what is appended is read
};

template <class Text>
void append_number(std::uint64_t number, Text& out) {
  const fmt::format_int digits(number);
  out.append(std::string_view(digits.data(), digits.size()));
}

// Exactly `width` digits, with zeros in front. REQUIRES: number < 10^width, width <= 20.
template <class Text>
void append_padded(std::uint64_t number, int width, Text& out) {
  char digits[20];
  for (int i = width; i-- > 0; number /= 10) digits[i] = static_cast<char>('0' + number % 10);
  out.append(std::string_view(digits, static_cast<std::size_t>(width)));
}

// 1234567 -> "1.234567"
template <class Text>
void append_seconds(std::uint64_t microseconds, Text& out) {
  append_number(microseconds / 1000000, out);
  out.push_back('.');
  append_padded(microseconds % 1000000, 6, out);
}

// 7 -> "process007"
template <class Text>
void append_process_name(std::uint32_t process, Text& out) {
  out.append("process");
  if (process < 1000) {
    append_padded(process, 3, out);
  } else {
    append_number(process, out);
  }
}

}  // namespace windrow
