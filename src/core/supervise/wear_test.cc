// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/supervise/supervisor_test.h"

namespace windrow {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class WearTest : public testing::Test, protected SupervisorProbe {
 protected:
  // Gives and answers mini-batches first to last, all in process 0.
  void run_through(BatchId first, BatchId last, AttemptStatus status) {
    for (BatchId batch = first; batch <= last; ++batch) {
      EXPECT_EQ(give(batch), fmt::format("{}>p0 ", batch));
      EXPECT_EQ(answer(0, batch, status), fmt::format("{}:{} ", batch, static_cast<int>(status)));
    }
  }
};

// C250
TEST_F(WearTest, WorkerIsReplacedAfterMoreThanTenFailedAttempts) {
  begin(1);
  ready(0);
  run_through(0, 0, AttemptStatus::kRunDone);
  run_through(1, 10, AttemptStatus::kRunException);
  give(11);
  EXPECT_EQ(give(12), "12>p0 ");
  EXPECT_EQ(answer(0, 11, AttemptStatus::kRunException), "11:1 back 1 from p0 ");
  supervisor_->taken_back(0, {work(12)}, now_, out_);
  EXPECT_EQ(said(), "shutdown p0 ");
  EXPECT_EQ(exits(0, WorkerPhase::kShutdown, 0, {}, 0), "start p1 ");
  EXPECT_EQ(last_note_,
            "process000 exited with 73: replaced: 11 attempts failed in it, 1 succeeded");
  EXPECT_EQ(ready(1), "load p1:0 12>p1 ");
}

// C250
TEST_F(WearTest, WorkerInWhichNothingEverSucceededHasACodeOfItsOwn) {
  begin(1);
  ready(0);
  run_through(0, 9, AttemptStatus::kRunException);
  give(10);
  EXPECT_EQ(answer(0, 10, AttemptStatus::kRunException), "10:1 shutdown p0 ");
  exits(0, WorkerPhase::kShutdown, 0, {}, 0);
  EXPECT_EQ(last_note_,
            "process000 exited with 74: replaced: 11 attempts failed in it, 0 succeeded");
}

// C250
TEST_F(WearTest, WornWorkerEndsWhatItHasReadBeforeItIsShutDown) {
  begin(1);
  ready(0);
  run_through(0, 9, AttemptStatus::kRunException);
  give(10);
  give(11);
  EXPECT_EQ(answer(0, 10, AttemptStatus::kRunException), "10:1 back 1 from p0 ");
  supervisor_->taken_back(0, {}, now_, out_);  // it has read 11 already
  EXPECT_EQ(said(), "");
  EXPECT_EQ(give(12), "");
  EXPECT_EQ(answer(0, 11), "11:0 shutdown p0 ");
  EXPECT_EQ(exits(0, WorkerPhase::kShutdown), "start p1 ");
  EXPECT_TRUE(
      last_note_.starts_with("process000 exited with -11: process000 was killed by SIGSEGV "
                             "in shutdown()"))
      << last_note_;
}

// C251
TEST_F(WearTest, WorkerGetsNoMoreMiniBatchesThanItMayDo) {
  limits_.wear.batches_max = 2;
  begin(1);
  ready(0);
  EXPECT_EQ(give(0), "0>p0 ");
  EXPECT_EQ(give(1), "1>p0 ");
  EXPECT_EQ(answer(0, 0), "0:0 ");
  EXPECT_EQ(give(2), "");
  EXPECT_EQ(answer(0, 1), "1:0 shutdown p0 ");
  EXPECT_EQ(exits(0, WorkerPhase::kShutdown, 0, {}, 0), "start p1 ");
  EXPECT_EQ(last_note_,
            "process000 exited with 82: replaced: it has done 2 mini-batches "
            "(max_batches_per_worker)");
  EXPECT_EQ(ready(1), "load p1:0 2>p1 ");
}

// C251
TEST_F(WearTest, WorkerThatHasGrownTooLargeIsReplacedBetweenTwoMiniBatches) {
  limits_.wear.rss_max = 100 << 20;
  begin(1);
  ready(0);
  give(0);
  supervisor_->weighed(0, 100 << 20);
  EXPECT_EQ(answer(0, 0), "0:0 ");
  give(1);
  supervisor_->weighed(0, 101 << 20);
  EXPECT_EQ(answer(0, 1), "1:0 shutdown p0 ");
  exits(0, WorkerPhase::kShutdown, 0, {}, 0);
  EXPECT_NE(last_note_.find("max_rss_per_worker"), std::string::npos);
}

// C251
TEST_F(WearTest, ReplacedWorkersAreNoDeathsThatNobodyPaidFor) {
  limits_.wear.batches_max = 1;
  begin(1);
  for (ProcessNumber process = 0; process < 20; ++process) {
    ready(process);
    give(process);
    answer(process, process);
    EXPECT_EQ(exits(process, WorkerPhase::kShutdown), fmt::format("start p{} ", process + 1));
  }
}

// C251
TEST_F(WearTest, WornWorkerThatHangsInShutdownIsEnded) {
  limits_.wear.batches_max = 1;
  begin(1);
  ready(0);
  give(0);
  answer(0, 0);
  EXPECT_LE(supervisor_->next_check(), now_ + seconds(30));
  now_ += seconds(31);
  EXPECT_EQ(check({{0, page(WorkerPhase::kShutdown, 0, seconds(31))}}), "kill p0 ");
  EXPECT_EQ(exits(0, WorkerPhase::kShutdown, 0, {}, 9), "start p1 ");
  EXPECT_NE(last_note_.find("exited with 82"), std::string::npos);
  EXPECT_NE(last_note_.find("the end of the process after it, took longer than 30 s"),
            std::string::npos);
}

// C252
TEST_F(WearTest, EndsOfWorkersAreNotedWithTheirCode) {
  begin(1);
  ready(0);
  give(0);
  check({{0, page(WorkerPhase::kRun, 0, seconds(61))}});
  exits(0, WorkerPhase::kRun, 0, {}, 9);
  EXPECT_TRUE(last_note_.starts_with("process000 exited with 71: run() took longer than 60 s; "));
  ready(1);
  exits(1, WorkerPhase::kIdle, 0, {}, 15);
  EXPECT_EQ(last_note_,
            "process001 exited with -15: process001 was killed by SIGTERM between two "
            "mini-batches");
  ready(2);
  supervisor_->stop(StopMode::kNow, now_, out_);
  said();
  exits(2, WorkerPhase::kIdle, 0, {}, 9);
  EXPECT_EQ(last_note_, "process002 exited with 82: told to stop; the job is stopping");
}

// C232
TEST_F(WearTest, InitTimeoutOfOneWorkerIsWhatWasSaid) {
  limits_.init_limit = seconds(5);
  begin(1);
  EXPECT_LE(supervisor_->next_check(), now_ + seconds(5));
  now_ += seconds(5) + milliseconds(1);
  EXPECT_EQ(check({{0, page(WorkerPhase::kInit, 0, seconds(5))}}), "stack p0 ");
  EXPECT_EQ(exits(0, WorkerPhase::kInit), "load p0:2 start p1 ");
  EXPECT_EQ(last_note_,
            "process000 exited with 71: init() took longer than 5 s; init_timeout sets that limit");
}

// C233: vector 22
TEST_F(WearTest, ThirteenthWorkerOfFourIsNeverStarted) {
  EXPECT_EQ(begin(4), "start p0 start p1 start p2 start p3 ");
  std::string all;
  for (ProcessNumber process = 0; process < 12; ++process) {
    supervisor_->load_failed(
        process,
        {.process = process, .status = LoadStatus::kException, .error_message = "no model"},
        now_,
        out_);
    all += said() + exits(process, WorkerPhase::kInit, 0, {}, 0);
  }
  EXPECT_NE(all.find("start p11 "), std::string::npos);
  EXPECT_EQ(all.find("start p12 "), std::string::npos);
  EXPECT_TRUE(all.ends_with("gave up "));
}

}  // namespace
}  // namespace windrow
