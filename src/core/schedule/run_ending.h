// SPDX-License-Identifier: Apache-2.0
//
// How the time of a master with its job ended.
#pragma once

#include <cstdint>

namespace windrow {

enum class RunEnding : std::uint8_t {
  kFinished,    // the job is over: JobState::finished says how
  kSuperseded,  // another master has taken the job over
  kBroken,      // the journal cannot be written: the job can be resumed when the disk is well again
  kHeldUp,      // the input is not what it was: the job can be resumed when it is
  kNewerInput,  // files are newer than the plan: the user can accept them
};

}  // namespace windrow
