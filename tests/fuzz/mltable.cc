// SPDX-License-Identifier: Apache-2.0
//
// Any text as an MLTable file: what is taken is whole, and every step of it is JSON.
#include "core/table/mltable.h"

#include "base/check.h"
#include "base/json.h"
#include "core/table/partition_format.h"

namespace {

bool is_object_of_one(const std::string& text) {
  const auto json = windrow::parse_json(text);
  const auto* object = json ? json->get<windrow::Json::Object>() : nullptr;
  return object != nullptr && object->size() == 1;
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto table = windrow::read_mltable("MLTable", text);
  if (!table) {
    CHECK(!table.error().empty());
    for (const windrow::Problem& one : table.error()) {
      CHECK(one.where.starts_with("MLTable") && !one.message.empty());
    }
    return 0;
  }
  CHECK(!table->paths.empty());
  for (const auto& path : table->paths) CHECK(!path.path.empty());
  if (!table->inference.empty()) CHECK(windrow::parse_json(table->inference).has_value());
  if (!table->partition_format.empty()) {
    CHECK(windrow::PartitionFormat::parse(table->partition_format).has_value());
  }
  if (!table->table) return 0;
  CHECK(table->table->format && !table->table->delimiter->empty());
  for (const std::string& step : table->table->transformations) CHECK(is_object_of_one(step));
  return 0;
}
