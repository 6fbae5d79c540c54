// SPDX-License-Identifier: Apache-2.0
//
// The parts that a Parquet or Arrow file is made of, from its footer: no data are read.
//
// Thread: any. Failure: Error naming the file; a file of another kind is kInvalid.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/spec/table_spec.h"
#include "core/table/parquet_footer.h"
#include "os/file_system.h"

namespace windrow {

// REQUIRES: format is kParquet or kArrow.
Result<std::vector<RowGroup>> read_row_groups(File& file,
                                              const std::string& path,
                                              std::uint64_t size,
                                              TableFormat format);

}  // namespace windrow
