// SPDX-License-Identifier: Apache-2.0
//
// What a job says about its workers, as the agent needs it.
//
// Thread: any; values in, values out.
#pragma once

#include <cstdint>

#include "core/spec/job_paths.h"
#include "core/spec/job_spec.h"
#include "wire/agent/messages.h"

namespace windrow {

// All but program, environment and row_settings, which depend on more than the job.
WorkerSettings worker_settings(const JobSpec& spec, const JobPaths& paths, std::uint32_t workers);

}  // namespace windrow
