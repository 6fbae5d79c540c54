// SPDX-License-Identifier: Apache-2.0
#include "core/supervise/supervisor_test.h"

#include <gtest/gtest.h>

#include "base/process_name.h"

namespace windrow {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class SupervisorTest : public testing::Test, protected SupervisorProbe {};

TEST_F(SupervisorTest, WorkGoesToTheWorkerThatHasLeast) {
  EXPECT_EQ(begin(2), "start p0 start p1 ");
  EXPECT_EQ(give(0), "");
  EXPECT_EQ(ready(1), "load p1:0 0>p1 ");
  EXPECT_EQ(ready(0), "load p0:0 ");
  EXPECT_EQ(give(1), "1>p0 ");
  EXPECT_EQ(give(2), "2>p0 ");
  EXPECT_EQ(give(3), "3>p1 ");
  EXPECT_EQ(give(4), "");  // two each are enough
  EXPECT_EQ(answer(1, 0), "0:0 4>p1 ");
}

TEST_F(SupervisorTest, DeadWorkerCostsATryOfTheMiniBatchInsideAlone) {
  begin(1);
  ready(0);
  give(0);
  give(1);
  EXPECT_EQ(exits(0, WorkerPhase::kRun, 0, {work(1)}), "0:6 start p1 ");
  EXPECT_NE(last_error_.find("SIGSEGV in run()"), std::string::npos);
  EXPECT_EQ(ready(1), "load p1:0 1>p1 ");
}

TEST_F(SupervisorTest, WorkerThatReadAheadCostsATryOfTheOneItWasIn) {
  begin(1);
  ready(0);
  give(0);
  give(1);
  EXPECT_EQ(exits(0, WorkerPhase::kLoad, 1), "0:8 1:6 start p1 ");
}

TEST_F(SupervisorTest, WorkerThatDiesBetweenReadingAndSayingSoIsTheFaultOfWhatItRead) {
  begin(1);
  ready(0);
  give(0);
  EXPECT_EQ(exits(0, WorkerPhase::kIdle), "0:6 start p1 ");
}

TEST_F(SupervisorTest, WorkerThatDiesAfterItsAnswerCostsNobodyATry) {
  begin(1);
  ready(0);
  give(0);
  give(1);
  answer(0, 0);
  EXPECT_EQ(exits(0, WorkerPhase::kSerialise, 0), "1:8 start p1 ");
}

TEST_F(SupervisorTest, RunThatTakesTooLongIsEndedAndCharged) {
  limits_.run_timeout = seconds(60);
  begin(1);
  ready(0);
  give(0);
  EXPECT_LE(supervisor_->next_check(), now_ + seconds(30));
  EXPECT_EQ(check({{0, page(WorkerPhase::kRun, 0, seconds(60))}}), "");
  EXPECT_EQ(supervisor_->next_check(), now_ + milliseconds(1));
  EXPECT_EQ(check({{0, page(WorkerPhase::kRun, 0, seconds(61))}}), "stack p0 ");
  EXPECT_EQ(check({{0, page(WorkerPhase::kRun, 0, seconds(62))}}), "");  // once
  EXPECT_EQ(exits(0, WorkerPhase::kRun, 0), "0:2 start p1 ");
  EXPECT_EQ(last_error_,  // C536
            "run() took longer than 60 s; --timeout (retry_settings.timeout in a job file, "
            "run_invocation_timeout in v1) sets that limit");
}

// C580
TEST_F(SupervisorTest, WorkerShowsItsStackForAMomentAndIsEndedWhateverItShows) {
  begin(1);
  ready(0);
  give(0);
  check({{0, page(WorkerPhase::kRun, 0, seconds(61))}});
  EXPECT_EQ(supervisor_->next_check(), now_ + milliseconds(100));
  now_ += milliseconds(99);
  EXPECT_EQ(check({{0, page(WorkerPhase::kRun, 0, seconds(61))}}), "");
  EXPECT_EQ(supervisor_->next_check(), now_ + milliseconds(1));
  supervisor_->stop(StopMode::kNow, now_, out_);
  EXPECT_EQ(said(), "");
  now_ += milliseconds(1);
  EXPECT_EQ(check({{0, page(WorkerPhase::kRun, 0, seconds(61))}}), "kill p0 ");
  EXPECT_EQ(check({{0, page(WorkerPhase::kRun, 0, seconds(62))}}), "");  // once
}

// C581
TEST_F(SupervisorTest, WhatItShowedIsTheTracebackOfTheAttempt) {
  stack_ = "Current thread 0x1 (most recent call first):\n  File \"s.py\", line 3 in stuck\n";
  begin(1);
  ready(0);
  give(0);
  check({{0, page(WorkerPhase::kRun, 0, seconds(61))}});
  exits(0, WorkerPhase::kRun, 0);
  EXPECT_EQ(last_traceback_,
            "Thread 0x1 (most recent call last):\n  File \"s.py\", line 3, in stuck\n"
            "TimeoutError: " +
                last_error_ + "\n");
}

TEST_F(SupervisorTest, HandingOverThatTakesTooLongIsEndedAndCharged) {
  begin(1);
  ready(0);
  give(0);
  now_ += seconds(31);
  EXPECT_EQ(check({{0, page(WorkerPhase::kIdle, 0, seconds(40))}}), "stack p0 ");
  EXPECT_EQ(exits(0, WorkerPhase::kLoad, 0), "0:5 start p1 ");
}

// C583
TEST_F(SupervisorTest, AnswerThatComesAfterTheLimitNoLongerCountsAndTheNextOneIsNotCharged) {
  begin(1);
  ready(0);
  give(0);
  give(1);
  EXPECT_EQ(check({{0, page(WorkerPhase::kRun, 0, seconds(61))}}), "stack p0 ");
  EXPECT_FALSE(supervisor_->expects(0, token(0)));
  supervisor_->misbehaved(0, "it answered", now_, out_);
  EXPECT_EQ(said(), "");
  EXPECT_EQ(exits(0, WorkerPhase::kLoad, 1), "0:2 1:8 start p1 ");
}

TEST_F(SupervisorTest, InitThatTakesTooLongIsAFailedStart) {
  begin(1);
  now_ += limits_.init_timeout() + milliseconds(1);
  EXPECT_EQ(check({{0, page(WorkerPhase::kInit, 0, seconds(200))}}), "stack p0 ");
  EXPECT_EQ(exits(0, WorkerPhase::kInit), "load p0:2 start p1 ");
}

TEST_F(SupervisorTest, NoMoreThanThreeTimesTheSlotsAreStartedInVain) {
  begin(2);
  std::string said_last;
  for (ProcessNumber process = 0; process < 6; ++process) {
    supervisor_->load_failed(process,
                             {.process = process,
                              .status = LoadStatus::kException,
                              .error_type = "KeyError",
                              .error_message = "no model\nat all"},
                             now_,
                             out_);
    said();
    said_last = exits(process, WorkerPhase::kInit);
  }
  EXPECT_EQ(said_last, "gave up ");
  EXPECT_EQ(last_error_, "6 worker starts failed in a row, the first with: KeyError: no model");
  EXPECT_EQ(give(0), "0:8 ");
}

TEST_F(SupervisorTest, WorkersThatAreBeingEndedInInitCountAmongTheStarts) {
  begin(2);
  now_ += seconds(500);
  for (ProcessNumber process = 0; process < 4; process += 2) {
    const WorkerPage stuck = page(WorkerPhase::kInit, 0, seconds(400));
    check({{process, stuck}, {process + 1, stuck}});
    exits(process, WorkerPhase::kInit);
    exits(process + 1, WorkerPhase::kInit);
    now_ += seconds(500);
  }
  const WorkerPage stuck = page(WorkerPhase::kInit, 0, seconds(400));
  EXPECT_EQ(check({{4, stuck}, {5, stuck}}), "stack p4 stack p5 ");
  EXPECT_EQ(exits(4, WorkerPhase::kInit), "load p4:2 ");  // no p6: p5 will be the sixth failure
  EXPECT_EQ(exits(5, WorkerPhase::kInit), "load p5:2 gave up ");
}

TEST_F(SupervisorTest, StartThatWorksForgivesTheFailuresAndFillsTheSlots) {
  begin(2);
  for (ProcessNumber process = 0; process < 5; ++process) {
    if (process != 1) exits(process, WorkerPhase::kStarting);
  }
  EXPECT_EQ(exits(5, WorkerPhase::kStarting), "load p5:3 ");  // p1 may be the sixth failure
  EXPECT_EQ(ready(1), "load p1:0 start p6 ");
}

TEST_F(SupervisorTest, WorkerThatSaysInitFailedAndDoesNotEndIsEnded) {
  begin(1);
  supervisor_->load_failed(0, {.process = 0, .status = LoadStatus::kException}, now_, out_);
  EXPECT_EQ(said(), "load p0:1 ");
  now_ += seconds(31);
  EXPECT_EQ(check({{0, page(WorkerPhase::kInit, 0, seconds(31))}}), "kill p0 ");
  EXPECT_EQ(exits(0, WorkerPhase::kInit), "start p1 ");
}

TEST_F(SupervisorTest, WorkersThatAlwaysEndIdleAreNotReplacedForEver) {
  begin(1);
  for (ProcessNumber process = 0; process < 2; ++process) {
    ready(process);
    EXPECT_EQ(exits(process, WorkerPhase::kIdle), fmt::format("start p{} ", process + 1));
  }
  ready(2);
  EXPECT_EQ(exits(2, WorkerPhase::kIdle), "gave up ");
  EXPECT_NE(last_error_.find("3 workers ended in a row without work"), std::string::npos);
}

TEST_F(SupervisorTest, WorkerThatAnswersForWhatItDoesNotHaveIsEnded) {
  begin(1);
  ready(0);
  give(0);
  EXPECT_FALSE(supervisor_->expects(0, token(1)));
  EXPECT_FALSE(supervisor_->expects(3, token(0)));
  supervisor_->misbehaved(0, "it lied", now_, out_);
  EXPECT_EQ(said(), "kill p0 ");
  EXPECT_EQ(exits(0, WorkerPhase::kRun, 0), "0:6 start p1 ");
  EXPECT_EQ(last_error_, "it lied");
}

// C890
TEST_F(SupervisorTest, WrongAnswerIsChargedToItsOwnMiniBatchAndNotToTheNextOne) {
  begin(1);
  ready(0);
  give(0);
  give(1);
  supervisor_->misbehaved(0, "it sent something that is not an answer", now_, out_);
  EXPECT_EQ(said(), "kill p0 ");
  EXPECT_FALSE(supervisor_->expects(0, token(0)));  // a second answer does not help
  EXPECT_EQ(exits(0, WorkerPhase::kRun, 1), "0:6 1:8 start p1 ");
}

// C890
TEST_F(SupervisorTest, SecondAnswerForTheSameMiniBatchIsNotChargedToTheNextOne) {
  begin(1);
  ready(0);
  give(0);
  give(1);
  answer(0, 0);
  EXPECT_FALSE(supervisor_->expects(0, token(0)));
  supervisor_->misbehaved(0, "it answered twice", now_, out_, token(0));
  EXPECT_EQ(said(), "kill p0 ");
  EXPECT_EQ(exits(0, WorkerPhase::kRun, 1), "1:8 start p1 ");
}

TEST_F(SupervisorTest, WorkerThatIsReadyTwiceIsEnded) {
  begin(1);
  ready(0);
  EXPECT_EQ(ready(0), "kill p0 ");
  EXPECT_EQ(ready(7), "");  // nobody we know
}

TEST_F(SupervisorTest, UnreadPacketOfALiarIsDropped) {
  begin(1);
  ready(0);
  give(0);
  answer(0, 0);
  EXPECT_EQ(exits(0, WorkerPhase::kIdle, 0, {work(0)}), "start p1 ");
  EXPECT_EQ(ready(1), "load p1:0 ");  // and gets nothing
}

TEST_F(SupervisorTest, IdleWorkerTakesOverWhatABusyOneHasNotRead) {
  begin(2);
  ready(0);
  give(0);
  give(1);
  ready(1);
  const std::map<ProcessNumber, WorkerPage> pages = {{0, page(WorkerPhase::kRun, 0, seconds(1))},
                                                     {1, page(WorkerPhase::kIdle, 0, seconds(1))}};
  EXPECT_EQ(check(pages), "back 1 from p0 ");
  supervisor_->taken_back(0, {work(1)}, now_, out_);
  EXPECT_EQ(said(), "1>p1 ");
}

TEST_F(SupervisorTest, WorkThatCannotBeSentIsTriedAgainSoon) {
  begin(1);
  ready(0);
  give(0);
  supervisor_->unsent(0, last_sent_, now_);
  EXPECT_LE(supervisor_->next_check(), now_ + milliseconds(50));
  now_ += milliseconds(50);
  EXPECT_EQ(check({{0, page(WorkerPhase::kIdle, 0, seconds(1))}}), "0>p0 ");
}

TEST_F(SupervisorTest, HoldsBackWhilePaused) {
  begin(1);
  ready(0);
  supervisor_->pause(true, now_, out_);
  EXPECT_EQ(give(0), "");
  supervisor_->pause(false, now_, out_);
  EXPECT_EQ(said(), "0>p0 ");
}

TEST_F(SupervisorTest, TakesBackFromItsOwnQueue) {
  begin(1);
  give(0);
  give(1);
  supervisor_->take_back(1, now_, out_);
  EXPECT_EQ(said(), "1:8 taken back ");
}

TEST_F(SupervisorTest, FinishShutsIdleWorkersDownAndKillsThoseThatStart) {
  begin(2);
  ready(0);
  supervisor_->stop(StopMode::kFinish, now_, out_);
  EXPECT_EQ(said(), "shutdown p0 kill p1 ");
  EXPECT_EQ(exits(1, WorkerPhase::kInit), "");
  EXPECT_EQ(exits(0, WorkerPhase::kShutdown), "all stopped ");
}

TEST_F(SupervisorTest, ShutdownThatTakesTooLongIsEnded) {
  begin(1);
  ready(0);
  supervisor_->stop(StopMode::kFinish, now_, out_);
  said();
  now_ += seconds(31);
  EXPECT_EQ(check({{0, page(WorkerPhase::kShutdown, 0, seconds(31))}}), "kill p0 ");
  EXPECT_EQ(exits(0, WorkerPhase::kShutdown), "all stopped ");
}

TEST_F(SupervisorTest, DrainHandsBackWhatDoesNotRunAndKillsAfterItsGrace) {
  begin(1);
  ready(0);
  give(0);
  give(1);
  give(2);
  supervisor_->stop(StopMode::kDrain, now_, out_);
  EXPECT_EQ(said(), "2:8 back 2 from p0 ");
  supervisor_->taken_back(0, {work(1)}, now_, out_);
  EXPECT_EQ(said(), "1:8 ");
  EXPECT_EQ(check({{0, page(WorkerPhase::kRun, 0, seconds(1))}}), "");
  now_ += seconds(10);
  EXPECT_EQ(check({{0, page(WorkerPhase::kRun, 0, seconds(11))}}), "kill p0 ");
  EXPECT_EQ(exits(0, WorkerPhase::kRun, 0), "0:8 all stopped ");
}

TEST_F(SupervisorTest, DrainedWorkerIsShutDownAfterItsAnswer) {
  begin(1);
  ready(0);
  give(0);
  supervisor_->stop(StopMode::kDrain, now_, out_);
  EXPECT_EQ(said(), "");
  EXPECT_EQ(answer(0, 0), "0:0 shutdown p0 ");
}

TEST_F(SupervisorTest, NumberOfAProcessIsReadFromTheNamesOfItsFiles) {
  EXPECT_EQ(process_of_name(process_name(7)), 7U);
  EXPECT_EQ(process_of_name("process1234.stdout.txt"), 1234U);
  for (const char* other : {"process", "process.txt", "process7x.txt", "_main.txt", "process-1"}) {
    EXPECT_EQ(process_of_name(other), std::nullopt) << other;
  }
}

TEST_F(SupervisorTest, StopNowKillsAndChargesNobody) {
  begin(1);
  ready(0);
  give(0);
  give(1);
  supervisor_->stop(StopMode::kNow, now_, out_);
  EXPECT_EQ(said(), "kill p0 ");
  EXPECT_EQ(exits(0, WorkerPhase::kRun, 0, {work(1)}), "1:8 0:8 all stopped ");
}

TEST_F(SupervisorTest, NobodyIsPatientUnlessEveryWorkerHasEnoughToDo) {
  begin(2);
  ready(0);
  const auto answer_in = [&](ProcessNumber process, BatchId batch, std::uint32_t microseconds) {
    AttemptRecord record;
    record.token = token(batch);
    record.elapsed_us = microseconds;
    supervisor_->answered(process, record, now_, out_);
  };
  give(0);
  answer_in(0, 0, 50);  // from here on 21 deep
  for (BatchId batch = 1; batch <= 40; ++batch) give(batch);
  EXPECT_EQ(supervisor_->patience(), Duration::zero());  // the other one is not ready yet
  ready(1);
  EXPECT_EQ(supervisor_->patience(), std::chrono::microseconds(475));  // half of 19 times 50
  supervisor_->stop(StopMode::kFinish, now_, out_);
  EXPECT_EQ(supervisor_->patience(), Duration::zero());
}

TEST_F(SupervisorTest, PatienceEndsBeforeTheShortestQueueDoes) {
  begin(1);
  ready(0);
  EXPECT_EQ(supervisor_->patience(), Duration::zero());
  give(0);
  AttemptRecord record;
  record.token = token(0);
  record.elapsed_us = 10;
  supervisor_->answered(0, record, now_, out_);
  for (BatchId batch = 1; batch <= 3; ++batch) give(batch);
  EXPECT_EQ(supervisor_->patience(), Duration::zero());
  for (BatchId batch = 4; batch <= 8; ++batch) give(batch);
  EXPECT_EQ(supervisor_->patience(), std::chrono::microseconds(40));
}

}  // namespace
}  // namespace windrow
