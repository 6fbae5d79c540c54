// SPDX-License-Identifier: Apache-2.0
//
// Whether the files that get rows can have their names when the job ends. Found out at its start.
//
// Thread: any; blocks. Failure: kInvalid for a name that can never be a file, kConflict for one
// that is taken.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "core/schedule/job_state.h"
#include "os/file_system.h"
#include "workspace/prepare/prepared_job.h"

namespace windrow {

// `before`: of a job that is resumed; else nullptr.
Status check_targets(FileSystem& fs,
                     const PreparedJob& run,
                     const std::vector<std::string>& targets,
                     const JobState* before);

}  // namespace windrow
