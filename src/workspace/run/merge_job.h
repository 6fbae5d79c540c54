// SPDX-License-Identifier: Apache-2.0
//
// `windrow job merge`: publishes the rows that a failed or cancelled job has committed, under the
// name that its result would have had and no other, and puts its staged files in their place.
//
// Thread: the one that calls. Failure: kConflict when the job is running, finished, or the name is
// taken by something else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "workspace/jobs/caller.h"

namespace windrow {

struct MergedJob {
  std::vector<std::string> targets;  // none when the job keeps no rows
  std::uint64_t bytes = 0;
  std::uint32_t batches = 0;             // mini-batches whose rows are in it, all of them
  std::uint32_t in_part = 0;             // mini-batches of which only some pieces are in it
  std::vector<std::string> outputs;      // folders of staged files; none when they are not staged
  std::uint32_t batches_with_files = 0;  // mini-batches whose files are in them
  std::uint32_t all = 0;
};

Result<MergedJob> merge_job(const Caller& caller, const std::string& job);

}  // namespace windrow
