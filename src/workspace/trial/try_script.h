// SPDX-License-Identifier: Apache-2.0
//
// A script in one Python process at the user's terminal: `windrow run --local` over its input, to
// try it out, `windrow replay` over one mini-batch of a job, to see again what it does. No job, no
// journal, no time limits; the Python side is windrow/worker/local.py.
//
// Thread: any; blocks. Failure: an Error for everything that must be right before the script runs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "core/spec/job_spec.h"
#include "workspace/jobs/caller.h"
#include "workspace/jobs/job_view.h"

namespace windrow {

// Who tries it, and how they get a line before the script begins.
struct TrialCaller {
  Caller caller;
  std::function<void(const std::string&)> say;
};

// Becomes the interpreter: returns only when something is wrong. `debugger`: the port on which the
// process waits for one.
Error try_script(const TrialCaller& caller,
                 JobReading reading,
                 std::optional<std::uint32_t> debugger);

// The same for the mini-batch of a job, with its script, arguments, environment and items. What it
// writes goes to a folder of its own. `post_mortem`: an exception ends in Python's debugger.
Error replay_batch(const TrialCaller& caller,
                   const JobView& job,
                   const BatchStory& batch,
                   bool post_mortem);

}  // namespace windrow
