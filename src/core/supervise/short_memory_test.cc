// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/supervise/supervisor_test.h"

namespace windrow {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class ShortMemoryTest : public testing::Test, protected SupervisorProbe {
 protected:
  // So many workers, ready one after the other, the last one first.
  void begin_ready(std::uint32_t slots) {
    begin(slots);
    for (ProcessNumber process = slots; process-- > 0; now_ += milliseconds(1)) ready(process);
  }
};

// C571
TEST_F(ShortMemoryTest, LowMemoryLeavesNewWorkToTheEldestAlone) {
  begin_ready(3);  // so process 2 is the oldest
  give(0);
  give(1);
  give(2);
  EXPECT_EQ(give(3), "3>p0 ");
  EXPECT_EQ(memory(9), "warn back 2 from p0 back 1 from p1 ");
  EXPECT_EQ(taken_back(0, {work(3)}), "3>p2 ");  // 0 and 1 are running
  EXPECT_EQ(taken_back(1, {}), "");
  EXPECT_EQ(answer(0, 0), "0:0 ");
  EXPECT_EQ(give(4), "");
  EXPECT_EQ(answer(2, 2), "2:0 4>p2 ");
  EXPECT_EQ(memory(14), "");
  EXPECT_EQ(give(5), "");
  EXPECT_EQ(memory(15), "5>p0 ");
  EXPECT_EQ(last_note_,
            "memory is fine again (15.0 MB of 100.0 MB available); all workers get mini-batches");
}

// C571
TEST_F(ShortMemoryTest, WhatTheEldestHasNotReadStaysWithItWhileOthersIdle) {
  begin_ready(2);
  memory(9);
  give(0);
  EXPECT_EQ(give(1), "1>p1 ");
  now_ += milliseconds(10);
  EXPECT_EQ(check({{0, page(WorkerPhase::kIdle, 0, {})}, {1, page(WorkerPhase::kRun, 0, {})}}), "");
}

// C571
TEST_F(ShortMemoryTest, WhenTheEldestDiesTheNextOneGoesOn) {
  begin_ready(2);
  memory(9);
  give(0);
  EXPECT_EQ(exits(1, WorkerPhase::kRun, 0), "0:6 ");  // and nobody is started now
  EXPECT_EQ(give(1), "1>p0 ");
  EXPECT_EQ(exits(0, WorkerPhase::kRun, 1), "1:6 start p2 ");
  EXPECT_EQ(ready(2), "load p2:0 ");
  EXPECT_EQ(memory(50), "start p3 ");
}

// C574
TEST_F(ShortMemoryTest, TheUserIsWarnedOnceAndTheLogEachTime) {
  begin_ready(2);
  EXPECT_EQ(memory(9), "warn ");
  const std::string text =
      "memory is low (9.0 MB of 100.0 MB available): until there is more, one worker alone gets "
      "new mini-batches; fewer workers, a smaller mini_batch_size, or max_rss_per_worker for "
      "workers that grow, help";
  EXPECT_EQ(last_warning_, text);
  EXPECT_EQ(last_note_, text);
  memory(50);
  EXPECT_EQ(memory(8), "");
  EXPECT_TRUE(last_note_.starts_with("memory is low (8.0 MB")) << last_note_;
}

// C572
TEST_F(ShortMemoryTest, VeryLowMemoryEndsTheYoungestAndChargesNobody) {
  begin_ready(3);
  give(0);
  give(1);
  give(2);
  memory(9);
  for (const ProcessNumber process : {0U, 1U}) taken_back(process, {});
  EXPECT_EQ(memory(4), "kill p0 ");
  EXPECT_EQ(exits(0, WorkerPhase::kRun, 0, {}, 9), "0:8 ");  // returned, no replacement
  EXPECT_TRUE(last_note_.starts_with(
      "process000 exited with 82: memory is nearly used up (4.0 MB of 100.0 MB available) and it "
      "is the youngest worker; its mini-batch runs again and is charged no try; fewer workers, "))
      << last_note_;
  EXPECT_EQ(give(0), "0>p2 ");
}

// C572
TEST_F(ShortMemoryTest, TheNextIsEndedWhenTheMemoryOfTheLastHadTimeToComeBack) {
  begin_ready(3);
  EXPECT_EQ(memory(4), "warn kill p0 ");
  now_ += milliseconds(500);
  EXPECT_EQ(memory(4), "");
  now_ += milliseconds(500);
  EXPECT_EQ(memory(4), "");  // the first is not gone yet
  EXPECT_EQ(exits(0, WorkerPhase::kIdle, 0, {}, 9), "");
  EXPECT_EQ(memory(4), "kill p1 ");
  exits(1, WorkerPhase::kIdle, 0, {}, 9);
  now_ += seconds(100);
  EXPECT_EQ(memory(0), "");  // never the oldest
  EXPECT_EQ(give(0), "0>p2 ");
}

// C572
TEST_F(ShortMemoryTest, WorkersThatStillStartAreTheYoungestAndTheirEndIsNoFailedStart) {
  limits_.slots = 3;
  begin(3);
  ready(2);
  EXPECT_EQ(memory(4), "warn kill p1 ");
  EXPECT_EQ(exits(1, WorkerPhase::kInit, 0, {}, 9), "");
  now_ += seconds(1);
  EXPECT_EQ(memory(4), "kill p0 ");
  EXPECT_EQ(exits(0, WorkerPhase::kInit, 0, {}, 9), "");
  EXPECT_EQ(give(0), "0>p2 ");
}

// C573
TEST_F(ShortMemoryTest, WorkersComeBackOneByOneWhenMemoryHasBeenFineForAWhile) {
  begin_ready(3);
  memory(4);
  exits(0, WorkerPhase::kIdle, 0, {}, 9);
  now_ += seconds(1);
  memory(4);
  exits(1, WorkerPhase::kIdle, 0, {}, 9);
  EXPECT_EQ(memory(50), "");
  now_ += milliseconds(4999);
  EXPECT_EQ(memory(50), "");
  now_ += milliseconds(1);
  EXPECT_EQ(memory(50), "start p3 ");
  EXPECT_EQ(memory(50), "");
  EXPECT_EQ(exits(3, WorkerPhase::kInit), "load p3:3 start p4 ");  // one that dies is replaced
  now_ += seconds(5);
  EXPECT_EQ(memory(50), "start p5 ");
}

// C572
TEST_F(ShortMemoryTest, WorkersEndedForMemoryAreNoDeathsThatNobodyPaidFor) {
  begin_ready(2);
  ProcessNumber youngest = 0;
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(memory(4), fmt::format("{}kill p{} ", round == 0 ? "warn " : "", youngest));
    EXPECT_EQ(exits(youngest, WorkerPhase::kIdle, 0, {}, 9), "");
    memory(50);
    now_ += seconds(60);
    youngest = youngest == 0 ? 2 : youngest + 1;
    EXPECT_EQ(memory(50), fmt::format("start p{} ", youngest));
    ready(youngest);
  }
}

// C572
TEST_F(ShortMemoryTest, AnAnswerThatWasOnItsWayStillCounts) {
  begin_ready(2);
  give(0);
  give(1);
  memory(9);
  EXPECT_EQ(memory(4), "kill p0 ");
  EXPECT_EQ(answer(0, 0), "0:0 ");
  EXPECT_EQ(exits(0, WorkerPhase::kIdle, 0, {}, 9), "");
}

// C571
TEST_F(ShortMemoryTest, OneWorkerAloneAndAJobThatStopsAreLeftInPeace) {
  begin_ready(1);
  EXPECT_EQ(memory(0), "");
  EXPECT_EQ(give(0), "0>p0 ");
  begin_ready(2);
  give(0);
  supervisor_->stop(StopMode::kFinish, now_, out_);
  said();
  EXPECT_EQ(memory(0), "");
}

}  // namespace
}  // namespace windrow
