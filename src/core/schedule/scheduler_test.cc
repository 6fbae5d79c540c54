// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/scheduler_test.h"

#include <gtest/gtest.h>

namespace windrow {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class SchedulerTest : public testing::Test, protected SchedulerProbe {};

TEST_F(SchedulerTest, JobGoesFromWorkToMergeToPublishToItsEnd) {
  begin();
  plan(2);
  EXPECT_EQ(join(7, 1, 2), "0#1>a7 1#1>a7 ");
  EXPECT_EQ(at(seconds(1), done(7, 0, 1)), "");
  EXPECT_EQ(at(seconds(1), done(7, 1, 1)), "");
  EXPECT_EQ(at(seconds(2), event::SegmentSynced{7, 200}), "stop a7 0 merge ");
  EXPECT_EQ(at(seconds(3), event::Merged{{{"/out", 5, 1}}}), "publish ");
  EXPECT_EQ(at(seconds(3), event::Published{}), "");
  EXPECT_EQ(at(seconds(4), event::AgentStopped{7}), "finish 1 ");
  EXPECT_EQ(at(seconds(5), event::CancelAsked{true}), "");
}

TEST_F(SchedulerTest, RowsThatAreNotSyncedDoNotCount) {
  begin();
  plan(1);
  join(7, 1, 1);
  at(seconds(1), done(7, 0, 1));
  EXPECT_EQ(batch(0).stage, BatchStage::kEnded);
  EXPECT_EQ(at(seconds(1), event::SegmentSynced{7, 109}), "");
  EXPECT_EQ(batch(0).stage, BatchStage::kEnded);
  EXPECT_EQ(at(seconds(1), event::SegmentSynced{7, 110}), "stop a7 0 merge ");
}

TEST_F(SchedulerTest, LostAgentGivesBackWhatItHeldAndWhatItHadNotSynced) {
  begin();
  plan(3);
  EXPECT_EQ(join(7, 1, 3), "0#1>a7 1#1>a7 2#1>a7 ");
  at(seconds(1), done(7, 0, 1));
  EXPECT_EQ(at(seconds(1), event::AgentLost{7}), "");
  EXPECT_EQ(join(8, 3, 3, seconds(2)), "0#2>a8 1#2>a8 2#2>a8 ");
  EXPECT_EQ(batch(0).tries, 0U);
}

TEST_F(SchedulerTest, SilentAgentIsLostAfterTenSeconds) {
  begin();
  plan(1);
  join(7, 1, 1);
  at(seconds(5), event::AgentHeard{7});
  at(seconds(15), event::TimePassed{});
  EXPECT_TRUE(scheduler_->has_agent(7));
  EXPECT_EQ(scheduler_->deadline(), TimePoint(seconds(115)) + milliseconds(1));
  at(seconds(15) + milliseconds(1), event::TimePassed{});
  EXPECT_FALSE(scheduler_->has_agent(7));
  EXPECT_EQ(join(8, 1, 1, seconds(20)), "0#2>a8 ");
}

TEST_F(SchedulerTest, ReportOfAnOlderHandOutIsStale) {
  begin();
  plan(1);
  join(7, 1, 1);
  at(seconds(1), event::AgentLost{7});
  EXPECT_EQ(join(7, 1, 1, seconds(2)), "0#2>a7 ");
  EXPECT_EQ(at(seconds(3), done(7, 0, 1)), "");
  EXPECT_EQ(batch(0).stage, BatchStage::kPending);
  EXPECT_EQ(at(seconds(3), done(9, 0, 2)), "") << "nobody we know";
  EXPECT_EQ(at(seconds(3), done(7, 5, 1)), "") << "nothing we know";
  EXPECT_EQ(batch(0).stage, BatchStage::kPending);
}

TEST_F(SchedulerTest, ChargedMiniBatchFailsAfterItsLastTry) {
  begin({.tries_max = 2});
  plan(2);
  join(7, 1, 1);
  EXPECT_EQ(at(seconds(1), ended(7, 0, 1, AttemptStatus::kProcessDied)), "0#2>a7 ");
  EXPECT_EQ(at(seconds(1), ended(7, 0, 2, AttemptStatus::kRunException)), "1#1>a7 ");
  EXPECT_EQ(batch(0).stage, BatchStage::kFailed);
  EXPECT_EQ(scheduler_->state().counts().items_failed, 2U);
}

TEST_F(SchedulerTest, HandedBackMiniBatchIsNotCharged) {
  begin({.tries_max = 1});
  plan(1);
  join(7, 1, 1);
  EXPECT_EQ(at(seconds(1), ended(7, 0, 1, AttemptStatus::kReturned)), "0#2>a7 ");
  EXPECT_EQ(batch(0).tries, 0U);
}

TEST_F(SchedulerTest, ItemsMissingFromAShortReturnCountAsFailed) {
  begin({.error_threshold = 0});
  plan(2);
  join(7, 1, 1);
  EXPECT_EQ(at(seconds(1), ended(7, 0, 1, AttemptStatus::kRunDone, 1)), "stop a7 2 ");
  EXPECT_EQ(at(seconds(2), event::AgentStopped{7}), "finish 2 ");
  EXPECT_EQ(cause_, "1 failed item is more than error_threshold 0 allows");
}

TEST_F(SchedulerTest, ThresholdItselfIsStillAllowed) {
  begin({.tries_max = 1, .error_threshold = 2, .mini_batch_error_threshold = 1});
  plan(3);
  join(7, 1, 1);
  EXPECT_EQ(at(seconds(1), ended(7, 0, 1, AttemptStatus::kRunException)), "1#1>a7 ");
  EXPECT_EQ(at(seconds(1), ended(7, 1, 1, AttemptStatus::kRunException)), "stop a7 2 ");
}

TEST_F(SchedulerTest, TooManyFailedMiniBatchesStopTheJob) {
  begin({.tries_max = 1, .mini_batch_error_threshold = 0});
  plan(2);
  join(7, 1, 1);
  at(seconds(1), ended(7, 0, 1, AttemptStatus::kRunTimeout));
  EXPECT_EQ(at(seconds(2), event::AgentStopped{7}), "finish 2 ");
  EXPECT_NE(cause_.find("mini_batch_error_threshold 0"), std::string::npos);
}

TEST_F(SchedulerTest, FailedStartsEndTheJobOnlyAfterTwoMinutes) {
  begin();
  plan(1);
  join(7, 1, 1);
  const auto failed = [](ProcessNumber process) {
    return event::LoadEnded{{.agent = 7,
                             .process = process,
                             .status = LoadStatus::kException,
                             .error_message = "no model"}};
  };
  EXPECT_EQ(at(seconds(60), failed(0)), "");
  EXPECT_EQ(at(minutes(2), failed(1)), "");
  EXPECT_EQ(at(minutes(2) + seconds(1), failed(2)), "stop a7 2 ");
  EXPECT_EQ(at(minutes(3), event::AgentStopped{7}), "finish 2 ");
  EXPECT_EQ(cause_, "init() failed 3 times in a row: no model");
}

TEST_F(SchedulerTest, OneStartThatWorksForgivesTheFailuresBefore) {
  begin();
  plan(1);
  join(7, 1, 1);
  const auto load = [](LoadStatus status) {
    return event::LoadEnded{{.agent = 7, .status = status}};
  };
  at(minutes(1), load(LoadStatus::kException));
  at(minutes(2), load(LoadStatus::kDone));
  EXPECT_EQ(at(minutes(3), load(LoadStatus::kDied)), "");
  EXPECT_EQ(at(minutes(3), load(LoadStatus::kTimeout)), "stop a7 2 ");
}

TEST_F(SchedulerTest, ScriptThatCanNeverWorkEndsTheJobAtOnce) {
  begin();
  plan(1);
  join(7, 1, 1);
  EXPECT_EQ(at(seconds(1), event::LoadEnded{{.agent = 7, .status = LoadStatus::kRefused}}),
            "stop a7 2 ");
}

TEST_F(SchedulerTest, JobFailsWhenTheLastAgentHasGivenUp) {
  begin();
  plan(4);
  join(7, 1, 1);
  join(8, 1, 1);
  EXPECT_EQ(at(seconds(1), event::AgentGaveUp{7, "first"}), "");
  EXPECT_EQ(at(seconds(1), ended(7, 0, 1, AttemptStatus::kReturned)), "");
  EXPECT_EQ(scheduler_->running_workers(), 1U);
  EXPECT_EQ(at(seconds(2), event::AgentGaveUp{8, "second"}), "stop a7 2 stop a8 2 ");
  at(seconds(3), event::AgentStopped{7});
  EXPECT_EQ(at(seconds(3), event::AgentStopped{8}), "finish 2 ");
  EXPECT_EQ(cause_, "first");
}

TEST_F(SchedulerTest, JobFailsWhenOnlyAgentsThatGaveUpAreLeft) {
  begin();
  plan(4);
  join(7, 1, 1);
  join(8, 1, 1);
  at(seconds(1), event::AgentGaveUp{7, "first"});
  at(seconds(1), ended(7, 0, 1, AttemptStatus::kReturned));
  at(seconds(9), event::AgentHeard{7});
  EXPECT_EQ(at(seconds(11), event::TimePassed{}), "stop a7 2 ");  // 8 is lost
  EXPECT_EQ(at(seconds(12), event::AgentStopped{7}), "finish 2 ");
  EXPECT_EQ(cause_, "first");
}

TEST_F(SchedulerTest, NoProgressEndsTheJobAndNamesTheStage) {
  begin();
  plan(1);
  join(7, 1, 1);
  at(Duration(0), event::LoadEnded{{.agent = 7}});
  at(seconds(270), event::AgentHeard{7});
  EXPECT_EQ(at(seconds(270), event::TimePassed{}), "");
  EXPECT_EQ(at(seconds(271), event::TimePassed{}), "stop a7 2 ");
  EXPECT_EQ(at(seconds(272), event::AgentStopped{7}), "finish 2 ");
  EXPECT_EQ(cause_, "no progress in stage run for 271 s; progress_update_timeout is 270 s");
}

TEST_F(SchedulerTest, HandOutsThatComeBackAreNoProgress) {
  begin();
  plan(1);
  join(7, 1, 1);
  for (std::uint32_t picked = 1; picked < 28; ++picked) {
    at(seconds(10 * picked), ended(7, 0, picked, AttemptStatus::kReturned));
  }
  EXPECT_EQ(at(seconds(279), event::TimePassed{}), "stop a7 2 ");
}

TEST_F(SchedulerTest, CancelDrainsAndASecondOneKills) {
  begin();
  plan(2);
  join(7, 1, 1);
  EXPECT_EQ(at(seconds(1), event::CancelAsked{false}), "stop a7 1 ");
  EXPECT_EQ(at(seconds(2), event::CancelAsked{true}), "stop a7 2 ");
  EXPECT_EQ(at(seconds(2), ended(7, 0, 1, AttemptStatus::kReturned)), "");
  EXPECT_EQ(at(seconds(3), event::AgentStopped{7}), "finish 3 ");
}

// C77
TEST_F(SchedulerTest, CancelWhileMergingEndsTheJobAndReopenedItMergesAgain) {
  begin();
  plan(1);
  join(7, 1, 1);
  at(seconds(1), done(7, 0, 1));
  EXPECT_EQ(at(seconds(1), event::SegmentSynced{7, 200}), "stop a7 0 merge ");
  EXPECT_EQ(at(seconds(2), event::CancelAsked{false}), "stop a7 1 ");
  EXPECT_EQ(at(seconds(2), event::Merged{{{"/out", 5, 1}}}), "");
  EXPECT_EQ(at(seconds(3), event::AgentStopped{7}), "finish 3 ");
  reopen_ = fact::Reopened{.failed_afresh = false};
  const JobState state = scheduler_->state();
  scheduler_.emplace(state, Limits{});
  Decision out;
  scheduler_->begin({.epoch = 2}, now_, reopen_, out);
  EXPECT_EQ(note(out), "merge ");
}

// C77
TEST_F(SchedulerTest, CancelWhilePublishingOnlyHurriesTheAgents) {
  begin();
  plan(1);
  join(7, 1, 1);
  at(seconds(1), done(7, 0, 1));
  at(seconds(1), event::SegmentSynced{7, 200});
  EXPECT_EQ(at(seconds(2), event::Merged{{{"/out", 5, 1}}}), "publish ");
  EXPECT_EQ(at(seconds(2), event::CancelAsked{false}), "");
  EXPECT_EQ(at(seconds(2), event::CancelAsked{true}), "stop a7 2 ");
  at(seconds(3), event::Published{});
  EXPECT_EQ(at(seconds(4), event::AgentStopped{7}), "finish 1 ");
}

TEST_F(SchedulerTest, JobTimeOutlivesACrashEvenWithoutRows) {
  begin({.append_row = false});
  plan(2);
  join(7, 1, 1);
  at(seconds(9), event::TimePassed{});
  EXPECT_EQ(scheduler_->state().job_time(), Duration(0));
  at(seconds(10), event::AgentHeard{7});
  at(seconds(10), event::TimePassed{});
  EXPECT_EQ(scheduler_->state().job_time(), seconds(10));
  at(seconds(12), event::AgentLost{7});
  EXPECT_EQ(scheduler_->state().job_time(), seconds(12));
  const JobState state = scheduler_->state();  // what a journal of these facts gives
  begin({.append_row = false}, state);
  EXPECT_EQ(scheduler_->job_time(now_ + seconds(5)), seconds(17));
}

TEST_F(SchedulerTest, CancelledJobGoesOnWhereItStoodWhenReopened) {
  begin({.tries_max = 1});
  plan(2);
  join(7, 1, 1);
  at(seconds(1), ended(7, 0, 1, AttemptStatus::kRunException));
  at(seconds(1), event::CancelAsked{true});
  at(seconds(2), event::AgentStopped{7});
  JobState state = scheduler_->state();
  reopen_ = fact::Reopened{.failed_afresh = false};
  begin({.tries_max = 1}, state);
  EXPECT_EQ(join(8, 2, 2, seconds(3)), "1#1>a8 ");
  reopen_ = fact::Reopened{.failed_afresh = true};
  begin({.tries_max = 1}, state);
  EXPECT_EQ(join(8, 2, 2, seconds(3)), "0#2>a8 1#1>a8 ");
}

TEST_F(SchedulerTest, EveryWorkerGetsOneBeforeAnyAgentGetsAReserve) {
  begin();
  join(7, 1, 3);
  join(8, 1, 3);
  EXPECT_EQ(at(seconds(1), event::Planned{{{4, 1}}, 5}), "0#1>a7 1#1>a8 2#1>a7 3#1>a7 ");
}

TEST_F(SchedulerTest, ReserveOfOneAgentGoesToTheIdleWorkerOfAnother) {
  begin();
  plan(4);
  EXPECT_EQ(join(7, 1, 3), "0#1>a7 1#1>a7 2#1>a7 ");
  EXPECT_EQ(join(8, 1, 1), "3#1>a8 ");
  EXPECT_EQ(at(seconds(1), done(8, 3, 1)), "back 1 from a7 ");
  EXPECT_EQ(at(seconds(1), ended(7, 2, 1, AttemptStatus::kReturned)), "2#2>a8 ");
  EXPECT_EQ(at(seconds(1), event::TakenBack{7}), "");
}

TEST_F(SchedulerTest, AgentThatJoinsAtTheEndIsToldToStop) {
  begin();
  plan(1);
  join(7, 1, 1);
  at(seconds(1), done(7, 0, 1));
  at(seconds(1), event::SegmentSynced{7, 200});
  EXPECT_FALSE(scheduler_->wants_agents());
  EXPECT_EQ(join(8, 1, 1, seconds(2)), "stop a8 2 ");
  EXPECT_FALSE(scheduler_->has_agent(8));
}

TEST_F(SchedulerTest, AgentWithABrokenDiskEndsTheRunButNotTheJob) {
  begin();
  plan(2);
  join(7, 1, 2);
  EXPECT_EQ(at(seconds(1), event::AgentBroken{9, "a stranger"}), "");
  EXPECT_EQ(at(seconds(1), event::AgentBroken{7, "no space"}), "give up: no space ");
  EXPECT_FALSE(scheduler_->state().stopped());
}

TEST_F(SchedulerTest, ChangedInputEndsTheJob) {
  begin();
  plan(2);
  join(7, 1, 2);
  EXPECT_EQ(at(seconds(1), event::Broken{"a file is missing"}), "stop a7 2 ");
  EXPECT_EQ(at(seconds(1), event::Broken{"an echo"}), "");
  EXPECT_EQ(at(seconds(2), event::AgentBroken{7, "no space"}), "finish 2 ");
  EXPECT_EQ(cause_, "a file is missing");
}

TEST_F(SchedulerTest, AgentWithABrokenDiskIsOnlyLostOnceEverythingIsCommitted) {
  begin();
  plan(1);
  join(7, 1, 1);
  at(seconds(1), done(7, 0, 1));
  at(seconds(1), event::SegmentSynced{7, 200});
  EXPECT_EQ(at(seconds(2), event::AgentBroken{7, "no space"}), "");
  at(seconds(3), event::Merged{{{"/out", 5, 1}}});
  EXPECT_EQ(at(seconds(3), event::Published{}), "finish 1 ");
}

TEST_F(SchedulerTest, EmptyInputIsListedAgainWhenTheJobIsReopened) {
  begin();
  at(seconds(1), event::ListingEnded{});
  JobState state = scheduler_->state();
  reopen_.emplace();
  begin({}, state);
  EXPECT_FALSE(scheduler_->state().listing_ended());
}

TEST_F(SchedulerTest, JobWithoutOneGoodItemFails) {
  begin({.tries_max = 1});
  plan(1);
  join(7, 1, 1);
  EXPECT_EQ(at(seconds(1), ended(7, 0, 1, AttemptStatus::kRunException)), "stop a7 0 ");
  EXPECT_EQ(at(seconds(1), event::AgentStopped{7}), "finish 2 ");
  EXPECT_EQ(cause_, "no result: not one item succeeded");
}

TEST_F(SchedulerTest, SummaryOnlyJobEndsWithoutAMerge) {
  begin({.append_row = false});
  plan(1);
  join(7, 1, 1);
  AttemptRecord record;
  record.token = {1, 0, 1};
  record.agent = 7;
  EXPECT_EQ(at(seconds(1), event::AttemptEnded{record}), "stop a7 0 ");
  EXPECT_EQ(at(seconds(1), event::AgentStopped{7}), "finish 1 ");
}

TEST_F(SchedulerTest, ReplayOfTheFactsGivesTheSameState) {
  begin({.tries_max = 2});
  plan(3);
  join(7, 2, 3);
  at(seconds(1), done(7, 0, 1));
  at(seconds(1), ended(7, 1, 1, AttemptStatus::kProcessDied));
  at(seconds(2), event::SegmentSynced{7, 110});
  JobState replayed;
  for (const Fact& fact : facts_) {
    ASSERT_TRUE(replayed.check(fact));
    replayed.apply(fact);
  }
  replayed.check_invariants();
  EXPECT_EQ(replayed.batches()[0].stage, BatchStage::kCommitted);
  EXPECT_EQ(replayed.batches()[1].tries, 1U);
  EXPECT_EQ(replayed.job_time(), seconds(2));
}

}  // namespace
}  // namespace windrow
