// SPDX-License-Identifier: Apache-2.0
#include "core/progress/all_failed.h"

#include <gtest/gtest.h>

namespace windrow {
namespace {

// A job of 100 mini-batches.
class AllFailedTest : public testing::Test {
 protected:
  AllFailedTest() {
    state_.apply(fact::EpochBegan{1, 1, {}});
    state_.apply(fact::Planned{{{.batches = 100, .items = 2}}, 1});
    state_.apply(fact::ListingEnded{});
    state_.apply(fact::SegmentOpened{0, 0, "0.1.seg"});
  }

  void ends(Verdict verdict, const std::string& error) {
    fact::AttemptEnded ended{.verdict = verdict};
    ended.record.token = {1, next_++, 1};
    ended.record.error_type = error;
    ended.record.error_message = error.empty() ? "" : "no\nsecond line";
    ended.succeeded = verdict == Verdict::kDone ? 2 : 0;
    state_.apply(ended);
  }
  void fail(int count, const std::string& error = "ValueError") {
    for (int i = 0; i < count; ++i) ends(Verdict::kFailed, error);
  }
  [[nodiscard]] bool warns(std::uint32_t workers) const {
    return all_failed_warning(state_, workers).has_value();
  }

  JobState state_;
  BatchId next_ = 0;
};

// C585
TEST_F(AllFailedTest, NamesTheMostFrequentErrorAndWhatEndsSuchAJob) {
  fail(4, "KeyError");
  fail(8);
  EXPECT_EQ(all_failed_warning(state_, 2),
            "all of the first 12 mini-batches have failed, most often with ValueError: no; the job "
            "continues: Ctrl-C stops it, and --error-threshold N (error_threshold in a job file) "
            "ends such a job after N failed items");
}

// C585
TEST_F(AllFailedTest, TenFailuresAreEnoughForFewWorkers) {
  fail(9);
  EXPECT_FALSE(warns(1));
  fail(1);
  EXPECT_TRUE(warns(1));
  EXPECT_TRUE(warns(5));
}

// C585
TEST_F(AllFailedTest, ManyWorkersMustHaveFailedTwiceEach) {
  fail(11);
  EXPECT_FALSE(warns(6));
  fail(1);
  EXPECT_TRUE(warns(6));
}

// C585
TEST_F(AllFailedTest, OneSuccessIsEnoughToSayNothing) {
  ends(Verdict::kDone, "");
  fail(50);
  EXPECT_FALSE(warns(1));
}

// C585
TEST_F(AllFailedTest, AJobThatIsOverOrStoppingNeedsNoWarning) {
  fail(20);
  state_.apply(fact::Stopped{.status = JobStatus::kFailed, .cause = "enough"});
  EXPECT_FALSE(warns(1));
  state_.apply(fact::Reopened{});
  EXPECT_TRUE(warns(1));
  fail(80);
  EXPECT_FALSE(warns(1));
}

}  // namespace
}  // namespace windrow
