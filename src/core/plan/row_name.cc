// SPDX-License-Identifier: Apache-2.0
#include "core/plan/row_name.h"

#include <charconv>

#include <fmt/format.h>

namespace windrow {
namespace {

// Takes the number behind the last `mark` off the end of `text`.
std::optional<std::uint64_t> take_number(std::string_view& text, char mark) {
  const std::size_t at = text.rfind(mark);
  if (at == std::string_view::npos || at + 1 == text.size()) return std::nullopt;
  const char* const end = text.data() + text.size();
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data() + at + 1, end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  text = text.substr(0, at);
  return number;
}

}  // namespace

std::string row_name(std::string_view file, const RowPlace& place) {
  return fmt::format("{}:{}@{}+{}#{}", file, place.line, place.offset, place.length, place.row);
}

std::optional<RowName> parse_row_name(std::string_view name) {
  const auto row = take_number(name, '#');
  const auto length = row ? take_number(name, '+') : std::nullopt;
  const auto offset = length ? take_number(name, '@') : std::nullopt;
  const auto line = offset ? take_number(name, ':') : std::nullopt;
  if (!line || name.empty()) return std::nullopt;
  return RowName{name, {*line, *offset, *length, *row}};
}

std::string_view file_of_row(std::string_view name) {
  const std::optional<RowName> row = parse_row_name(name);
  return row ? row->file : name;
}

}  // namespace windrow
