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
#include "os/file_system.h"
#include "workspace/local_run.h"

namespace windrow {

// What is cut into mini-batches, MLTable files taken apart.
struct TableInput {
  std::vector<InputSpec> inputs;
  TableSpec table;
  bool described = false;  // by an MLTable file
  std::string inference;   // what that says of the types of columns, as JSON; may be empty
};

// Says what the items of the job are: run.items, run.size.
Result<TableInput> read_table_input(LocalRun& run);

// Where a worker finds the values of partition keys, as JSON; empty: there are none.
// REQUIRES: run.inputs are found.
std::string partition_of(const LocalRun& run);

// Settles run.inputs and run.table for a job whose items are rows of a table. `without`: what is no
// part of the input.
// REQUIRES: run.inputs are found.
Status prepare_table(FileSystem& fs,
                     TableInput input,
                     const std::vector<std::string>& without,
                     LocalRun& run);

}  // namespace windrow
