// SPDX-License-Identifier: Apache-2.0
//
// What a job says about its workers, as the agent needs it.
//
// Thread: any; values in, values out.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/spec/job_paths.h"
#include "core/spec/job_spec.h"
#include "wire/agent/messages.h"

namespace windrow {

// All but program, environment and row_settings, which depend on more than the job.
WorkerSettings worker_settings(const JobSpec& spec, const JobPaths& paths, std::uint32_t workers);

// Whose workers they are.
struct WorkerJob {
  const JobSpec& spec;
  const JobPaths& paths;
  const std::string& name;
  const std::string& folder;
};

// What workers find in their environment beside the inherited one; the job's own variables come
// last. `threads`: for each worker, as a default of numeric libraries.
std::vector<std::pair<std::string, std::string>> worker_environment(const WorkerJob& job,
                                                                    std::uint32_t threads);

}  // namespace windrow
