// SPDX-License-Identifier: Apache-2.0
//
// What of a job is committed, what could be retried, and for how long its rows are kept beside its
// result.
//
// Thread: any. Failure: none.
#pragma once

#include <cstdint>

#include "core/schedule/job_state.h"

namespace windrow {

// The mini-batches that have something to be tried again: those that failed, and those of which
// pieces have.
std::uint64_t count_failed(const JobState& state);

// The mini-batches that have committed rows or files.
struct CommittedBatches {
  std::uint32_t whole = 0;    // every item of them
  std::uint32_t in_part = 0;  // some pieces, others failed or wait
};
CommittedBatches count_committed(const JobState& state);

// Whether nobody can need the segments any more: the result is published, and there is nothing to
// retry, which would put the old rows beside the new ones.
bool rows_are_spent(const JobState& state);

}  // namespace windrow
