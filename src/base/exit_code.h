// SPDX-License-Identifier: Apache-2.0
//
// The exit codes of windrow, which reports and answers for programs name too.
#pragma once

namespace windrow {

inline constexpr int kExitCompleted = 0;
inline constexpr int kExitFailed = 1;    // the job failed, or the machine is in trouble
inline constexpr int kExitRefused = 2;   // bad input: nothing was done
inline constexpr int kExitNotFound = 3;  // there is no such job
inline constexpr int kExitCancelled = 130;

}  // namespace windrow
