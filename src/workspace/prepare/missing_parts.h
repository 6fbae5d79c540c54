// SPDX-License-Identifier: Apache-2.0
//
// What a job needs and what may not be there: its script with a run(), or its program, and its
// inputs.
//
// Thread: any, it reads. Failure: kInvalid, which names what is missing.
#pragma once

#include <vector>

#include "base/result.h"
#include "core/spec/job_spec.h"
#include "os/file_system.h"

namespace windrow {

// The script, by a look at its text that executes nothing, or the program in its place.
Status check_task(FileSystem& fs, const JobSpec& spec);

// The inputs that are only read by the script: they must be there before a worker starts.
Status check_side_inputs(FileSystem& fs, const JobSpec& spec);

// The same of a job that may have been refused, as far as it could be read, each with the place
// where the job says it. Globs and lists are not looked into.
std::vector<Problem> task_problems(FileSystem& fs, const JobReading& reading);
std::vector<Problem> input_problems(FileSystem& fs, const JobReading& reading);

}  // namespace windrow
