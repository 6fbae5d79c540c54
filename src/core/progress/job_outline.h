// SPDX-License-Identifier: Apache-2.0
//
// A job without its mini-batches: what describes it as a whole.
//
// Small whatever the job is, so it can be kept and read without the journal.
// Thread: any; a value.
#pragma once

#include <cstdint>
#include <optional>

#include "core/schedule/job_state.h"

namespace windrow {

// What stays as it is when a job is resumed and its failed mini-batches are tried again.
struct KeptParts {
  std::uint64_t items_failed = 0;  // of mini-batches that are done
  BatchId shorts = 0;              // mini-batches that returned fewer results than items
  bool everything = false;         // nothing is left to run
};

// As JobState has them.
struct JobOutline {
  BatchId batches = 0;
  JobCounts counts;
  KeptParts kept;
  ErrorCounts errors;
  Epoch epoch = 0;
  Epoch plan = 0;
  std::uint64_t plan_bytes = 0;
  WallTime started;
  bool listing_ended = false;
  bool publishing = false;  // a result is
  bool all_final = false;
  std::optional<fact::Stopped> stopped;
  std::optional<fact::Finished> finished;
};

JobOutline outline_of(const JobState& state);

// It has failed, and resuming it would end the same way.
bool failed_for_good(const JobOutline& job);

}  // namespace windrow
