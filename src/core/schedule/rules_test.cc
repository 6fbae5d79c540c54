// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/schedule/scheduler_test.h"

namespace windrow {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class RulesTest : public testing::Test, protected SchedulerProbe {
 protected:
  Event raised(AgentId agent,
               BatchId batch,
               std::uint32_t picked,
               const std::string& type,
               std::vector<std::string> bases = {}) {
    Event event = ended(agent, batch, picked, AttemptStatus::kRunException);
    AttemptRecord& record = std::get<event::AttemptEnded>(event).record;
    record.error_type = type;
    record.error_message = "no " + type + "\nsecond line";
    record.error_bases = std::move(bases);
    return event;
  }

  static Event load(AgentId agent, LoadStatus status) {
    return event::LoadEnded{{.agent = agent, .status = status, .error_message = "no model"}};
  }

  // One agent with one worker that has got through init().
  void ready(std::uint32_t batches, Limits limits) {
    now_ = TimePoint(seconds(100));
    begin(std::move(limits));
    plan(batches);
    join(7, 1, 1);
    at(Duration(0), load(7, LoadStatus::kDone));
  }

  void stop_agent(Duration time) { at(time, event::AgentStopped{7}); }
};

// C230
TEST_F(RulesTest, NoProgressLimitIsWhatWasSaidButNeverLessThanOneAttemptAndTenSeconds) {
  Limits limits{.run_timeout = seconds(60), .overhead_timeout = seconds(30)};
  EXPECT_EQ(limits.progress_timeout(), seconds(270));
  limits.progress_limit = seconds(500);
  EXPECT_EQ(limits.progress_timeout(), seconds(500));
  limits.progress_limit = milliseconds(7100);
  EXPECT_EQ(limits.progress_timeout(), seconds(100));
}

// C230
TEST_F(RulesTest, JobWithoutANodeFailsForLackOfProgress) {
  begin();
  plan(1);
  EXPECT_EQ(at(seconds(270), event::TimePassed{}), "");
  EXPECT_EQ(at(seconds(271), event::TimePassed{}), "finish 2 ");
  EXPECT_NE(cause_.find("stage waiting for nodes"), std::string::npos);
}

// C230
TEST_F(RulesTest, PageOfTheListingAndAFailedStartAreProgress) {
  begin();
  plan(1);
  at(seconds(200), event::ListingProgressed{});
  EXPECT_EQ(at(seconds(400), event::TimePassed{}), "");
  join(7, 1, 1, seconds(450));
  at(seconds(600), load(7, LoadStatus::kException));
  at(seconds(800), event::AgentHeard{7});
  EXPECT_EQ(at(seconds(800), event::TimePassed{}), "");
}

// C231
TEST_F(RulesTest, ListingThatFindsNothingAndDoesNotMoveIsGivenUpAfterItsOwnLimit) {
  begin();
  EXPECT_EQ(scheduler_->deadline(), TimePoint(seconds(700)) + milliseconds(1));
  at(seconds(500), event::ListingProgressed{});
  EXPECT_EQ(at(seconds(1100), event::TimePassed{}), "");
  EXPECT_EQ(at(seconds(1101), event::TimePassed{}), "finish 2 ");
  EXPECT_NE(cause_.find("stage listing"), std::string::npos);
  EXPECT_NE(cause_.find("first_task_creation_timeout is 600 s"), std::string::npos);
}

// C232: vector 25
TEST_F(RulesTest, WorkersThatAreAllStuckInInitFailTheJobAndTheJobRuleIsReported) {
  begin({.run_timeout = seconds(10)});
  plan(1);
  join(7, 2, 2);
  at(seconds(60), event::AgentHeard{7});
  EXPECT_EQ(at(seconds(60), event::TimePassed{}), "");
  // The supervisor's own limit for one worker is over at the same time.
  EXPECT_EQ(at(seconds(60) + milliseconds(1), load(7, LoadStatus::kTimeout)), "stop a7 2 ");
  stop_agent(seconds(61));
  EXPECT_TRUE(cause_.starts_with("no progress in stage init")) << cause_;
  EXPECT_NE(cause_.find("60 s"), std::string::npos);
}

// C232
TEST_F(RulesTest, WithAnInitTimeoutTheJobRuleWaitsForTheLargerOfBoth) {
  Limits limits{.run_timeout = seconds(10), .init_limit = seconds(100)};
  EXPECT_EQ(limits.stuck_timeout(), seconds(100));
  limits.init_limit = seconds(5);
  EXPECT_EQ(limits.stuck_timeout(), seconds(60));
}

// C232
TEST_F(RulesTest, OneWorkerThroughInitOrOneThatFailsInItIsNotStuck) {
  begin({.run_timeout = seconds(10), .heartbeat_timeout = seconds(500)});
  plan(2);
  join(7, 1, 1);
  join(8, 1, 1);
  at(seconds(50), load(7, LoadStatus::kException));
  EXPECT_EQ(at(seconds(61), event::TimePassed{}), "");
  at(seconds(62), load(8, LoadStatus::kDone));
  EXPECT_EQ(at(seconds(111), event::TimePassed{}), "");
}

// C233: vector 23
TEST_F(RulesTest, InitThatFailsSlowlyEverywhereEndsTheJobWhenItIsTwoMinutesOld) {
  begin({.heartbeat_timeout = seconds(500)});
  plan(10);
  join(7, 4, 4);
  join(8, 4, 4);
  for (const Duration round : {seconds(50), seconds(100)}) {
    for (const AgentId agent : {7U, 8U}) {
      for (int worker = 0; worker < 4; ++worker) {
        EXPECT_EQ(at(round, load(agent, LoadStatus::kException)), "");
      }
    }
  }
  EXPECT_EQ(at(minutes(2), event::TimePassed{}), "");
  EXPECT_EQ(at(seconds(121), event::TimePassed{}), "stop a7 2 stop a8 2 ");
  at(seconds(122), event::AgentStopped{7});
  at(seconds(122), event::AgentStopped{8});
  EXPECT_EQ(cause_, "init() failed 16 times in a row: no model");
}

// C234: vector 31
TEST_F(RulesTest, PercentOfFailedMiniBatchesCountsOnlyOnceAllArePlanned) {
  begin({.tries_max = 1, .failed_percent = 10});
  at(Duration(0), event::Planned{{{2, 2}}, 10});
  join(7, 1, 1);
  EXPECT_EQ(at(seconds(1), ended(7, 0, 1, AttemptStatus::kRunException)), "1#1>a7 ");
  at(seconds(2), event::Planned{{{8, 2}}, 20});
  EXPECT_EQ(at(seconds(3), event::ListingEnded{}), "");  // one of ten is not more than 10 %
  EXPECT_EQ(at(seconds(4), ended(7, 1, 1, AttemptStatus::kRunException)), "stop a7 2 ");
  stop_agent(seconds(5));
  EXPECT_EQ(cause_, "2 failed mini-batches of 10 are more than allowed_failed_percent 10 allows");
}

// C234
TEST_F(RulesTest, PercentIsJudgedWhenTheLastMiniBatchIsPlanned) {
  begin({.tries_max = 1, .failed_percent = 50});
  at(Duration(0), event::Planned{{{1, 2}}, 10});
  join(7, 1, 1);
  at(seconds(1), ended(7, 0, 1, AttemptStatus::kRunException));
  EXPECT_EQ(at(seconds(3), event::ListingEnded{}), "stop a7 2 ");
}

// C235: vector 17, and what error_threshold changes about it
TEST_F(RulesTest, ShortReturnIsAFailedMiniBatchOnlyWhereFailedItemsAreCounted) {
  ready(3, {.mini_batch_error_threshold = 0, .append_row = false});
  EXPECT_EQ(at(seconds(1), ended(7, 0, 1, AttemptStatus::kRunDone, 0)), "1#1>a7 ");
  EXPECT_EQ(batch(0).stage, BatchStage::kEnded);
  ready(3, {.error_threshold = 100, .mini_batch_error_threshold = 0});
  EXPECT_EQ(at(seconds(1), ended(7, 0, 1, AttemptStatus::kRunDone, 1)), "stop a7 2 ");
  EXPECT_EQ(scheduler_->state().counts().failed, 0U);
}

// C236
TEST_F(RulesTest, MoreResultsThanItemsFailTheAttemptWhenResultsAreStrict) {
  ready(2, {.tries_max = 2, .strict_results = true});
  EXPECT_EQ(at(seconds(1), ended(7, 0, 1, AttemptStatus::kRunDone, 3)), "0#2>a7 ");
  const auto& last = std::get<fact::AttemptEnded>(facts_.back());
  EXPECT_EQ(last.record.status, AttemptStatus::kRunWrongType);
  EXPECT_EQ(last.record.error_message,
            "run() returned 3 results for 2 items, which strict_results does not allow");
  EXPECT_EQ(last.record.rows.length, 0U);
  EXPECT_EQ(at(seconds(2), ended(7, 0, 2, AttemptStatus::kRunDone, 3)), "1#1>a7 ");
  EXPECT_EQ(batch(0).stage, BatchStage::kFailed);
}

// C236
TEST_F(RulesTest, ShortReturnIsTriedAgainWhenAskedForAndItsLastTryCounts) {
  ready(1, {.tries_max = 2, .retry_short_returns = true});
  EXPECT_EQ(at(seconds(1), ended(7, 0, 1, AttemptStatus::kRunDone, 1)), "0#2>a7 ");
  EXPECT_EQ(batch(0).tries, 1U);
  EXPECT_EQ(at(seconds(2), ended(7, 0, 2, AttemptStatus::kRunDone, 1)), "");
  EXPECT_EQ(batch(0).stage, BatchStage::kEnded);
  EXPECT_EQ(batch(0).succeeded, 1U);
}

// C237
TEST_F(RulesTest, FailedMiniBatchWaitsOutTheDelayBeforeItsNextTry) {
  ready(1, {.retry_delay = seconds(5)});
  EXPECT_EQ(at(seconds(1), ended(7, 0, 1, AttemptStatus::kRunException)), "");
  EXPECT_EQ(scheduler_->deadline(), TimePoint(seconds(106)));
  EXPECT_EQ(at(seconds(5), event::TimePassed{}), "");
  EXPECT_EQ(at(seconds(6), event::TimePassed{}), "0#2>a7 ");
  EXPECT_EQ(at(seconds(7), ended(7, 0, 2, AttemptStatus::kReturned)), "0#3>a7 ");  // no failure
}

// C237
TEST_F(RulesTest, WaitingForADelayIsNoLackOfProgress) {
  ready(1, {.heartbeat_timeout = seconds(9000), .retry_delay = seconds(1000)});
  at(seconds(1), ended(7, 0, 1, AttemptStatus::kRunException));
  EXPECT_EQ(at(seconds(900), event::TimePassed{}), "");
  EXPECT_EQ(at(seconds(1001), event::TimePassed{}), "0#2>a7 ");
}

// C238
TEST_F(RulesTest, OnlyListedErrorsAreTriedAgainByBareOrQualifiedName) {
  ready(3, {.retry_on = {"ConnectionError", "lib.Busy"}});
  EXPECT_EQ(at(seconds(1), raised(7, 0, 1, "ValueError", {"builtins.ValueError"})), "1#1>a7 ");
  EXPECT_EQ(batch(0).stage, BatchStage::kFailed);
  EXPECT_EQ(
      at(seconds(1),
         raised(
             7, 1, 1, "BrokenPipeError", {"builtins.BrokenPipeError", "builtins.ConnectionError"})),
      "1#2>a7 ");
  EXPECT_EQ(at(seconds(1), raised(7, 1, 2, "Busy", {"lib.Busy"})), "1#3>a7 ");
  EXPECT_EQ(at(seconds(1), raised(7, 1, 3, "Busy", {"other.Busy"})), "2#1>a7 ");
}

// C238
TEST_F(RulesTest, ErrorThatFailsFastIsNeverTriedAgain) {
  ready(2, {.fail_fast_on = {"ProcessDied", "score.Hopeless"}});
  EXPECT_EQ(at(seconds(1), raised(7, 0, 1, "ProcessDied")), "1#1>a7 ");
  EXPECT_EQ(at(seconds(1), raised(7, 1, 1, "Worse", {"score.Worse", "score.Hopeless"})),
            "stop a7 0 ");
}

// C239
TEST_F(RulesTest, ErrorBehindMostAttemptsIsNamedAsTheRootCause) {
  ready(4, {.tries_max = 1, .mini_batch_error_threshold = 1});
  at(seconds(1), done(7, 0, 1));
  at(seconds(1), raised(7, 1, 1, "KeyError"));
  at(seconds(1), raised(7, 2, 1, "KeyError"));
  stop_agent(seconds(2));
  EXPECT_EQ(cause_,
            "2 failed mini-batches are more than mini_batch_error_threshold 1 allows; root cause: "
            "2 of 3 attempts ended with KeyError: no KeyError");
}

// C971
TEST_F(RulesTest, LimitIsNamedAsTheUserWroteIt) {
  ready(2,
        {.tries_max = 1,
         .mini_batch_error_threshold = 0,
         .mini_batch_threshold_name = "allowed_failed_count"});
  at(seconds(1), raised(7, 0, 1, "KeyError"));
  stop_agent(seconds(2));
  EXPECT_TRUE(cause_.starts_with("1 failed mini-batch is more than allowed_failed_count 0 allows"))
      << cause_;
}

// C239
TEST_F(RulesTest, HalfOfTheAttemptsIsNoRootCauseUnlessNoneWasCompleted) {
  ready(2, {.tries_max = 1, .error_threshold = 0});
  at(seconds(1), done(7, 0, 1));
  at(seconds(1), raised(7, 1, 1, "KeyError"));
  stop_agent(seconds(2));
  EXPECT_EQ(cause_.find("root cause"), std::string::npos);
  ready(2, {.tries_max = 1, .mini_batch_error_threshold = 1});
  at(seconds(3), raised(7, 0, 1, "KeyError"));
  at(seconds(3), raised(7, 1, 1, "ValueError"));
  stop_agent(seconds(4));
  EXPECT_NE(cause_.find("root cause: 1 of 2 attempts ended with KeyError"), std::string::npos);
}

// C400
TEST_F(RulesTest, RootCauseCountsTheAttemptsOfEarlierMasters) {
  ready(3, {.tries_max = 1, .mini_batch_error_threshold = 1});
  at(seconds(1), raised(7, 0, 1, "KeyError"));
  JobState state = scheduler_->state();
  begin({.tries_max = 1, .mini_batch_error_threshold = 1}, state);
  join(8, 1, 1, seconds(2));
  at(seconds(3), raised(8, 1, 1, "KeyError"));
  at(seconds(4), event::AgentStopped{8});
  EXPECT_NE(cause_.find("root cause: 2 of 2 attempts ended with KeyError"), std::string::npos);
  state = scheduler_->state();
  reopen_ = fact::Reopened{.failed_afresh = true};
  begin({}, state);
  EXPECT_EQ(scheduler_->state().errors().attempts, 0U);  // they start over, and so does the count
}

// C240
TEST_F(RulesTest, MiniBatchThatLosesFiveNodesFails) {
  begin();
  plan(2);
  for (std::uint32_t loss = 1; loss <= 5; ++loss) {
    join(7, 1, 2, seconds(loss));
    at(seconds(loss), event::AgentLost{7});
    EXPECT_EQ(batch(0).losses, loss);
    EXPECT_EQ(batch(1).losses, 0U);  // it only waited behind the other
    EXPECT_EQ(batch(0).tries, 0U);
    EXPECT_EQ(batch(0).stage, loss < 5 ? BatchStage::kPending : BatchStage::kFailed);
  }
  EXPECT_EQ(join(7, 1, 2, seconds(9)), "1#6>a7 ");
  JobState replayed;
  for (const Fact& fact : facts_) {
    ASSERT_TRUE(replayed.check(fact));
    replayed.apply(fact);
  }
  EXPECT_EQ(replayed.batches()[0].stage, BatchStage::kFailed);
}

// C240
TEST_F(RulesTest, NodeThatStopsAsToldIsNotLost) {
  begin();
  plan(1);
  join(7, 1, 1);
  at(seconds(1), event::AgentStopped{7});
  EXPECT_EQ(batch(0).losses, 0U);
}

// C160
TEST_F(RulesTest, EmptyInputIsCompleted) {
  begin();
  EXPECT_EQ(at(seconds(1), event::ListingEnded{}), "merge ");
  EXPECT_EQ(at(seconds(2), event::Merged{{{"/out", 0, 0}}}), "publish ");
  EXPECT_EQ(at(seconds(3), event::Published{}), "finish 1 ");
}

// C234
TEST_F(RulesTest, ThresholdsAreJudgedOnceMoreAtTheEnd) {
  ready(2, {.tries_max = 1});
  at(seconds(1), ended(7, 0, 1, AttemptStatus::kRunException));
  at(seconds(1), done(7, 1, 1));
  at(seconds(1), event::SegmentSynced{7, 200});
  JobState state = scheduler_->state();
  begin({.tries_max = 1, .error_threshold = 0}, state);  // resumed with another limit
  EXPECT_EQ(scheduler_->state().stopped()->cause,
            "2 failed items are more than error_threshold 0 allows");
}

}  // namespace
}  // namespace windrow
