// SPDX-License-Identifier: Apache-2.0
//
// Names that end in numbers are read from their end: a file may have any name.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace windrow {

// Takes the number behind the last `mark` off the end of `text`.
inline std::optional<std::uint64_t> take_number_behind(std::string_view& text, char mark) {
  const std::size_t at = text.rfind(mark);
  if (at == std::string_view::npos || at + 1 == text.size()) return std::nullopt;
  const char* const end = text.data() + text.size();
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data() + at + 1, end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  text = text.substr(0, at);
  return number;
}

}  // namespace windrow
