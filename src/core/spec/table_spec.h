// SPDX-License-Identifier: Apache-2.0
//
// How the files of an input are to be read as one table: what a job file or an MLTable file sets.
//
// Texts are those of the MLTable format, so that what a worker gets is what was written there.
//
// Thread: plain values. Ownership: none. Failure: none; the readers of files refuse.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace windrow {

enum class TableFormat : std::uint8_t { kDelimited, kParquet, kJsonLines, kArrow };

struct TableSpec {
  std::optional<TableFormat> format;  // none: by the names of the files
  // Of delimited text; none: a comma, or a tab where the name of the first file says so.
  std::optional<std::string> delimiter;
  std::string header = "all_files_same_headers";
  std::string encoding = "utf8";
  bool infer_column_types = true;  // false: every column is text
  bool empty_as_string = false;    // an empty field is "" and not missing
  bool quotes = true;              // false: double quotes are ordinary characters
  bool multi_line = false;         // quoted fields may hold line breaks
  bool include_path_column = false;
  std::string comment;                    // lines that begin with it are not records
  std::uint32_t skip_lines = 0;           // before the header of each file
  std::string ragged = "error";           // rows with another number of fields: error, skip, fill
  std::string invalid_lines = "error";    // of JSON lines: error, drop
  std::string types = "pandas";           // how types are decided: pandas, mltable
  bool mixed_types = false;               // columns that hold more than one type are text
  std::vector<std::string> text_columns;  // are text, whatever stands in them
  bool count_rows = false;                // rows are numbered even where that takes a reading
  std::string partition_format;           // see core/table/partition_format.h
  // The transformations of an MLTable file, in order, each as the JSON text of an object.
  std::vector<std::string> transformations;
  friend bool operator==(const TableSpec&, const TableSpec&) = default;
};

}  // namespace windrow
