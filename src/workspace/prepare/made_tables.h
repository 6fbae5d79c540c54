// SPDX-License-Identifier: Apache-2.0
//
// Tables that have to be made before they can be cut: the rows of a query, and rows that are put
// together by columns.
//
// They are made once, below the job folder, and put in place in one step. A job that resumes finds
// them there, so it works on the rows that it began with, whatever the database holds by then.
//
// Thread: any; blocks. Failure: kInvalid with what to change; the same command tries again.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/spec/job_spec.h"
#include "os/file_system.h"
#include "workspace/prepare/prepared_job.h"

namespace windrow {

bool makes_tables(const JobSpec& spec);

// The input as it is to be read once its table is made so far; none: as the job says.
std::optional<InputSpec> made_input(const PreparedJob& run);

// Makes what is missing, and finds the inputs of the run again.
// REQUIRES: the job folder is there, prepare_run() was called.
Status make_tables(FileSystem& fs,
                   PreparedJob& run,
                   const std::function<void(const std::string&)>& tell);

// A retry reads the tables of the job that it retries.
Status take_over_tables(const JobFolder& from, const JobFolder& to);

}  // namespace windrow
