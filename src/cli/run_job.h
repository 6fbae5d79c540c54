// SPDX-License-Identifier: Apache-2.0
//
// What all commands that run a job share: start it, show it, end with its exit code.
#pragma once

#include "cli/voice.h"
#include "workspace/jobs/caller.h"
#include "workspace/run/start_job.h"

namespace windrow {

// To the end of the job.
int run_and_show(const Voice& voice, const Caller& caller, JobStart& start);

// Until the job runs, which it then does in the background.
int run_detached(const Voice& voice, const Caller& caller, JobStart& start);

}  // namespace windrow
