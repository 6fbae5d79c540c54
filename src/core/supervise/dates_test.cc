// SPDX-License-Identifier: Apache-2.0
//
// When attempts began that ended with their worker, and how long they took.
#include <algorithm>

#include <gtest/gtest.h>

#include "core/supervise/supervisor_test.h"

namespace windrow {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr WallTime kDied{1'000'000 * kSecond};

class DatesTest : public testing::Test, protected SupervisorProbe {
 protected:
  void SetUp() override {
    begin(1);
    ready(0);
    give(5);
    give(6);
  }
  // The reports of a worker that ends so, with mini-batch 6 not read yet.
  std::vector<AttemptRecord> ends_in(WorkerPhase phase, Duration since) {
    WorkerEnd end{.process = 0, .signal = 11};
    end.page = page(phase, 5, since);
    supervisor_->exited(end, {}, now_, kDied, out_);
    std::vector<AttemptRecord> out;
    for (const Order& order : out_) {
      if (const auto* one = std::get_if<order::ReportAttempt>(&order)) out.push_back(one->record);
    }
    return out;
  }
};

// C906
TEST_F(DatesTest, OneThatDiedInRunBeganWhenThePageSaysSo) {
  now_ += seconds(10);
  const std::vector<AttemptRecord> ends = ends_in(WorkerPhase::kRun, seconds(10) - milliseconds(1));
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(ends[0].status, AttemptStatus::kProcessDied);
  EXPECT_EQ(ends[0].start.nanoseconds, kDied.nanoseconds - 10 * kSecond);
  EXPECT_EQ(ends[0].elapsed_us, 10'000'000U);
  EXPECT_EQ(ends[0].run_us, 9'999'000U);
  EXPECT_EQ(ends[1].status, AttemptStatus::kReturned);
  EXPECT_EQ(ends[1].start.nanoseconds, 0) << "C907: it was read and never begun";
  EXPECT_FALSE(is_attempt(ends[1])) << "C905";
}

// C906
TEST_F(DatesTest, WhatWasBehindAnotherBeganWithTheAnswerBefore) {
  now_ += seconds(4);
  answer(0, 5);
  now_ += seconds(6);
  WorkerEnd end{.process = 0, .signal = 11};
  end.page = page(WorkerPhase::kSerialise, 6, seconds(1));
  supervisor_->exited(end, {}, now_, kDied, out_);
  const auto* one = std::get_if<order::ReportAttempt>(&out_.at(1));
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->record.elapsed_us, 6'000'000U);
  EXPECT_EQ(one->record.run_us, 5'000'000U);
}

// C905
TEST_F(DatesTest, OneThatIsReturnedFromInsideRunWasAnAttemptAndHasItsTimes) {
  now_ += seconds(3);
  supervisor_->stop(StopMode::kNow, now_, out_);
  out_.clear();
  const std::vector<AttemptRecord> ends = ends_in(WorkerPhase::kRun, seconds(2));
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(ends[0].status, AttemptStatus::kReturned);
  EXPECT_TRUE(is_attempt(ends[0]));
  EXPECT_EQ(ends[0].run_us, 2'000'000U);
  EXPECT_FALSE(is_attempt(ends[1]));
}

// C905
TEST_F(DatesTest, OneThatIsReturnedWhileItIsLoadedHasNotRun) {
  now_ += seconds(3);
  supervisor_->stop(StopMode::kNow, now_, out_);
  out_.clear();
  EXPECT_FALSE(is_attempt(ends_in(WorkerPhase::kLoad, seconds(2)).at(0)));
}

// C906
TEST_F(DatesTest, APageThatLiesCannotDateAnAttemptBeforeItWasHandedOut) {
  now_ += seconds(3);
  EXPECT_EQ(ends_in(WorkerPhase::kRun, seconds(500)).at(0).elapsed_us, 3'000'000U);
}

// C906
TEST_F(DatesTest, AStartThatFailedTookAsLongAsItTook) {
  supervisor_.emplace(limits_);
  supervisor_->begin(now_, out_);
  now_ += seconds(7);
  out_.clear();
  WorkerEnd end{.process = 0, .signal = 11};
  end.page = page(WorkerPhase::kInit, 0, seconds(5));
  supervisor_->exited(end, {}, now_, kDied, out_);
  const auto is_load = [](const Order& order) {
    return std::holds_alternative<order::ReportLoad>(order);
  };
  const auto load = std::ranges::find_if(out_, is_load);
  ASSERT_NE(load, out_.end());
  EXPECT_EQ(std::get<order::ReportLoad>(*load).load.elapsed_us, 5'000'000U);
  EXPECT_EQ(std::get<order::ReportLoad>(*load).load.start.nanoseconds,
            kDied.nanoseconds - 5 * kSecond);
}

}  // namespace
}  // namespace windrow
