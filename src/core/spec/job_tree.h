// SPDX-License-Identifier: Apache-2.0
//
// The tree of a job (from a file, --set and flags) -> a checked job. What its keys mean stands here
// and nowhere else.
//
// Thread: any; values in, values out. Failure: every problem at once.
#pragma once

#include <expected>
#include <string_view>
#include <vector>

#include "core/spec/job_spec.h"
#include "core/spec/node.h"
#include "core/spec/tree_reader.h"

namespace windrow {

enum class JobSource {
  kV2,         // what a user wrote
  kV1,         // the same, from a parallel_run_config: its rules for arguments hold
  kEffective,  // a job as it runs: settings among the arguments stand behind their keys already
};

// Relative paths are meant from `folder`. What `reader` has collected before is part of the answer.
// When the job is refused, `rest` gets what could be read of it.
std::expected<JobReading, std::vector<Problem>> read_job_tree(const Node& root,
                                                              TreeReader reader,
                                                              std::string_view folder,
                                                              JobSource source = JobSource::kV2,
                                                              JobReading* rest = nullptr);

}  // namespace windrow
