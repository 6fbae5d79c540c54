// SPDX-License-Identifier: Apache-2.0
//
// `windrow job merge`: publishes the rows that a failed or cancelled job has committed, under the
// name that its result would have had and no other.
//
// Thread: the one that calls. Failure: kConflict when the job is running, finished, or the name is
// taken by something else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace windrow {

struct MergedJob {
  std::vector<std::string> targets;
  std::uint64_t bytes = 0;
  std::uint32_t batches = 0;  // mini-batches whose rows are in it
  std::uint32_t all = 0;
};

Result<MergedJob> merge_job(const std::string& job);

}  // namespace windrow
