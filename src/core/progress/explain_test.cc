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
            .resume = "windrow job resume nightly",
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
    ended.record.elapsed_us = 15000;
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
  EXPECT_TRUE(has(job().back(), "`windrow job resume nightly` goes on")) << job().back();
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
  EXPECT_EQ(job().back(),
            "The reason: no file can be made. It cannot go on: mend the script, and start afresh.");
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
  EXPECT_TRUE(has(said[2], "it was handed back unprocessed; not charged.")) << said[2];
  EXPECT_TRUE(has(said[3], "run() returned 2 results; 2 items succeeded.")) << said[3];
  EXPECT_EQ(said[4], "It has returned; its rows wait for the disk before they count.");
  apply(fact::SegmentSynced{0, 1000, {}});
  EXPECT_EQ(batch(0).back(), "It is committed: 2 of 2 items succeeded.");
}

// C621
TEST_F(ExplainTest, AMiniBatchThatWaitsSaysForWhat) {
  EXPECT_EQ(batch(2).back(),
            "No attempt at it has ended: it is with a worker, or waits behind 2 mini-batches.");
  ends(0, 1, AttemptStatus::kRunException, Verdict::kRetry);
  EXPECT_EQ(batch(0).back(), "It is tried again: it is with a worker, or waits for one.");
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
