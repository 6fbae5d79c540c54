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
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/check.h"

namespace windrow {

// The short fields of a line, on the stack. Everything is inlined, so that texts of a known length
// become plain stores: a string that is grown field by field costs three times as much.
class Line {
 public:
  [[gnu::always_inline]] Line& append(std::string_view text) {
    std::memcpy(grow(text.size()), text.data(), text.size());
    return *this;
  }
  [[gnu::always_inline]] void push_back(char c) { *grow(1) = c; }

  // The memory of `size` more bytes, for the caller to fill.
  [[gnu::always_inline]] char* grow(std::size_t size) {
    CHECK(size <= bytes_.size() - size_);
    char* const start = bytes_.data() + size_;
    size_ += size;
    return start;
  }

  [[nodiscard]] std::string_view text() const { return {bytes_.data(), size_}; }

 private:
  std::size_t size_ = 0;
  std::array<char, 512> bytes_;  // NOLINT(*-member-init): only what is appended is read
};

inline void append_number(std::uint64_t number, std::string& out) {
  const fmt::format_int digits(number);
  out.append(digits.data(), digits.size());
}

inline void append_number(std::uint64_t number, Line& out) {
  std::size_t width = 1;
  for (std::uint64_t rest = number; rest >= 10; rest /= 10) ++width;
  char* at = out.grow(width) + width;
  do {
    *--at = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
}

// Exactly `width` digits, with zeros in front. REQUIRES: number < 10^width, width <= 20.
template <class Text>
[[gnu::always_inline]] inline void append_padded(std::uint64_t number, int width, Text& out) {
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

}  // namespace windrow
