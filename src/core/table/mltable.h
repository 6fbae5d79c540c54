// SPDX-License-Identifier: Apache-2.0
//
// An MLTable file: which files a table is made of, how they are read, and what is done with its
// rows.
//
// A read step comes first, if there is one; only extract_columns_from_partition_format may stand
// before it. What the
// public `mltable` package writes is taken, and what it refuses is refused, but for these: a step
// may have no keys, one name may stand for a list of one, and keys may stand beside a read step
// that has none below it.
//
// Thread: any; values in, values out. Failure: all problems found, each with file:line:column.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec/job_spec.h"
#include "core/spec/table_spec.h"

namespace windrow {

struct MlTable {
  struct Path {
    enum class Kind : std::uint8_t { kFile, kFolder, kPattern };
    Kind kind = Kind::kFile;
    std::string path;  // as it was given, without file://: relative to the folder of the file
    friend bool operator==(const Path&, const Path&) = default;
  };

  std::vector<Path> paths;
  // None: there is no read step, and the table is a list of files. Its partition_format is set
  // where the extraction stands before the read step; behind it, it is a transformation like
  // others.
  std::optional<TableSpec> table;
  // Of the one extraction, wherever it stands; empty when there is none.
  std::string partition_format;
  // Where there is no read step: what is done with the list of files, a table with the one column
  // Path; JSON texts as in TableSpec::transformations, the extraction among them.
  std::vector<std::string> path_steps;
  // Where infer_column_types has keys below it: JSON text of an object with sample_size and
  // column_type_overrides, a list of objects as in convert_column_types. Else empty.
  std::string inference;
  std::vector<Problem> notices;
};

std::expected<MlTable, std::vector<Problem>> read_mltable(std::string_view file,
                                                          std::string_view text);

}  // namespace windrow
