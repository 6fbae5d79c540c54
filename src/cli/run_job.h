// SPDX-License-Identifier: Apache-2.0
//
// What all commands that run a job share: start it, show it, end with its exit code.
#pragma once

#include <functional>

#include "cli/voice.h"
#include "workspace/run/start_job.h"

namespace windrow {

// Forks the zygote, calls `start`, runs what it gives.
int run_to_the_end(const Voice& voice, const std::function<Result<StartedJob>()>& start);

}  // namespace windrow
