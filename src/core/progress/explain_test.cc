// SPDX-License-Identifier: Apache-2.0
#include "core/progress/explain.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace windrow {
namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

bool has(const std::vector<std::string>& sentences, std::string_view part) {
  return std::ranges::any_of(sentences, [part](const auto& one) { return has(one, part); });
}

class ExplainTest : public testing::Test {
 protected:
  void SetUp() override {
    apply(fact::EpochBegan{1, 1, {}});
    apply(fact::Planned{{{3, 2}}, 10});
    apply(fact::ListingEnded{});
    apply(fact::SegmentOpened{0, 0, "0.1.seg"});
    job_ = {.name = "nightly",
            .running = true,
            .next = {NextKind::kFix, "windrow job resume nightly"},
            .results = {"/out/rows.txt"},
            .failed_items = "/job/failed_items.jsonl"};
  }
  void apply(const Fact& fact) {
    ASSERT_TRUE(state_.check(fact));
    state_.apply(fact);
    if (const auto* ended = std::get_if<fact::AttemptEnded>(&fact)) {
      stories_[ended->record.token.batch].push_back(*ended);
    }
  }
  void ends(BatchId batch, std::uint32_t picked, AttemptStatus status, Verdict verdict) {
    fact::AttemptEnded ended{.verdict = verdict};
    ended.record.token = {1, batch, picked};
    ended.record.process = 3;
    ended.record.status = status;
    ended.record.elapsed_us = status == AttemptStatus::kReturned ? 0 : 15000;
    if (verdict == Verdict::kDone) {
      ended.record.returned = ended.succeeded = 2;
      ended.record.rows = {0, 100, 10};
    } else if (status == AttemptStatus::kRunException) {
      ended.record.error_type = "ValueError";
      ended.record.error_message = "no good";
    }
    apply(ended);
  }
  std::vector<std::string> job() { return explain_job(outline_of(state_), job_); }
  std::vector<std::string> batch(BatchId id) {
    BatchStory story = story_of(state_, id);
    story.items = {"/in/a", "/in/b"};
    story.attempts = stories_[id];
    return explain_batch(outline_of(state_), job_, story);
  }

  JobState state_;
  JobCircumstances job_;
  std::map<BatchId, std::vector<fact::AttemptEnded>> stories_;
};

// C620
TEST_F(ExplainTest, AJobThatRunsSaysHowFarItIsAndWhatItWaitsFor) {
  ends(0, 1, AttemptStatus::kRunDone, Verdict::kDone);
  EXPECT_TRUE(has(job()[0], "Job nightly is running: it began ")) << job()[0];
  EXPECT_EQ(job()[1], "1 of 3 mini-batches is done.");
  EXPECT_EQ(job()[2], "2 mini-batches are with a worker or wait for one.");
  ends(1, 1, AttemptStatus::kRunDone, Verdict::kDone);
  ends(2, 1, AttemptStatus::kRunDone, Verdict::kDone);
  EXPECT_EQ(job()[2], "It waits for the disk to keep the last rows.");
  apply(fact::SegmentSynced{0, 1000, {}});
  EXPECT_EQ(job()[2], "Every mini-batch is final; the rows are being merged.");
  apply(fact::Publishing{"/out/rows.txt", 1, 2});
  EXPECT_EQ(job()[2], "Its result is being published.");
}

// C620
TEST_F(ExplainTest, AJobThatNobodyWorksOnSaysHowItGoesOn) {
  job_.running = false;
  EXPECT_TRUE(has(job()[0], "is not over: it began")) << job()[0];
  EXPECT_TRUE(has(job().back(), "`windrow job resume nightly` continues")) << job().back();
  apply(fact::EpochBegan{2, 1, {}});
  EXPECT_TRUE(has(job()[0], "and was taken up again 1 time.")) << job()[0];
}

// C620
TEST_F(ExplainTest, AJobThatIsOverSaysHowAndWhy) {
  job_.running = false;
  ends(0, 1, AttemptStatus::kRunException, Verdict::kRetry);
  apply(fact::Stopped{JobStatus::kFailed, "too many"});
  apply(fact::Finished{JobStatus::kFailed, "too many", {}});
  EXPECT_TRUE(has(job()[0], "Job nightly failed ")) << job()[0];
  EXPECT_TRUE(has(job(), "1 of 1 attempt ended with ValueError: no good."));
  EXPECT_TRUE(has(job().back(), "The reason: too many. `windrow job resume nightly`"))
      << job().back();
  apply(fact::Reopened{});
  apply(fact::Finished{JobStatus::kCompleted, "", {}});
  EXPECT_EQ(job().back(), "The result is in /out/rows.txt.");
  apply(fact::Reopened{});
  apply(fact::Finished{JobStatus::kCanceled, "canceled", {}});
  EXPECT_TRUE(has(job().back(), "Somebody stopped it.")) << job().back();
}

TEST_F(ExplainTest, AJobThatFailedForGoodIsNotToldToGoOn) {
  job_.running = false;
  apply(fact::Stopped{JobStatus::kFailed, "no file can be made", true});
  apply(fact::Finished{JobStatus::kFailed, "no file can be made", {}});
  job_.next = {NextKind::kStartOver, ""};
  EXPECT_EQ(job().back(),
            "The reason: no file can be made. It cannot continue: fix the script, and start over.");
}

// C621
TEST_F(ExplainTest, AMiniBatchTellsAttemptByAttempt) {
  ends(0, 1, AttemptStatus::kRunException, Verdict::kRetry);
  ends(0, 2, AttemptStatus::kReturned, Verdict::kReturned);
  ends(0, 3, AttemptStatus::kRunDone, Verdict::kDone);
  const std::vector<std::string> said = batch(0);
  ASSERT_EQ(said.size(), 5U);
  EXPECT_EQ(said[0], "Mini-batch 0 has 2 items, from '/in/a' on.");
  EXPECT_TRUE(has(said[1], "in process003, 15 ms): ValueError: no good; charged as try 1."))
      << said[1];
  EXPECT_TRUE(has(said[2], "it was handed back before it was begun; not charged.")) << said[2];
  EXPECT_TRUE(has(said[3], "run() returned 2 results; 2 items succeeded.")) << said[3];
  EXPECT_EQ(said[4], "It has returned; its rows wait for the disk before they count.");
  apply(fact::SegmentSynced{0, 1000, {}});
  EXPECT_EQ(batch(0).back(), "It is committed: 2 of 2 items succeeded.");
}

// C906 C907
TEST_F(ExplainTest, AHandOutThatWasNeverBegunHasNoDateAndOneThatHadRunDoes) {
  ends(0, 1, AttemptStatus::kReturned, Verdict::kReturned);
  EXPECT_EQ(batch(0)[1],
            "Hand-out 1 (node 0): it was handed back before it was begun; not charged.");
  fact::AttemptEnded ended{.verdict = Verdict::kReturned};
  ended.record.token = {1, 1, 1};
  ended.record.status = AttemptStatus::kReturned;
  ended.record.start = {1'794'744'000'000'000'000};
  ended.record.elapsed_us = 3'000'000;
  apply(ended);
  EXPECT_EQ(
      batch(1)[1],
      "Hand-out 1 (2026-11-15 12:00:00,000, node 0 in process000, 3.0 s): its worker was ended "
      "before it was done; not charged.");
  EXPECT_EQ(state_.counts().attempts, 1U) << "C905: the other one was never begun";
}

// C910
TEST_F(ExplainTest, AnAttemptThatLostIsReportedToo) {
  ends(0, 2, AttemptStatus::kRunDone, Verdict::kDone);
  ends(0, 1, AttemptStatus::kRunDone, Verdict::kOvertaken);
  EXPECT_TRUE(has(batch(0)[2], "in process003, 15 ms): another attempt was first; not charged."))
      << batch(0)[2];
  EXPECT_EQ(state_.counts().attempts, 2U);
  EXPECT_EQ(state_.counts().ended, 1U);
}

// C913
TEST_F(ExplainTest, WhatAWorkerIsAtIsToldFromWhatWaits) {
  const std::string log =
      "2026-11-15 12:00:01,000|INFO|42|LOAD_DONE address=127.0.0.1 pid=42 duration=1.000000\n"
      "2026-11-15 12:00:02,000|INFO|42|PICKED address=127.0.0.1 pid=42 task=1 picked=2 total=10\n";
  const std::optional<AtWork> found = at_work("process003", log);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->pid, 42);
  EXPECT_FALSE(at_work("process003", log + log.substr(0, log.find('\n') + 1))) << "it has ended";
  EXPECT_FALSE(at_work("process003", log.substr(0, log.size() - 1))) << "it is being written";
  EXPECT_FALSE(at_work("process003", ""));
  ends(1, 1, AttemptStatus::kRunException, Verdict::kRetry);
  job_.at_work = {*found};
  EXPECT_EQ(batch(1).back(),
            "process003 has been working on it since 2026-11-15 12:00:02,000 (hand-out 2).");
  EXPECT_EQ(
      job().back(),
      "3 mini-batches are with a worker or wait for one: process003 has been at mini-batch 1 since "
      "2026-11-15 12:00:02,000.");
  ends(1, 2, AttemptStatus::kRunException, Verdict::kRetry);
  EXPECT_TRUE(has(batch(1).back(), "It is tried again")) << "the log is behind";
}

// C912
TEST_F(ExplainTest, TheStatusOfAJobIsAWord) {
  EXPECT_EQ(job_status(outline_of(state_), job_), "Running");
  job_.running = false;
  EXPECT_EQ(job_status(outline_of(state_), job_), "Stopped");
  apply(fact::Finished{JobStatus::kCanceled, "canceled", {}});
  EXPECT_EQ(job_status(outline_of(state_), job_), "Canceled");
}

// C621
TEST_F(ExplainTest, AMiniBatchThatWaitsSaysForWhat) {
  EXPECT_EQ(batch(2).back(),
            "It was not begun, or not before the last seconds: it waits behind 2 mini-batches.");
  ends(0, 1, AttemptStatus::kRunException, Verdict::kRetry);
  EXPECT_EQ(batch(0).back(),
            "It is tried again: it waits for a worker, or was begun in the last seconds.");
  ends(1, 1, AttemptStatus::kRunDone, Verdict::kDone);
  apply(fact::AgentLost{0, 0});
  EXPECT_EQ(batch(1).back(),
            "Its rows were lost before they were on the disk, so it is tried again.");
  job_.running = false;
  EXPECT_TRUE(has(batch(1).back(), "nothing works on the job")) << batch(1).back();
  apply(fact::Stopped{JobStatus::kCanceled, "canceled"});
  EXPECT_TRUE(has(batch(1).back(), "the job was over before")) << batch(1).back();
}

// C621
TEST_F(ExplainTest, AMiniBatchThatFailedSaysWhereItsItemsAre) {
  ends(0, 1, AttemptStatus::kRunException, Verdict::kRetry);
  ends(0, 2, AttemptStatus::kRunException, Verdict::kRetry);
  ends(0, 3, AttemptStatus::kRunException, Verdict::kFailed);
  EXPECT_EQ(batch(0).back(),
            "It has failed: 3 of 3 tries are used up. Its items are in /job/failed_items.jsonl; "
            "`windrow retry nightly` tries it again.");
}

// C621
TEST_F(ExplainTest, AHalvedMiniBatchNamesItsBadItems) {
  apply(fact::Halved{0, {0, 2}});
  EXPECT_TRUE(has(batch(0),
                  "It was halved to find what is bad in it: nothing so far; 2 items "
                  "are still to be tried."));
  fact::AttemptEnded bad{.verdict = Verdict::kFailed};
  bad.record.token = {1, 0, 2};
  bad.record.piece = {1, 1};
  bad.record.status = AttemptStatus::kProcessDied;
  bad.record.error_type = "ProcessDied";
  bad.record.error_message = "process003 was killed by SIGSEGV";
  apply(bad);
  EXPECT_TRUE(has(batch(0), "Hand-out 2, items 1 to 1 ("));
  EXPECT_TRUE(has(batch(0),
                  "It was halved to find what is bad in it: 1 item is bad "
                  "('/in/b'); 1 item is still to be tried."));
}

}  // namespace
}  // namespace windrow
