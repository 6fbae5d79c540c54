// SPDX-License-Identifier: Apache-2.0
//
// Lists of names in one text, with NUL between them; and text looked at eight bytes at a time, for
// what is done with every name of every mini-batch.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace windrow {

inline constexpr std::uint64_t kEachByte = 0x0101010101010101;  // times b: eight times the byte b

inline std::uint64_t load_word(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// 0x80 in exactly those bytes that are zero.
inline std::uint64_t zero_bytes(std::uint64_t word) {
  constexpr std::uint64_t kLow = kEachByte * 0x7f;
  return ~(((word & kLow) + kLow) | word | kLow);
}

inline std::size_t count_byte(std::string_view text, char byte) {
  const std::uint64_t wanted = kEachByte * static_cast<unsigned char>(byte);
  std::size_t count = 0;
  for (; text.size() >= 8; text.remove_prefix(8)) {
    const std::uint64_t found = zero_bytes(load_word(text.data()) ^ wanted) >> 7;
    count += (found * kEachByte) >> 56;  // adds the bytes up
  }
  for (const char c : text) count += c == byte ? 1 : 0;
  return count;
}

// The parts of `text`, with a NUL between them. There may be one behind the last part too.
inline std::vector<std::string> split_at_nul(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\0'), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// Appends `text` with `between` in place of every NUL. REQUIRES: `between` is not empty.
inline void append_separated(std::string_view text, std::string_view between, std::string& out) {
  const std::size_t start = out.size();
  const std::size_t size = start + text.size() + count_byte(text, '\0') * (between.size() - 1);
  out.resize_and_overwrite(size, [&](char* bytes, std::size_t /*size*/) {
    char* to = bytes + start;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
      std::size_t length = 1;  // up to the next NUL, at most eight
      bool separator = *at == '\0';
      if (end - at >= 8) {  // then there is room for eight more in `out`
        const std::uint64_t word = load_word(at);
        std::memcpy(to, &word, sizeof word);
        const std::uint64_t zeros = zero_bytes(word);
        length = static_cast<std::size_t>(std::countr_zero(zeros)) / 8;
        separator = zeros != 0;
      } else if (separator) {
        length = 0;
      } else {
        *to = *at;
      }
      at += length;
      to += length;
      if (!separator) continue;
      ++at;
      std::memcpy(to, between.data(), between.size());
      to += between.size();
    }
    return size;
  });
}

}  // namespace windrow
