// SPDX-License-Identifier: Apache-2.0
//
// The metrics of a job under the names that dashboards know, as one JSON object.
//
// Thread: any; values in, text out.
#pragma once

#include <string>
#include <string_view>

#include "core/schedule/job_state.h"

namespace windrow {

// "Remaining ..." is there as soon as everything is planned; before that nobody knows it.
std::string metrics_json(const JobState& state, std::string_view name_prefix);

}  // namespace windrow
