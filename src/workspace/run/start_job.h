// SPDX-License-Identifier: Apache-2.0
//
// From a job as the user described it to a run: which job folder, which interpreter, what is there
// already, what must not have changed.
//
// Thread: any; blocks. Failure: an Error for everything that must be right before anything starts.
#pragma once

#include <string>

#include "base/result.h"
#include "core/spec/job_spec.h"
#include "workspace/prepare/prepare_run.h"

namespace windrow {

// `windrow run`: goes on with an unfinished job of the same identity unless `afresh`.
Result<StartedJob> start_job(const JobReading& reading, bool afresh);

// `windrow job resume`: goes on with a crashed, cancelled or failed job; failed mini-batches start
// afresh. With `changed_code` also when the code is not what it was. `flags`: limits, workers and
// interpreter that are to be others from now on.
Result<StartedJob> resume_job(const std::string& job, bool changed_code, const JobFlags& flags);

}  // namespace windrow
