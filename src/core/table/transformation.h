// SPDX-License-Identifier: Apache-2.0
//
// The steps of an MLTable file that change rows or columns: checked, and written as JSON in one
// form, whichever way they were written. A list is always a list.
//
// Thread: any. Failure: problems are collected in the reader; what is written then means nothing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "core/spec/tree_reader.h"

namespace windrow {

inline constexpr std::string_view kExtraction = "extract_columns_from_partition_format";

// Those that are known, the extraction included.
std::span<const std::string_view> transformation_names();

// The JSON text of an object with the one member `name`. REQUIRES: a known name, no extraction.
std::string transformation_text(std::string_view name, const Place& argument, TreeReader& reader);

// The partition format of an extraction; it can be parsed.
std::optional<std::string> read_extraction(const Place& argument, TreeReader& reader);

// A list of {columns, column_type}.
void write_column_types(const Place& list, TreeReader& reader, JsonWriter& json);

// Refuses a path_column below the keys of a step that is not the one that every table has.
void check_path_column(const Place& keys, TreeReader& reader);

// true, false, and the other words that YAML has for them.
Result<bool> parse_flag(std::string_view text);

}  // namespace windrow
