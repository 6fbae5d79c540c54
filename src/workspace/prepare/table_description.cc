// SPDX-License-Identifier: Apache-2.0
#include "workspace/prepare/table_description.h"

#include <array>
#include <string_view>

#include "base/hash.h"
#include "base/json.h"
#include "core/spec/values.h"

namespace windrow {
namespace {

constexpr std::size_t kPlacesDigits = 16;  // of a hash

constexpr auto kFormatWords =
    std::to_array<std::string_view>({"delimited", "parquet", "json_lines", "arrow"});

// What the files are now, so that a worker notices when it finds others in their places.
void write_seen(FileSystem& fs, const std::vector<std::string>& files, JsonWriter& json) {
  json.key("seen").begin_array();
  for (const std::string& file : files) {
    json.begin_array();
    if (const Result<FileStat> stat = fs.stat(file)) {
      json.value(stat->size).value(stat->modified.nanoseconds);
      json.value(stat->changed.nanoseconds).value(stat->inode);
    }
    json.end_array();
  }
  json.end_array();
}

}  // namespace

std::string table_description(FileSystem& fs,
                              const TableInput& input,
                              const FirstFiles& files,
                              const KeyRules& keys,
                              Frame frame) {
  const TableSpec& table = input.table;
  JsonWriter json;
  json.begin_object();
  json.field("frame", to_text(frame));
  json.field("whole", input.whole);
  json.field("format", kFormatWords.at(static_cast<std::size_t>(*table.format)));
  json.key("files").begin_array();
  for (const std::string& file : files.paths) json.value(file);
  json.end_array();
  if (files.rows_of_lists) json.field("rows_of_lists", true);
  if (!files.paths.empty()) write_seen(fs, files.paths, json);
  json.field("delimiter", *table.delimiter).field("header", table.header);
  json.field("encoding", table.encoding);
  json.field("infer_column_types", table.infer_column_types);
  json.field("inference", input.inference);
  json.field("empty_as_string", table.empty_as_string);
  json.field("quotes", table.quotes).field("support_multi_line", table.multi_line);
  json.field("include_path_column", table.include_path_column);
  json.field("comment", table.comment).field("skip_lines", table.skip_lines);
  json.field("ragged", table.ragged).field("invalid_lines", table.invalid_lines);
  json.field("types", table.types).field("mixed_types", table.mixed_types);
  json.key("text_columns").begin_array();
  for (const std::string& name : table.text_columns) json.value(name);
  json.end_array();
  // Keys of an MLTable file are columns where that puts them; others stand behind all columns.
  json.field("partition_format", input.described ? table.partition_format : keys.format);
  json.field("partition_first", input.described);
  json.key("partition_hive").begin_array();
  if (!input.described && !input.has_keys && keys.format.empty()) {
    for (const std::string& key : keys.keys) json.value(key);
  }
  json.end_array();
  json.key("transformations").begin_array();
  for (const std::string& step : table.transformations) json.value(step);
  json.end_array();
  json.end_object();
  return json.text();
}

std::string row_places_of(FileSystem& fs, const TableInput& input) {
  TableInput places = input;
  if (input.table.transformations.empty() && input.table.invalid_lines == "error") {
    const TableSpec usual;  // types leave no row out
    places.inference.clear();
    places.table.types = usual.types;
    places.table.text_columns = usual.text_columns;
    places.table.mixed_types = usual.mixed_types;
    places.table.empty_as_string = usual.empty_as_string;
    places.table.infer_column_types = usual.infer_column_types;
    places.table.include_path_column = usual.include_path_column;
  }
  return sha256(table_description(fs, places, {}, {}, Frame::kPandas)).substr(0, kPlacesDigits);
}

}  // namespace windrow
