// SPDX-License-Identifier: Apache-2.0
//
// The part of the Scheduler that finds the bad items of a mini-batch: without a try left it is
// halved, and so is every piece that fails, until a bad item stands alone. Each piece has one try;
// one is out at a time, the first that is pending.
//
// At most 2 log2(n) + 1 attempts for each bad item of n: when the first half of something bad
// works, the second one must be bad, and is halved without being tried.
#include <utility>

#include "base/plant.h"
#include "core/schedule/scheduler.h"

namespace windrow {

ItemRange Scheduler::piece_out(BatchId batch) const {
  const auto found = pieces_out_.find(batch);
  return found == pieces_out_.end() ? ItemRange{} : found->second;
}

std::uint32_t Scheduler::items_of(const Portion& portion) const {
  return portion.piece.count > 0 ? portion.piece.count : state_.batches()[portion.batch].items;
}

bool Scheduler::may_be_halved(const AttemptRecord& failed) const {
  return !limits_.loads_whole || failed.status != AttemptStatus::kDataException;
}

// Whether there is hope for some of its items.
bool Scheduler::halve(const Portion& failed) {
  const std::uint32_t items = items_of(failed);
  if (!limits_.bisect_failed || items < 2) return false;
  emit(fact::Halved{failed.batch, {failed.piece.first, items}});
  return true;
}

void Scheduler::halve_suspect(const Portion& done) {
  const Pieces* const pieces = state_.pieces_of(done.batch);
  if (pieces == nullptr) return;
  const Piece* const suspect = pieces->suspect_after(done.piece);
  if (suspect == nullptr) return;
  if (planted(Fault::kCondemnSuspect)) {
    fact::AttemptEnded ended{.verdict = Verdict::kFailed};
    ended.record.token = {state_.epoch(), done.batch, hands_[done.batch].highest};
    ended.record.piece = suspect->items;
    ended.record.status = AttemptStatus::kRunException;
    emit(std::move(ended));
    return;
  }
  emit(fact::Halved{done.batch, suspect->items});
}

}  // namespace windrow
