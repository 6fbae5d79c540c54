// SPDX-License-Identifier: Apache-2.0
//
// A worker of any program that knows lines: paths go to its stdin, rows come from its stdout.
// docs/manual/native-workers.md.
//
// Thread: one; the process is nothing else. Failure: what the program does wrong fails the attempt.
#pragma once

#include "core/spec/job_spec.h"

namespace windrow {

// What this program is told to be such a worker: no words for people.
inline constexpr const char* kLinesWorker = "--lines-worker";
inline constexpr const char* kFilterWorker = "--filter-worker";

// Serves the agent that started this process; the command stands in what the agent says at the
// start. Returns the exit code. REQUIRES: a mode of lines.
int lines_worker(CommandMode mode);

}  // namespace windrow
