// SPDX-License-Identifier: Apache-2.0
//
// What `job show`, `job stream` and `job cancel` say of a job.
//
// Thread: any; values in, text out.
#pragma once

#include <string>

#include "wire/control/control_lines.h"
#include "workspace/jobs/job_view.h"

namespace windrow {

// Of a job that another process runs.
std::string status_answer(const ControlStatus& status, const std::string& folder);
std::string status_json(const ControlStatus& status, const std::string& folder);

// Of a job that nobody runs.
std::string view_answer(const JobView& job);
std::string view_json(const JobView& job);

// The exit code of a job that is over; of one that can be resumed, that of a failed one.
int exit_code_of(const JobOutline& outline);

}  // namespace windrow
