// SPDX-License-Identifier: Apache-2.0
//
// The table that a job reads: what its files are, how they are cut, and what a worker has to know
// to make frames of them.
//
// Thread: any. Failure: Error saying what of the job to change.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "core/spec/job_spec.h"
#include "core/table/path_window.h"
#include "os/file_system.h"
#include "workspace/prepare/prepared_job.h"

namespace windrow {

// Types of columns are decided by the first 200 rows, so more files than that are never needed.
inline constexpr std::size_t kSampleFiles = 200;

// What is cut into mini-batches, MLTable files taken apart.
struct TableInput {
  std::vector<InputSpec> inputs;
  std::vector<PathWindow> windows;  // of each input: which of its files count
  TableSpec table;
  bool described = false;  // by an MLTable file
  bool has_keys = false;   // as columns of its own
  std::string inference;   // what that says of the types of columns, as JSON; may be empty
  bool whole = false;      // a mini-batch is the whole table: rows count from one file to the next
};

// Says what the items of the job are: run.input.items, run.input.size.
Result<TableInput> read_table_input(PreparedJob& run);

// Where a worker finds the values of partition keys, as JSON; empty: there are none.
// REQUIRES: run.input.files are found.
std::string partition_of(const PreparedJob& run);

// Settles run.input for a job whose items are rows of a table. `without`: what is not part of the
// input.
// REQUIRES: run.input.files are found.
Status prepare_table(FileSystem& fs,
                     TableInput input,
                     const std::vector<std::string>& without,
                     PreparedJob& run);

// The table of the run as absolute names of stretches in order, of about so many bytes.
// REQUIRES: prepare_table().
Result<std::vector<std::string>> list_stretches(FileSystem& fs,
                                                const PreparedJob& run,
                                                std::uint64_t bytes);

// What a reader has to know of the table in this folder, as JSON: what workers get, and
// `stretches`, the names of all its files.
Result<std::string> describe_mltable(FileSystem& fs, const std::string& folder);

}  // namespace windrow
