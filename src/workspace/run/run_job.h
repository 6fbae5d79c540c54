// SPDX-License-Identifier: Apache-2.0
//
// The life of a run, from a command to the exit code: the zygote is forked, the job takes its place
// in its folder and can be asked from then on, everything is prepared, tables are made, the job
// runs, and how it ended is noted and reported.
//
// Thread: the one that calls, which becomes the loop's; the process has no other one yet. Failure:
// an Error when the job could not run; nothing of a new one is left then.
#pragma once

#include "base/result.h"
#include "workspace/jobs/caller.h"
#include "workspace/run/run_view.h"
#include "workspace/run/start_job.h"

namespace windrow {

// The exit code.
Result<int> run_job(const Caller& caller, JobStart& start, RunView& view);

}  // namespace windrow
