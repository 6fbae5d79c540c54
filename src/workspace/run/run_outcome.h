// SPDX-License-Identifier: Apache-2.0
//
// What became of a run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/schedule/job_state.h"
#include "core/schedule/run_ending.h"
#include "workspace/logs/first_error.h"

namespace windrow {

struct RunOutcome {
  RunEnding end = RunEnding::kFinished;
  JobStatus status = JobStatus::kFailed;
  std::string cause;
  bool refused = false;  // the script can never work: nothing of it ran
  BatchId batches = 0;
  JobCounts counts;
  std::uint64_t items_short = 0;  // failed, though the run() that got them returned
  std::uint64_t items_bad = 0;    // found by halving: each failed alone
  bool items_reported = false;    // some of these by the script
  Duration job_time{};
  std::vector<std::string> targets;
  std::optional<FirstError> first_error;
  std::shared_ptr<const JobState> state;  // of a job that is over
};

}  // namespace windrow
