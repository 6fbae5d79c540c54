// SPDX-License-Identifier: Apache-2.0
#include "core/progress/next_step.h"

#include <gtest/gtest.h>

namespace windrow {
namespace {

class NextStepTest : public ::testing::Test {
 protected:
  NextStepTest() {
    spec_.append_row_to = {"rows"};
    spec_.limits.error_threshold = 0;
    spec_.limits.mini_batch_error_threshold = -1;
    job_.batches = 4;
    job_.listing_ended = true;
    job_.counts.items = 8;
    job_.counts.items_succeeded = 5;
    job_.counts.items_failed = 3;
    job_.finished = fact::Finished{JobStatus::kFailed, "too many", {}};
  }

  NextStep next(bool code_changed = false) const {
    return next_step(job_, spec_, "nightly", code_changed);
  }

  // Nothing is left to run: three mini-batches lack a result.
  void all_done() { job_.kept = {.items_failed = 3, .shorts = 3, .everything = true}; }

  JobOutline job_;
  JobSpec spec_;
};

// C965
TEST_F(NextStepTest, WithSomethingToRunAFixedScriptIsAccepted) {
  EXPECT_EQ(next().command, "windrow job resume nightly --changed-code");
  EXPECT_EQ(next().kind, NextKind::kFix);
  EXPECT_EQ(next(true).command, next().command);
}

// C965
TEST_F(NextStepTest, WhatStaysAndIsTooMuchNeedsAnotherLimit) {
  job_.kept.items_failed = 2;
  EXPECT_EQ(next().command, "windrow job resume nightly --changed-code --error-threshold 3");
  spec_.limits.error_threshold = 2;
  EXPECT_EQ(next().command, "windrow job resume nightly --changed-code");
}

// C965
TEST_F(NextStepTest, WithEverythingDoneOnlyAnotherLimitHelps) {
  all_done();
  EXPECT_EQ(next().kind, NextKind::kRaise);
  EXPECT_EQ(next().command, "windrow job resume nightly --error-threshold 3");
  EXPECT_EQ(next(true).command, "windrow job resume nightly --changed-code --error-threshold 3");
  spec_.limits.mini_batch_error_threshold = 2;
  EXPECT_EQ(next().command, "windrow job resume nightly --error-threshold -1");
  spec_.limits.mini_batch_error_threshold = -1;
  spec_.limits.allowed_failed_percent = 50;
  EXPECT_EQ(next().command, "windrow job resume nightly --error-threshold -1");
}

// C966
TEST_F(NextStepTest, WithoutARowAndWithNothingToRunItStartsOver) {
  all_done();
  job_.counts.items_succeeded = 0;
  EXPECT_EQ(next().kind, NextKind::kStartOver);
  EXPECT_EQ(next().command, "");
  spec_.append_row_to.clear();  // no rows are kept, so none are missed
  EXPECT_EQ(next().kind, NextKind::kRaise);
}

TEST_F(NextStepTest, AJobThatFailedForGoodStartsOver) {
  job_.stopped = fact::Stopped{JobStatus::kFailed, "no file can be made", true};
  EXPECT_EQ(next().kind, NextKind::kStartOver);
}

TEST_F(NextStepTest, AnotherFailureWithEverythingDoneIsResumed) {
  all_done();
  spec_.limits.error_threshold = -1;
  EXPECT_EQ(next().kind, NextKind::kResume);
  EXPECT_EQ(next().command, "windrow job resume nightly");
}

TEST_F(NextStepTest, OneThatIsNotOverIsResumed) {
  job_.finished.reset();
  EXPECT_EQ(next().command, "windrow job resume nightly");
  EXPECT_EQ(next(true).command, "windrow job resume nightly --changed-code");
  job_.finished = fact::Finished{JobStatus::kCanceled, "canceled", {}};
  EXPECT_EQ(next().command, "windrow job resume nightly");
}

TEST_F(NextStepTest, OneThatIsCompleteIsRetriedWhereSomethingFailed) {
  job_.finished = fact::Finished{JobStatus::kCompleted, "", {}};
  EXPECT_EQ(next().command, "windrow retry nightly");
  all_done();  // results are missing, which no retry brings
  EXPECT_EQ(next().kind, NextKind::kNone);
}

}  // namespace
}  // namespace windrow
