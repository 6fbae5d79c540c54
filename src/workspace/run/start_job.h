// SPDX-License-Identifier: Apache-2.0
//
// From a job as the user described it to a run: which job folder, which interpreter, what is there
// already, what must not have changed.
//
// Thread: any; blocks. Failure: an Error for everything that must be right before anything starts.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "core/spec/job_spec.h"
#include "workspace/prepare/prepare_run.h"

namespace windrow {

// A job on its way to its run, in two steps, so that its process can be asked from the first one
// on.
class JobStart {
 public:
  virtual ~JobStart() = default;

  // Finds out which job folder it is, and makes it when the job is new. Quick; called with
  // Jobs::lock() held.
  virtual Result<StartedJob> claim(FileSystem& fs, Jobs& jobs) = 0;

  // Everything else. May take long: input is looked at, standard input read to its end.
  virtual Status prepare(FileSystem& fs, Jobs& jobs, StartedJob& job) = 0;
};

// `windrow run`: continues an unfinished job of the same identity unless `afresh`. `accept_input`:
// also with files that are newer than its plan.
std::unique_ptr<JobStart> start_job(JobReading reading, bool afresh, bool accept_input);

// What may be another when a job is resumed.
struct Accepted {
  bool code = false;   // the code is not what it was
  bool input = false;  // files are newer than the plan
};

// `windrow job resume`: continues a crashed, cancelled or failed job; failed mini-batches start
// over. `flags`: limits, workers and interpreter that are to be others from now on.
std::unique_ptr<JobStart> resume_job(std::string job, Accepted accepted, JobFlags flags);

}  // namespace windrow
