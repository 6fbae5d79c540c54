// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/kept_rows.h"

#include <algorithm>

namespace windrow {

std::uint64_t count_failed(const JobState& state) {
  std::uint64_t count = state.counts().failed;
  for (const auto& [id, pieces] : state.pieces()) {
    const bool failed = pieces.has(BatchStage::kFailed);
    count += failed && state.batches()[id].stage == BatchStage::kCommitted ? 1 : 0;
  }
  return count;
}

CommittedBatches count_committed(const JobState& state) {
  CommittedBatches out;
  for (BatchId id = 0; id < state.batches().size(); ++id) {
    const Pieces* const pieces = state.pieces_of(id);
    if (pieces == nullptr) {
      out.whole += state.batches()[id].stage == BatchStage::kCommitted ? 1 : 0;
    } else if (pieces->has(BatchStage::kCommitted)) {
      const bool whole = std::ranges::all_of(
          pieces->all(), [](const Piece& piece) { return piece.stage == BatchStage::kCommitted; });
      ++(whole ? out.whole : out.in_part);
    }
  }
  return out;
}

bool rows_are_spent(const JobState& state) {
  const auto& finished = state.finished();
  return finished && finished->status == JobStatus::kCompleted && count_failed(state) == 0;
}

}  // namespace windrow
