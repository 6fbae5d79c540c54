// SPDX-License-Identifier: Apache-2.0
//
// What a worker has to know of a table to make frames of it, as JSON.
//
// Thread: any. Failure: none; a file that is not there is described as such.
#pragma once

#include <string>
#include <vector>

#include "core/table/key_groups.h"
#include "os/file_system.h"
#include "workspace/prepare/table_input.h"

namespace windrow {

struct FirstFiles {
  std::vector<std::string> paths;  // absolute
  bool rows_of_lists = false;      // a list names some of their rows, not all
};

std::string table_description(FileSystem& fs,
                              const TableInput& input,
                              const FirstFiles& files,
                              const KeyRules& keys,
                              Frame frame);

// The same for tables whose rows have the same numbers: some hexadecimal digits.
std::string row_places_of(FileSystem& fs, const TableInput& input);

}  // namespace windrow
