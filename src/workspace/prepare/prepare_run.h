// SPDX-License-Identifier: Apache-2.0
//
// The steps that every command that runs a job takes before anything starts.
//
// Thread: any; blocks. Failure: kConflict for a job that is running or a target that exists,
// kInvalid for a script, an input or an interpreter that is not there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "workspace/jobs/jobs.h"
#include "workspace/prepare/prepared_job.h"
#include "workspace/worker/interpreter.h"

namespace windrow {

struct StartedJob {
  // What was made for a new job before it was known whether it can run, and goes when it cannot.
  enum class Made : std::uint8_t { kNothing, kContent, kFolder };

  PreparedJob run;
  std::vector<std::string> notices;  // lines for the user
  Made made = Made::kNothing;
};

// The interpreter with our worker, as a program with its arguments.
Result<std::vector<std::string>> python_worker(FileSystem& fs,
                                               const Jobs& jobs,
                                               const Interpreter& python);

// Script and input are there, the target is not (unless it is to be replaced): the first part of
// prepare_run(), which writes nothing. Fills in the inputs of the run.
Status find_parts(FileSystem& fs, PreparedJob& run, const JobState* before);

// Makes the folders that outputs lie in and tries each with a file that leaves no trace, so that a
// place where nothing can be written is found before there is work that would be lost. kInvalid.
Status make_output_folders(FileSystem& fs, const PreparedJob& run);

// Script and input are there, the target is not (unless it is to be replaced); finds interpreter
// and worker. REQUIRES: spec, folder and replace_targets of the run. `before` is what a job that
// resumes has already; null for a new one.
Status prepare_run(FileSystem& fs, const Jobs& jobs, const JobState* before, StartedJob& job);

}  // namespace windrow
