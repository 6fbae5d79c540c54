// SPDX-License-Identifier: Apache-2.0
#include "core/plan/row_name.h"

#include <fmt/format.h>

#include "core/plan/number_behind.h"

namespace windrow {

std::string row_name(std::string_view file, const RowPlace& place) {
  return fmt::format("{}:{}@{}+{}#{}", file, place.line, place.offset, place.length, place.row);
}

std::optional<RowName> parse_row_name(std::string_view name) {
  const auto row = take_number_behind(name, '#');
  const auto length = row ? take_number_behind(name, '+') : std::nullopt;
  const auto offset = length ? take_number_behind(name, '@') : std::nullopt;
  const auto line = offset ? take_number_behind(name, ':') : std::nullopt;
  if (!line || name.empty()) return std::nullopt;
  return RowName{name, {*line, *offset, *length, *row}};
}

std::string_view file_of_row(std::string_view name) {
  const std::optional<RowName> row = parse_row_name(name);
  return row ? row->file : name;
}

}  // namespace windrow
