// SPDX-License-Identifier: Apache-2.0
#include "core/plan/stretch_name.h"

#include <fmt/format.h>

#include "core/plan/number_behind.h"

namespace windrow {

std::string stretch_name(std::string_view file, const Stretch& stretch) {
  return fmt::format(
      "{}@{}+{}#{}*{}", file, stretch.offset, stretch.length, stretch.row, stretch.rows);
}

std::string window_name(std::string_view name, const ItemRange& rows) {
  const std::optional<StretchName> outer = parse_stretch_name(name);
  const bool within = outer && outer->window.count > 0;
  if (within) name = name.substr(0, name.rfind('/'));
  return fmt::format("{}/{}+{}", name, rows.first + (within ? outer->window.first : 0), rows.count);
}

std::optional<StretchName> parse_stretch_name(std::string_view name) {
  StretchName out;
  std::string_view rest = name;
  const auto count = take_number_behind(rest, '+');
  const auto first = count ? take_number_behind(rest, '/') : std::nullopt;
  if (first) {
    if (*first > UINT32_MAX || *count > UINT32_MAX || *count == 0) return std::nullopt;
    out.window = {static_cast<std::uint32_t>(*first), static_cast<std::uint32_t>(*count)};
  } else {
    rest = name;
  }
  const auto rows = take_number_behind(rest, '*');
  const auto row = rows ? take_number_behind(rest, '#') : std::nullopt;
  const auto length = row ? take_number_behind(rest, '+') : std::nullopt;
  const auto offset = length ? take_number_behind(rest, '@') : std::nullopt;
  if (!offset || rest.empty() || *rows > UINT32_MAX) return std::nullopt;
  out.file = rest;
  out.stretch = {*offset, *length, *row, static_cast<std::uint32_t>(*rows)};
  return out;
}

bool is_window(std::string_view name) {
  const std::optional<StretchName> stretch = parse_stretch_name(name);
  return stretch && stretch->window.count > 0;
}

std::string_view file_of_stretch(std::string_view name) {
  const std::optional<StretchName> stretch = parse_stretch_name(name);
  return stretch ? stretch->file : name;
}

}  // namespace windrow
