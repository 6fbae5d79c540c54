// SPDX-License-Identifier: Apache-2.0
//
// The part of JobState about mini-batches that were halved.
#include "base/check.h"
#include "core/schedule/job_state.h"

namespace windrow {

void JobState::apply_one(const fact::Halved& fact) {
  const auto [pieces, fresh] = pieces_.try_emplace(fact.batch, batches_[fact.batch].items);
  pieces->second.clear_suspicion_after(fact.piece);
  pieces->second.halve(fact.piece);
}

const Pieces* JobState::pieces_of(BatchId id) const {
  const auto found = pieces_.find(id);
  return found == pieces_.end() ? nullptr : &found->second;
}

Piece* JobState::find_piece(const Portion& portion) {
  return portion.piece.count == 0 ? nullptr : pieces_.at(portion.batch).find(portion.piece);
}

const Piece* JobState::find_piece(const Portion& portion) const {
  return portion.piece.count == 0 ? nullptr : pieces_.at(portion.batch).find(portion.piece);
}

bool JobState::is_pending(const Portion& portion) const {
  const Pieces* const pieces = pieces_of(portion.batch);
  if (pieces == nullptr) {
    return portion.piece.count == 0 && batches_[portion.batch].stage == BatchStage::kPending;
  }
  const Piece* const piece = pieces->find(portion.piece);
  return piece != nullptr && piece->stage == BatchStage::kPending;
}

std::optional<ItemRange> JobState::next_items(BatchId id) const {
  const Pieces* const pieces = pieces_of(id);
  if (pieces == nullptr) return ItemRange{0, batches_[id].items};
  const Piece* const next = pieces->next();
  return next == nullptr ? std::nullopt : std::optional(next->items);
}

// When all its pieces are final the mini-batch is, too.
void JobState::settle(BatchId id) {
  const Pieces& pieces = pieces_.at(id);
  if (pieces.has(BatchStage::kPending) || pieces.has(BatchStage::kEnded)) return;
  Batch& batch = batches_[id];
  batch.succeeded = pieces.succeeded();
  if (pieces.has(BatchStage::kCommitted)) {
    batch.stage = BatchStage::kCommitted;
    ++counts_.committed;
    counts_.shorts += batch.succeeded < batch.items ? 1 : 0;
  } else {
    batch.stage = BatchStage::kFailed;
    ++counts_.failed;
  }
}

// Pieces that failed are tried again; those that were committed stay so.
void JobState::reopen_pieces(BatchId id, Pieces& pieces) {
  Batch& batch = batches_[id];
  if (batch.stage == BatchStage::kFailed || !pieces.has(BatchStage::kFailed)) return;
  if (batch.stage == BatchStage::kCommitted) {
    batch.stage = BatchStage::kPending;
    --counts_.committed;
    --counts_.shorts;
    batch.succeeded = 0;
  }
  for (Piece& piece : pieces.all()) {
    if (piece.stage != BatchStage::kFailed) continue;
    piece.stage = BatchStage::kPending;
    counts_.items_failed -= piece.items.count;
  }
}

std::uint64_t JobState::check_pieces(BatchId id, JobCounts& seen) const {
  const Batch& batch = batches_[id];
  const Pieces& pieces = pieces_.at(id);
  std::uint64_t waiting = 0;
  std::uint32_t next = 0;
  for (const Piece& piece : pieces.all()) {
    CHECK(piece.items.first == next && piece.items.count > 0);
    CHECK(piece.succeeded <= piece.items.count);
    next += piece.items.count;
    const bool ended = piece.stage == BatchStage::kEnded || piece.stage == BatchStage::kCommitted;
    CHECK(ended || piece.succeeded == 0);
    seen.items_succeeded += piece.succeeded;
    if (ended || piece.stage == BatchStage::kFailed) {
      seen.items_failed += piece.items.count - piece.succeeded;
    }
    waiting += piece.stage == BatchStage::kEnded ? 1 : 0;
    CHECK(piece.stage != BatchStage::kCommitted ||
          piece.rows.offset + piece.rows.length <= segments_[piece.rows.segment].synced);
  }
  CHECK(next == batch.items && batch.stage != BatchStage::kEnded);
  const bool open = pieces.has(BatchStage::kPending) || pieces.has(BatchStage::kEnded);
  CHECK(open == (batch.stage == BatchStage::kPending));
  seen.failed += batch.stage == BatchStage::kFailed ? 1 : 0;
  if (batch.stage == BatchStage::kCommitted) {
    ++seen.committed;
    seen.shorts += batch.succeeded < batch.items ? 1 : 0;
  }
  return waiting;
}

}  // namespace windrow
