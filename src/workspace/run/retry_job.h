// SPDX-License-Identifier: Apache-2.0
//
// `windrow retry`: a new job that runs the failed mini-batches of an old one, and whose result
// joins the old rows with the new ones. The old job stays as it is.
//
// Thread: any; blocks. Failure: an Error for everything that must be right before anything starts.
#pragma once

#include <memory>
#include <string>

#include "core/spec/short_form.h"
#include "workspace/run/start_job.h"

namespace windrow {

// `flags` may change limits, names and places, but neither input nor mini-batches; `replace` puts
// the new result in place of the old one when complete.
std::unique_ptr<JobStart> retry_job(std::string job, JobFlags flags, bool replace);

}  // namespace windrow
