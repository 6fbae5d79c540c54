// SPDX-License-Identifier: Apache-2.0
//
// Mini-batches that are halved down to their bad items.
#include <cmath>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "core/schedule/scheduler_test.h"

namespace windrow {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// What a script with these bad items makes of one mini-batch.
class Bisection {
 public:
  Bisection(std::uint32_t items, std::set<std::uint32_t> bad) : bad_(std::move(bad)) {
    Limits limits;
    limits.tries_max = 1;
    limits.bisect_failed = true;
    scheduler_.emplace(JobState(), limits);
    Decision out;
    scheduler_->begin({.epoch = 1}, now_, {}, out);
    decide(event::Planned{{{1, items}}, 10});
    decide(event::ListingEnded{});
    decide(event::AgentJoined{7, 1, 3, "7.seg"});
    while (!tasks_.empty()) {
      const action::Assign task = tasks_.front();
      tasks_.erase(tasks_.begin());
      attempt(task);
    }
    decide(event::SegmentSynced{7, 1U << 20});
  }

  // Attempts beside the first one.
  [[nodiscard]] std::size_t extra() const { return attempts_ - 1; }
  [[nodiscard]] const JobState& state() const { return scheduler_->state(); }

  [[nodiscard]] std::set<std::uint32_t> failed() const {
    std::set<std::uint32_t> out;
    for (const Piece& piece : state().pieces_of(0)->all()) {
      for (std::uint32_t i = 0; i < piece.items.count; ++i) {
        if (piece.stage == BatchStage::kFailed) out.insert(piece.items.first + i);
      }
    }
    return out;
  }

 private:
  void decide(Event event) {
    now_ += milliseconds(1);
    Decision out;
    scheduler_->decide(std::move(event), now_, {}, out);
    scheduler_->check_invariants();
    for (const Action& action : out.actions) {
      if (const auto* assign = std::get_if<action::Assign>(&action)) tasks_.push_back(*assign);
    }
  }

  void attempt(const action::Assign& task) {
    ++attempts_;
    const auto first_bad = bad_.lower_bound(task.items.first);
    const bool works = first_bad == bad_.end() || *first_bad >= task.items.first + task.items.count;
    AttemptRecord record;
    record.token = task.token;
    record.agent = 7;
    record.status = works ? AttemptStatus::kRunDone : AttemptStatus::kRunException;
    record.error_type = works ? "" : "ValueError";
    record.returned = works ? task.items.count : 0;
    if (works) record.rows = {0, 10 * attempts_, 10};
    decide(event::AttemptEnded{std::move(record)});
  }

  std::set<std::uint32_t> bad_;
  TimePoint now_{seconds(100)};
  std::optional<Scheduler> scheduler_;
  std::vector<action::Assign> tasks_;
  std::size_t attempts_ = 0;
};

std::size_t most_attempts(std::size_t bad, std::uint32_t items) {
  return static_cast<std::size_t>(static_cast<double>(bad) * (2 * std::log2(items) + 1));
}

// C600 C601
TEST(Bisect, FindsEveryBadItemWithinTheBound) {
  for (std::uint32_t items = 2; items <= 70; ++items) {
    for (std::uint32_t bad = 0; bad < items; ++bad) {
      const Bisection job(items, {bad});
      EXPECT_EQ(job.failed(), std::set{bad});
      EXPECT_LE(job.extra(), most_attempts(1, items)) << bad << " of " << items;
      EXPECT_EQ(job.state().counts().items_failed, 1U);
      EXPECT_EQ(job.state().counts().items_succeeded, items - 1);
      EXPECT_EQ(job.state().batches()[0].stage, BatchStage::kCommitted);
    }
  }
}

// C600 C601
TEST(Bisect, FindsAnySetOfBadItemsWithinTheBound) {
  std::mt19937 random(1);
  const auto below = [&random](std::uint32_t end) {
    return static_cast<std::uint32_t>(random() % end);
  };
  for (int i = 0; i < 2000; ++i) {
    const std::uint32_t items = 2 + below(200);
    std::set<std::uint32_t> bad;
    for (std::uint32_t count = 1 + below(12); count > 0; --count) bad.insert(below(items));
    const Bisection job(items, bad);
    EXPECT_EQ(job.failed(), bad);
    EXPECT_LE(job.extra(), most_attempts(bad.size(), items));
  }
}

// C600
TEST(Bisect, AMiniBatchOfBadItemsAloneHasFailed) {
  const Bisection job(4, {0, 1, 2, 3});
  EXPECT_EQ(job.state().batches()[0].stage, BatchStage::kFailed);
  EXPECT_EQ(job.state().counts().failed, 1U);
  EXPECT_EQ(job.state().counts().items_failed, 4U);
}

class BisectTest : public testing::Test, protected SchedulerProbe {
 protected:
  void begin_bisect(std::uint32_t items, std::uint32_t tries = 1) {
    limits_.bisect_failed = true;
    limits_.tries_max = tries;
    begin(limits_);
    at(Duration(0), event::Planned{{{1, items}}, 10});
    at(Duration(0), event::ListingEnded{});
  }
  Event raised(std::uint32_t picked) {
    return ended(7, 0, picked, AttemptStatus::kRunException, 0);
  }
  Event works(AgentId agent, std::uint32_t picked, std::uint32_t items) {
    return ended(agent, 0, picked, AttemptStatus::kRunDone, items);
  }

  Limits limits_;
};

// C600
TEST_F(BisectTest, HalvesAreTriedOnlyWhenNoTryOfTheWholeIsLeft) {
  begin_bisect(4, 2);
  EXPECT_EQ(join(7, 1, 1), "0#1>a7 ");
  EXPECT_EQ(at(seconds(1), raised(1)), "0#2>a7 ");
  EXPECT_EQ(at(seconds(2), raised(2)), "0#3[0+2]>a7 ");
  EXPECT_EQ(batch(0).tries, 2U);
  EXPECT_EQ(at(seconds(3), works(7, 3, 2)), "0#4[2+1]>a7 ");  // what is bad must be in [2+2]
  EXPECT_EQ(at(seconds(4), works(7, 4, 1)), "0#5[3+1]>a7 ");
}

// C603
TEST_F(BisectTest, WithoutItAMiniBatchFailsAsAWhole) {
  begin({.tries_max = 1});
  plan(1);
  join(7, 1, 1);
  at(seconds(1), raised(1));
  EXPECT_EQ(batch(0).stage, BatchStage::kFailed);
  EXPECT_TRUE(scheduler_->state().pieces().empty());
}

// C603
TEST_F(BisectTest, WhatCannotBeLoadedIsNotHalvedWhereItIsLoadedAsAWhole) {
  limits_.loads_whole = true;
  begin_bisect(4);
  join(7, 1, 1);
  at(seconds(1), ended(7, 0, 1, AttemptStatus::kDataException, 0));
  EXPECT_EQ(batch(0).stage, BatchStage::kFailed);
  EXPECT_EQ(scheduler_->state().counts().items_failed, 4U);
}

// C602
TEST_F(BisectTest, ThresholdsCountSingleItems) {
  limits_.error_threshold = 1;
  begin_bisect(4);
  join(7, 1, 1);
  at(seconds(1), raised(1));
  at(seconds(2), raised(2));  // [0+2]
  EXPECT_EQ(scheduler_->state().counts().items_failed, 0U);
  EXPECT_EQ(at(seconds(3), raised(3)), "0#4[1+1]>a7 ");
  EXPECT_EQ(scheduler_->state().counts().items_failed, 1U);
  EXPECT_EQ(at(seconds(4), raised(4)), "stop a7 2 ");
  EXPECT_NE(scheduler_->state().stopped()->cause.find("2 failed items"), std::string::npos);
}

// C604
TEST_F(BisectTest, APieceWhoseRowsWereLostIsTriedAgainAndTheOthersStay) {
  begin_bisect(4);
  join(7, 1, 1);
  join(8, 1, 1);
  at(seconds(1), raised(1));
  EXPECT_EQ(at(seconds(2), works(7, 2, 2)), "0#3[2+1]>a7 ");
  EXPECT_EQ(at(seconds(3), event::SegmentSynced{7, 110}), "");
  EXPECT_EQ(at(seconds(4), works(7, 3, 1)), "0#4[3+1]>a7 ");
  EXPECT_EQ(at(seconds(5), event::AgentLost{7}), "0#5[3+1]>a8 ");
  const std::vector<Piece>& pieces = scheduler_->state().pieces_of(0)->all();
  EXPECT_EQ(pieces[0].stage, BatchStage::kCommitted);
  EXPECT_EQ(pieces[2].stage, BatchStage::kPending);
}

// C604
TEST_F(BisectTest, AnotherMasterGoesOnWithThePieces) {
  begin_bisect(4);
  join(7, 1, 1);
  at(seconds(1), raised(1));
  at(seconds(2), works(7, 2, 2));
  at(seconds(3), event::SegmentSynced{7, 110});
  JobState replayed;
  for (const Fact& fact : facts_) {
    ASSERT_TRUE(replayed.check(fact));
    replayed.apply(fact);
  }
  EXPECT_EQ(replayed.pieces(), scheduler_->state().pieces());
  begin(limits_, replayed);
  EXPECT_EQ(join(9, 1, 1, seconds(9)), "0#3[2+1]>a9 ");
}

// C605
TEST_F(BisectTest, AFailedPieceStartsAfreshWhenAJobIsReopenedSo) {
  begin_bisect(2);
  join(7, 1, 1);
  at(seconds(1), raised(1));
  at(seconds(2), raised(2));
  at(seconds(3), works(7, 3, 1));
  EXPECT_EQ(at(seconds(4), event::SegmentSynced{7, 110}), "stop a7 0 merge ");
  EXPECT_EQ(batch(0).stage, BatchStage::kCommitted);
  EXPECT_EQ(scheduler_->state().counts().shorts, 1U);
  reopen_ = fact::Reopened{.failed_afresh = true};
  begin(limits_, scheduler_->state());
  EXPECT_EQ(scheduler_->state().counts().items_failed, 0U);
  EXPECT_EQ(scheduler_->state().counts().items_succeeded, 1U);
  EXPECT_EQ(join(8, 1, 1, seconds(9)), "0#4[0+1]>a8 ");
  scheduler_->check_invariants();
}

// C604
TEST_F(BisectTest, AFactAboutAPieceThatIsNotThereIsRefused) {
  begin_bisect(4);
  join(7, 1, 1);
  at(seconds(1), raised(1));
  JobState state = scheduler_->state();
  EXPECT_FALSE(state.check(fact::Halved{0, {0, 4}}));
  EXPECT_FALSE(state.check(fact::Halved{0, {0, 1}}));
  EXPECT_FALSE(state.check(fact::Halved{1, {0, 2}}));
  EXPECT_TRUE(state.check(fact::Halved{0, {2, 2}}));
  fact::AttemptEnded whole{.verdict = Verdict::kFailed};
  EXPECT_FALSE(state.check(whole));
  whole.record.piece = {0, 2};
  EXPECT_TRUE(state.check(whole));
}

}  // namespace
}  // namespace windrow
