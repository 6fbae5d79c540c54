// SPDX-License-Identifier: Apache-2.0
//
// What a person can do next with a job: the one command that works, by how the job stands.
//
// Everything that shows such a command asks here: the end of a run, `explain`, and commands that
// refuse a job.
//
// Thread: any; values in, values out.
#pragma once

#include <cstdint>
#include <string>

#include "core/progress/job_outline.h"
#include "core/spec/job_spec.h"

namespace windrow {

enum class NextKind : std::uint8_t {
  kNone,       // it is complete
  kResume,     // nothing has to be fixed first, or nothing of the script
  kFix,        // fix the cause; the command accepts a changed script
  kRaise,      // every mini-batch is done: only another limit lets the job complete
  kRetry,      // it is complete, and a job of its own can run what failed
  kStartOver,  // resuming would end in the same way, with any limit
};

struct NextStep {
  NextKind kind = NextKind::kNone;
  std::string command;  // empty for kNone and kStartOver
};

// `job` is what commands know it by; `code_changed`: the script is not what it was.
NextStep next_step(const JobOutline& outline,
                   const JobSpec& spec,
                   const std::string& job,
                   bool code_changed);

}  // namespace windrow
