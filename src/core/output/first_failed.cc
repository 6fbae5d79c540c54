// SPDX-License-Identifier: Apache-2.0
#include "core/output/first_failed.h"

#include <cstdint>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "core/schedule/error_line.h"

namespace windrow {
namespace {

std::string text_of(const Json& line, std::string_view key) {
  const Json* const value = line.find(key);
  const std::string* const text = value == nullptr ? nullptr : value->get<std::string>();
  return text == nullptr ? "" : *text;
}

}  // namespace

std::string failed_item_text(std::string_view line) {
  const Result<Json> parsed = parse_json(line);
  if (!parsed) return "";
  const Json* const batch = parsed->find("mini_batch");
  const auto* const number = batch == nullptr ? nullptr : batch->get<std::int64_t>();
  if (number == nullptr) return "";
  const std::string item = text_of(*parsed, "item");
  const std::string what =
      item.empty() ? fmt::format("an item of mini-batch {}", *number) : path_in_quotes(item);
  return fmt::format("{}: {}",
                     what,
                     error_line(text_of(*parsed, "error_type"), text_of(*parsed, "error_message")));
}

}  // namespace windrow
