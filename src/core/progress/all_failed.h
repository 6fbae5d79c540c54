// SPDX-License-Identifier: Apache-2.0
//
// Whether a job looks as if nothing in it will ever succeed, and what to tell its user then.
//
// Thread: any; values in, text out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/schedule/job_state.h"

namespace windrow {

// A warning in one line when the first mini-batches, at least ten and two for each worker, have all
// failed while others are still to come; it names the most frequent error and what ends such a job.
std::optional<std::string> all_failed_warning(const JobState& state, std::uint32_t workers);

}  // namespace windrow
