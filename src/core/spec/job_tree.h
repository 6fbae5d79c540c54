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

namespace windrow {

// `file` stands before line and column; relative paths are meant from `folder`. In a job as it runs
// the settings among the script's arguments have been applied: each key has what came of it.
std::expected<JobReading, std::vector<Problem>> read_job_tree(const Node& root,
                                                              std::string_view file,
                                                              std::string_view folder,
                                                              bool arguments_applied = false);

}  // namespace windrow
