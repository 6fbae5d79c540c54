// SPDX-License-Identifier: Apache-2.0
//
// `windrow run --local`: a script over its input in one Python process at the user's terminal, to
// try it out. No job, no journal, no time limits; the Python side is windrow/worker/local.py.
//
// Thread: any; blocks. Failure: an Error for everything that must be right before the script runs.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "core/spec/job_spec.h"

namespace windrow {

// Becomes the interpreter: returns only when something is wrong. `debugger`: the port on which the
// process waits for one.
Error try_script(JobReading reading, std::optional<std::uint32_t> debugger);

}  // namespace windrow
