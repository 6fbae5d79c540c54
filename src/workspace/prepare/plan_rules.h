// SPDX-License-Identifier: Apache-2.0
//
// From a job and its inputs to the rules of its plan, and to its mini-batches without a plan.
//
// Thread: any; blocks. Failure: Error naming the folder or list that cannot be read, or the input
// without files.
#pragma once

#include <functional>

#include "base/result.h"
#include "core/plan/cutter.h"
#include "core/spec/job_paths.h"
#include "master/input_cutter.h"
#include "os/file_system.h"
#include "workspace/prepare/prepared_job.h"

namespace windrow {

// REQUIRES: the inputs of the run were found by prepare_run.
PlanRules plan_rules(const PreparedJob& run, const JobPaths& paths);

// Gives each mini-batch that a new job would have, in order. Its names are below the root of its
// input, see plan_path().
Result<ListingRemarks> cut_inputs(FileSystem& fs,
                                  const PlanRules& rules,
                                  const std::function<void(const Cut&)>& each);

}  // namespace windrow
