// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/job_state.h"

#include <gtest/gtest.h>

namespace windrow {
namespace {

JobState with_one_batch() {
  JobState state;
  state.apply(fact::EpochBegan{.epoch = 1, .plan = 1});
  state.apply(fact::Planned{{{1, 3}}, 50});
  state.apply(fact::SegmentOpened{0, 4, "4.1.seg"});
  return state;
}

fact::AttemptEnded attempt(Verdict verdict) {
  fact::AttemptEnded fact;
  fact.record.token = {1, 0, 1};
  fact.record.rows = {0, 20, 10};
  fact.verdict = verdict;
  fact.succeeded = verdict == Verdict::kDone ? 2 : 0;
  return fact;
}

TEST(JobState, TakesBackWhatAnAgentOfAnEarlierEpochHadNotSynced) {
  JobState state = with_one_batch();
  state.apply(attempt(Verdict::kDone));
  EXPECT_EQ(state.counts().items_succeeded, 2U);
  state.apply(fact::EpochBegan{.epoch = 2, .plan = 1});
  state.check_invariants();
  EXPECT_EQ(state.batches()[0].stage, BatchStage::kPending);
  EXPECT_EQ(state.counts().items_succeeded, 0U);
}

TEST(JobState, KeepsWhatWasSyncedWhenItsAgentIsLost) {
  JobState state = with_one_batch();
  state.apply(attempt(Verdict::kDone));
  state.apply(fact::SegmentSynced{0, 30, {}});
  state.apply(fact::AgentLost{4, 0});
  EXPECT_EQ(state.batches()[0].stage, BatchStage::kCommitted);
}

TEST(JobState, RefusesFactsThatCannotFollow) {
  JobState state = with_one_batch();
  EXPECT_FALSE(state.check(fact::EpochBegan{.epoch = 1}));
  EXPECT_FALSE(state.check(fact::SegmentOpened{2, 0, "x"}));
  EXPECT_FALSE(state.check(fact::SegmentSynced{1, 5, {}}));
  EXPECT_FALSE(state.check(fact::AgentLost{4, 1}));
  fact::AttemptEnded unknown = attempt(Verdict::kRetry);
  unknown.record.token.batch = 1;
  EXPECT_FALSE(state.check(unknown));
  fact::AttemptEnded many = attempt(Verdict::kDone);
  many.succeeded = 4;
  EXPECT_FALSE(state.check(many));
  state.apply(fact::AgentLost{4, 0});
  EXPECT_FALSE(state.check(fact::SegmentSynced{0, 5, {}}));
  state.apply(attempt(Verdict::kFailed));
  EXPECT_FALSE(state.check(attempt(Verdict::kDone)));
  state.apply(fact::ListingEnded{});
  EXPECT_FALSE(state.check(fact::Planned{{{1, 1}}, 60}));
}

// C670
TEST(JobState, AMiniBatchHasAsManyItemsAsWereFound) {
  JobState state = with_one_batch();
  ASSERT_TRUE(state.check(fact::Counted{0, 1000}));
  state.apply(fact::Counted{0, 1000});
  EXPECT_EQ(state.counts().items, 1000U);
  fact::AttemptEnded done = attempt(Verdict::kDone);
  done.succeeded = 990;
  ASSERT_TRUE(state.check(done));
  state.apply(done);
  state.check_invariants();
  EXPECT_EQ(state.counts().items_failed, 10U);
  EXPECT_FALSE(state.check(fact::Counted{0, 5})) << "it has ended";
  EXPECT_FALSE(state.check(fact::Counted{1, 5})) << "there is none";
  state.apply(fact::EpochBegan{.epoch = 2, .plan = 1});
  state.apply(fact::Halved{0, {0, 1000}});
  EXPECT_FALSE(state.check(fact::Counted{0, 5})) << "it is in pieces";
  state.check_invariants();
}

TEST(JobState, StartsFailedMiniBatchesAfreshOnlyWhenAsked) {
  JobState state = with_one_batch();
  state.apply(attempt(Verdict::kFailed));
  state.apply(fact::Stopped{JobStatus::kFailed, "x"});
  state.apply(fact::Reopened{.failed_afresh = false});
  EXPECT_FALSE(state.stopped());
  EXPECT_EQ(state.batches()[0].stage, BatchStage::kFailed);
  state.apply(fact::Reopened{.failed_afresh = true});
  state.check_invariants();
  EXPECT_EQ(state.batches()[0].stage, BatchStage::kPending);
  EXPECT_EQ(state.batches()[0].tries, 0U);
  EXPECT_EQ(state.batches()[0].picked, 1U);
}

TEST(JobState, NumbersProcessesOnFromTheHighestOneSeen) {
  JobState state = with_one_batch();
  state.apply(fact::LoadEnded{.process = 6});
  EXPECT_EQ(state.process_next(), 7U);
}

}  // namespace
}  // namespace windrow
