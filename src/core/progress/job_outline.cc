// SPDX-License-Identifier: Apache-2.0
#include "core/progress/job_outline.h"

namespace windrow {
namespace {

// As JobState::reopen_failed() would leave it.
KeptParts kept_parts(const JobState& state) {
  const JobCounts& counts = state.counts();
  KeptParts kept{.items_failed = counts.items_failed, .shorts = counts.shorts};
  bool again = counts.failed > 0;
  for (const Batch& batch : state.batches()) {
    if (batch.stage == BatchStage::kFailed) kept.items_failed -= batch.items;
  }
  for (const auto& [id, pieces] : state.pieces()) {
    const BatchStage stage = state.batches()[id].stage;
    if (stage == BatchStage::kFailed || !pieces.has(BatchStage::kFailed)) continue;
    again = true;
    if (stage == BatchStage::kCommitted) --kept.shorts;
    for (const Piece& piece : pieces.all()) {
      if (piece.stage == BatchStage::kFailed) kept.items_failed -= piece.items.count;
    }
  }
  kept.everything = state.all_final() && !state.batches().empty() && !again;
  return kept;
}

}  // namespace

JobOutline outline_of(const JobState& state) {
  return JobOutline{.batches = static_cast<BatchId>(state.batches().size()),
                    .counts = state.counts(),
                    .kept = kept_parts(state),
                    .errors = state.errors(),
                    .epoch = state.epoch(),
                    .plan = state.plan(),
                    .plan_bytes = state.plan_bytes(),
                    .started = state.started(),
                    .listing_ended = state.listing_ended(),
                    .publishing = !state.publishing().empty(),
                    .all_final = state.all_final(),
                    .stopped = state.stopped(),
                    .finished = state.finished()};
}

bool failed_for_good(const JobOutline& job) {
  return job.finished && job.stopped && job.stopped->for_good;
}

}  // namespace windrow
