// SPDX-License-Identifier: Apache-2.0
//
// Late mini-batches that idle workers try a second time.
#include <gtest/gtest.h>

#include "core/schedule/scheduler_test.h"

namespace windrow {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class SpeculateTest : public testing::Test, protected SchedulerProbe {
 protected:
  // Twenty mini-batches of one second are done, and the last two are out.
  void all_but_two(Limits limits) {
    limits.speculate = true;
    begin(limits);
    plan(22);
    join(7, 2, 2);
    at(Duration(0), event::LoadEnded{{.agent = 7}});
    for (BatchId id = 0; id < 20; ++id) at(seconds(id + 1), took(7, id, 1, seconds(1)));
  }
  Event took(AgentId agent, BatchId batch, std::uint32_t picked, Duration time) {
    Event event = done(agent, batch, picked);
    auto& record = std::get<event::AttemptEnded>(event).record;
    record.elapsed_us = static_cast<std::uint32_t>(time / std::chrono::microseconds(1));
    return event;
  }
  Event failed(AgentId agent, BatchId batch, std::uint32_t picked) {
    return ended(agent, batch, picked, AttemptStatus::kRunException, 0);
  }
  Duration next() const { return scheduler_->deadline() - TimePoint(seconds(100)); }
};

// C610
TEST_F(SpeculateTest, ALateMiniBatchIsTriedASecondTimeByAnIdleWorker) {
  all_but_two({});
  EXPECT_EQ(at(seconds(21), took(7, 20, 1, seconds(1))), "");
  EXPECT_EQ(next(),
            milliseconds(21501));  // it began at 20 s, half a second beyond the median is 1.5
  EXPECT_EQ(at(milliseconds(21500), event::TimePassed{}), "");
  EXPECT_EQ(at(milliseconds(21501), event::TimePassed{}), "21#2>a7 ");
  EXPECT_EQ(at(seconds(30), event::TimePassed{}), "") << "once only";
}

// C610
TEST_F(SpeculateTest, NothingIsTriedTwiceWithoutTheSetting) {
  begin();
  plan(22);
  join(7, 2, 2);
  for (BatchId id = 0; id < 21; ++id) at(seconds(id + 1), took(7, id, 1, seconds(1)));
  EXPECT_EQ(at(seconds(29), event::TimePassed{}), "");
}

// C610
TEST_F(SpeculateTest, NothingIsTriedTwiceBeforeItIsKnownWhatIsUsual) {
  Limits limits;
  limits.speculate = true;
  begin(limits);
  plan(5);
  join(7, 2, 2);
  for (BatchId id = 0; id < 4; ++id) at(seconds(1), took(7, id, 1, seconds(1)));
  EXPECT_EQ(at(seconds(9), event::TimePassed{}), "");
}

// C610
TEST_F(SpeculateTest, NothingIsTriedTwiceWhileSomethingWaitsOrNobodyIsIdle) {
  all_but_two({});
  EXPECT_EQ(at(seconds(29), event::TimePassed{}), "") << "both workers are busy";
  EXPECT_EQ(at(seconds(29), failed(7, 20, 1)), "20#2>a7 ") << "a retry comes first";
}

// C611
TEST_F(SpeculateTest, TheFirstThatSucceedsCountsAndTheOtherIsEnded) {
  all_but_two({});
  at(seconds(21), took(7, 20, 1, seconds(1)));
  at(seconds(22), event::TimePassed{});
  EXPECT_EQ(at(seconds(23), took(7, 21, 2, seconds(1))), "cancel 21#1 on a7 ");
  EXPECT_EQ(batch(21).stage, BatchStage::kEnded);
  EXPECT_EQ(at(seconds(24), took(7, 21, 1, seconds(4))), "");
}

// C910
TEST_F(SpeculateTest, TheOneThatLostIsKeptForThoseWhoAskAndChangesNothing) {
  all_but_two({});
  at(seconds(21), took(7, 20, 1, seconds(1)));
  at(seconds(22), event::TimePassed{});
  at(seconds(23), took(7, 21, 2, seconds(1)));
  const std::uint64_t attempts = scheduler_->state().counts().attempts;
  Event lost = ended(7, 21, 1, AttemptStatus::kReturned, 0);
  std::get<event::AttemptEnded>(lost).record.elapsed_us = 4'000'000;
  at(seconds(24), lost);
  EXPECT_EQ(scheduler_->state().counts().attempts, attempts + 1);
  EXPECT_EQ(batch(21).stage, BatchStage::kEnded);
  at(seconds(25), lost);
  EXPECT_EQ(scheduler_->state().counts().attempts, attempts + 1) << "it is told once";
}

// C611
TEST_F(SpeculateTest, TheFirstHandOutMayStillWin) {
  all_but_two({});
  at(seconds(21), took(7, 20, 1, seconds(1)));
  at(seconds(22), event::TimePassed{});
  EXPECT_EQ(at(seconds(23), took(7, 21, 1, seconds(3))), "cancel 21#2 on a7 ");
  EXPECT_EQ(batch(21).stage, BatchStage::kEnded);
}

// C612
TEST_F(SpeculateTest, AFailureIsNotChargedWhileTheOtherGoesOn) {
  all_but_two({.tries_max = 1});
  at(seconds(21), took(7, 20, 1, seconds(1)));
  at(seconds(22), event::TimePassed{});
  EXPECT_EQ(at(seconds(23), failed(7, 21, 1)), "");
  EXPECT_EQ(batch(21).tries, 0U);
  EXPECT_EQ(batch(21).stage, BatchStage::kPending);
  at(seconds(24), failed(7, 21, 2));
  EXPECT_EQ(batch(21).stage, BatchStage::kFailed);
}

// C612
TEST_F(SpeculateTest, WhenTheSecondFailsTheFirstGoesOnAloneAndForGood) {
  all_but_two({.tries_max = 1});
  at(seconds(21), took(7, 20, 1, seconds(1)));
  at(seconds(22), event::TimePassed{});
  EXPECT_EQ(at(seconds(23), failed(7, 21, 2)), "");
  EXPECT_EQ(at(seconds(30), event::TimePassed{}), "");
  at(seconds(31), took(7, 21, 1, seconds(10)));
  EXPECT_EQ(batch(21).stage, BatchStage::kEnded);
}

// C612
TEST_F(SpeculateTest, WithItsNodeBothAttemptsAreGone) {
  all_but_two({});
  at(seconds(21), took(7, 20, 1, seconds(1)));
  EXPECT_EQ(join(8, 1, 1, milliseconds(21100)), "");
  at(milliseconds(21100), event::LoadEnded{{.agent = 8}});
  at(milliseconds(21200), event::SegmentSynced{7, 1000});
  EXPECT_EQ(at(seconds(22), event::TimePassed{}), "21#2>a7 ");
  EXPECT_EQ(at(seconds(23), event::AgentLost{7}), "21#3>a8 ") << "it had both";
}

// C612
TEST_F(SpeculateTest, WithTheNodeOfOneTheOtherGoesOn) {
  Limits limits;
  limits.speculate = true;
  begin(limits);
  plan(21);
  join(7, 1, 1);
  for (BatchId id = 0; id < 20; ++id) at(seconds(id + 1), took(7, id, 1, seconds(1)));
  at(seconds(20), event::SegmentSynced{7, 1000});
  join(8, 1, 1, seconds(20));
  at(seconds(20), event::LoadEnded{{.agent = 8}});
  EXPECT_EQ(at(seconds(22), event::TimePassed{}), "20#2>a8 ");
  EXPECT_EQ(at(seconds(23), event::AgentLost{7}), "");
  at(seconds(24), took(8, 20, 2, seconds(2)));
  EXPECT_EQ(batch(20).stage, BatchStage::kEnded);
}

// C612
TEST_F(SpeculateTest, AnAttemptThatHangsAndItsSecondAreOneTry) {
  all_but_two({.tries_max = 2});
  at(seconds(21), took(7, 20, 1, seconds(1)));
  EXPECT_EQ(at(seconds(22), event::TimePassed{}), "21#2>a7 ");
  EXPECT_EQ(at(seconds(23), failed(7, 21, 1)), "");
  EXPECT_EQ(at(seconds(25), event::TimePassed{}), "") << "no third one";
  EXPECT_EQ(at(seconds(26), failed(7, 21, 2)), "21#3>a7 ");
  EXPECT_EQ(batch(21).tries, 1U);
  EXPECT_EQ(at(seconds(29), event::TimePassed{}), "21#4>a7 ") << "the next try has its own second";
}

}  // namespace
}  // namespace windrow
