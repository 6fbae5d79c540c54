// SPDX-License-Identifier: Apache-2.0
//
// A journal in a storm: facts that can follow each other are taken, and one that contradicts those
// before it is refused, as a damaged or foreign journal would hold it.
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/schedule/job_state.h"
#include "random.h"
#include "storm.h"

namespace windrow::sim {
namespace {

// Of a mini-batch: what of it is still to be done. One that is final has nothing.
struct Open {
  std::uint32_t items = 0;
  bool whole = true;              // never halved
  std::vector<ItemRange> pieces;  // pending ones, of one that was
  bool final = false;
};

class FactStorm {
 public:
  explicit FactStorm(std::uint64_t seed) : random_(seed) {}

  void run() {
    take(fact::EpochBegan{.epoch = 1, .plan = 1});
    take(fact::Planned{{{2, 1}, {3, 4}}, 100});
    for (int i = 0; i < 5; ++i) batches_.push_back({.items = i < 2 ? 1U : 4U});
    open_segment();
    for (int i = 0; i < 40; ++i) {
      refuse();
      draw_fact();
      state_.check_invariants();
    }
  }

 private:
  bool maybe(std::uint32_t per_mille) { return random_.per_mille(per_mille); }
  BatchId draw_batch() { return static_cast<BatchId>(random_.below(batches_.size())); }
  SegmentId draw_segment() { return static_cast<SegmentId>(random_.below(ends_.size())); }
  [[nodiscard]] BatchId behind() const { return static_cast<BatchId>(batches_.size()); }
  [[nodiscard]] SegmentId segment_behind() const { return static_cast<SegmentId>(ends_.size()); }

  void take(const Fact& fact) {
    const Status follows = state_.check(fact);
    ASSERT_TRUE(follows) << follows.error().message;
    state_.apply(fact);
  }

  void open_segment() {
    take(fact::SegmentOpened{segment_behind(), 0, "x.seg"});
    ends_.push_back(0);
    open_.insert(segment_behind() - 1);
  }

  fact::AttemptEnded draw_end(BatchId batch, Verdict verdict) {
    fact::AttemptEnded out;
    out.verdict = verdict;
    out.record.token = {1, batch, ++picked_};
    const bool done = verdict == Verdict::kDone;
    out.record.status = done ? AttemptStatus::kRunDone : AttemptStatus::kRunException;
    const Open& open = batches_[batch];
    if (!open.whole && !open.pieces.empty()) {
      out.record.piece = open.pieces[random_.below(open.pieces.size())];
    }
    const std::uint32_t items = open.whole ? open.items : out.record.piece.count;
    if (done) {
      const SegmentId segment = *open_.begin();
      out.record.rows = {segment, ends_[segment], random_.between(1, 50)};
      out.succeeded = random_.between(0, items);
    }
    return out;
  }

  // What may follow.
  void draw_fact() {
    const BatchId batch = draw_batch();
    Open& open = batches_[batch];
    switch (random_.below(6)) {
      case 0:
        if (!listing_ended_ && maybe(200)) {
          take(fact::ListingEnded{});
          listing_ended_ = true;
        } else if (!listing_ended_) {
          take(fact::Planned{{{1, 3}}, 100});
          batches_.push_back({.items = 3});
        }
        return;
      case 1:
        if (open_.size() < 3) open_segment();
        return;
      case 2:
        if (open.final || !open.whole) return;
        open.items = random_.between(1, 9);
        return take(fact::Counted{batch, open.items});
      case 3:
        return draw_halves(batch);
      case 4: {
        const SegmentId segment = *open_.begin();
        return take(fact::SegmentSynced{segment, ends_[segment], {}});
      }
      default:
        if (open.final) return;
        return end_one(batch, static_cast<Verdict>(random_.below(4)));
    }
  }

  void draw_halves(BatchId batch) {
    Open& open = batches_[batch];
    if (open.final || (open.whole && open.items < 2)) return;
    const ItemRange piece = open.whole ? ItemRange{0, open.items} : open.pieces.front();
    if (piece.count < 2) return;
    take(fact::Halved{batch, piece});
    if (!open.whole) open.pieces.erase(open.pieces.begin());
    open.whole = false;
    open.pieces.push_back({piece.first, piece.count / 2});
    open.pieces.push_back({piece.first + piece.count / 2, piece.count - piece.count / 2});
  }

  void end_one(BatchId batch, Verdict verdict) {
    Open& open = batches_[batch];
    const fact::AttemptEnded ended = draw_end(batch, verdict);
    take(ended);
    if (verdict == Verdict::kDone) ends_[ended.record.rows.segment] += ended.record.rows.length;
    if (verdict == Verdict::kRetry || verdict == Verdict::kReturned) return;
    std::erase(open.pieces, ended.record.piece);
    open.final = open.whole || open.pieces.empty();
  }

  // One fact that cannot be.
  void refuse() {
    const std::vector<Fact> facts = maybe(500) ? impossible() : impossible_ends();
    if (facts.empty()) return;
    const std::size_t at = random_.below(facts.size());
    const Status follows = state_.check(facts[at]);
    ASSERT_FALSE(follows) << "number " << at << " of " << facts.size();
    EXPECT_FALSE(follows.error().message.empty());
  }

  std::vector<Fact> impossible() {
    std::vector<Fact> out = {fact::EpochBegan{.epoch = 1},
                             fact::EpochBegan{.epoch = 0},
                             fact::Planned{{{UINT32_MAX, 1}, {UINT32_MAX, 1}}, 1},
                             fact::Planned{{{UINT32_MAX - 1, 1}}, 1},
                             fact::SegmentOpened{segment_behind() + 1, 0, "y.seg"},
                             fact::SegmentOpened{draw_segment(), 0, "y.seg"},
                             fact::SegmentSynced{segment_behind(), 1, {}},
                             fact::AgentLost{0, segment_behind()},
                             fact::Counted{behind(), 3},
                             fact::Halved{behind(), {0, 4}},
                             fact::Halved{draw_batch(), {0, 1}},
                             fact::Halved{draw_batch(), {1000, 2}}};
    if (listing_ended_) out.emplace_back(fact::Planned{{{1, 1}}, 1});
    const BatchId batch = draw_batch();
    const Open& open = batches_[batch];
    if (open.final) out.emplace_back(fact::Halved{batch, {0, open.items}});
    if (open.final || !open.whole) out.emplace_back(fact::Counted{batch, 5});
    return out;
  }

  std::vector<Fact> impossible_ends() {
    std::vector<Fact> out = {};
    const BatchId batch = draw_batch();
    const Open& open = batches_[batch];
    fact::AttemptEnded ended = draw_end(batch, Verdict::kDone);
    const auto with = [&](const auto& change) {
      fact::AttemptEnded wrong = ended;
      change(wrong);
      out.emplace_back(wrong);
    };
    with([&](fact::AttemptEnded& one) { one.record.token.batch = behind(); });
    with([&](fact::AttemptEnded& one) { one.record.rows.segment = segment_behind(); });
    with([](fact::AttemptEnded& one) { one.record.piece = {1000, 1}; });
    with([&](fact::AttemptEnded& one) { one.succeeded = open.items + 1; });
    with([](fact::AttemptEnded& one) { one.record.rows.offset = UINT64_MAX; });
    with([](fact::AttemptEnded& one) {
      one.verdict = Verdict::kFailed;
      one.record.piece = {1000, 1};
    });
    // Rows that nobody opened a segment for: a whole one where there are pieces.
    if (!open.whole) with([](fact::AttemptEnded& one) { one.record.piece = {}; });
    if (open.final) {
      with([](fact::AttemptEnded& one) { one.verdict = Verdict::kRetry; });
      out.emplace_back(ended);
    }
    return out;
  }

  Random random_;
  JobState state_;
  std::vector<Open> batches_;
  std::vector<std::uint64_t> ends_;  // of each segment
  std::set<SegmentId> open_;
  bool listing_ended_ = false;
  std::uint32_t picked_ = 0;
};

TEST(FactStorm, AFactThatContradictsThoseBeforeItIsRefused) { play_storms<FactStorm>(); }

}  // namespace
}  // namespace windrow::sim
