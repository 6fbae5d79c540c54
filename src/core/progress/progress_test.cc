// SPDX-License-Identifier: Apache-2.0
#include "core/progress/progress.h"

#include <deque>
#include <optional>
#include <utility>
#include <variant>

#include <gtest/gtest.h>

namespace windrow {
namespace {

Progress half_way() {
  Progress progress;
  progress.created = 1000;
  progress.all_created = true;
  progress.processed = 500;
  progress.workers = 2;
  progress.rate = 100;
  return progress;
}

TEST(ProgressLine, SaysCountsTimeLeftRateAndWorkers) {
  EXPECT_EQ(progress_line(half_way()),
            "500 of 1,000 mini-batches (50 %), 6 s left, 100/s, 2 workers");
}

TEST(ProgressLine, GivesNoTimeLeftWhileFilesAreStillListed) {
  Progress progress = half_way();
  progress.all_created = false;
  EXPECT_EQ(progress_line(progress), "500 of 1,000+ mini-batches, 100/s, 2 workers");
}

TEST(ProgressLine, SaysHowManyFailed) {
  Progress progress = half_way();
  progress.failed = 1;
  progress.workers = 1;
  EXPECT_EQ(progress_line(progress),
            "500 of 1,000 mini-batches (50 %), 1 failed, 6 s left, 100/s, 1 worker");
}

// C539
TEST(ProgressLine, SaysForHowLongInitHasBeenRunning) {
  Progress progress = half_way();
  progress.processed = 0;
  progress.rate = 0;
  progress.in_init = std::chrono::milliseconds(3900);
  EXPECT_EQ(progress_line(progress), "0 of 1,000 mini-batches (0 %), init() for 3 s, 2 workers");
  progress.in_init = std::chrono::milliseconds(900);
  EXPECT_EQ(progress_line(progress), "0 of 1,000 mini-batches (0 %), 2 workers");
}

// C692
TEST(ProgressLine, SaysThatMemoryIsLow) {
  Progress progress = half_way();
  progress.memory_low = true;
  EXPECT_EQ(progress_line(progress),
            "500 of 1,000 mini-batches (50 %), memory is low, 6 s left, 100/s, 2 workers");
}

TEST(ProgressBar, FillsAWideTerminalWithFortyCells) {
  EXPECT_EQ(progress_bar(half_way(), 120, false),
            " 50 % ####################.................... 500/1,000, 6 s left, 100/s, 2 workers");
}

TEST(ProgressBar, IsNeverWiderThanTheTerminalAndLeavesNothingOutInPart) {
  Progress progress = half_way();
  progress.failed = 3;
  for (std::uint32_t width = 0; width < 120; ++width) {
    EXPECT_LE(progress_bar(progress, width, false).size(), width);
  }
  EXPECT_EQ(progress_bar(progress, 42, false), " 50 % 500/1,000, 3 failed, 6 s left, 100/s");
  EXPECT_EQ(progress_bar(progress, 40, false), " 50 % 500/1,000, 3 failed, 6 s left");
  EXPECT_EQ(progress_bar(progress, 20, false), " 50 % 500/1,000");
}

TEST(ProgressBar, ShowsFailuresInRed) {
  Progress progress = half_way();
  progress.failed = 3;
  EXPECT_EQ(progress_bar(progress, 40, true), " 50 % 500/1,000, \x1b[31m3 failed\x1b[0m, 6 s left");
}

// A job with a hundred mini-batches and one agent that takes ten at a time.
class MeterTest : public testing::Test {
 protected:
  MeterTest() : scheduler_(JobState(), Limits()) {
    Decision decision;
    scheduler_.begin(fact::EpochBegan{1, 1, {}}, at(0), std::nullopt, decision);
    decide(event::Planned{{{100, 1}}, 10}, 0);
    decide(event::ListingEnded{}, 0);
    decide(event::AgentJoined{0, 2, 10, "0.1.seg"}, 0);
  }

  static TimePoint at(int ms) { return TimePoint(std::chrono::milliseconds(ms)); }

  void decide(Event event, int ms) {
    Decision decision;
    scheduler_.decide(std::move(event), at(ms), {}, decision);
    for (const Action& action : decision.actions) {
      if (const auto* assign = std::get_if<action::Assign>(&action)) held_.push_back(assign->token);
    }
  }

  // One more mini-batch is done.
  void done(int ms) {
    AttemptRecord record;
    record.token = held_.front();
    record.returned = 1;
    held_.pop_front();
    decide(event::AttemptEnded{record}, ms);
  }

  double rate(int ms) { return meter_.measure(scheduler_, at(ms), 0).rate; }

  Scheduler scheduler_;
  ProgressMeter meter_;
  std::deque<Token> held_;
};

TEST_F(MeterTest, RateLeavesOutTheTimeBeforeTheFirstMiniBatch) {
  EXPECT_EQ(rate(0), 0);
  EXPECT_EQ(rate(5000), 0);
  done(5100);
  EXPECT_EQ(rate(5200), 0);
  done(5300);
  done(5350);
  EXPECT_NEAR(rate(5400), 10, 0.01);
}

TEST_F(MeterTest, RateOfASteadyJobIsItsSpeed) {
  EXPECT_EQ(rate(0), 0);
  done(100);
  for (int turn = 1; turn <= 40; ++turn) {
    static_cast<void>(rate(100 * turn));
    done(100 * turn + 50);
  }
  EXPECT_NEAR(rate(4100), 10, 0.01);
}

TEST_F(MeterTest, RateFallsWhenNothingHappens) {
  EXPECT_EQ(rate(0), 0);
  done(100);
  EXPECT_EQ(rate(200), 0);
  done(300);
  const double before = rate(400);
  EXPECT_LT(rate(10400), before / 10);
}

// C539
TEST_F(MeterTest, TimeInInitCountsUntilOneWorkerHasGotThroughIt) {
  EXPECT_EQ(meter_.measure(scheduler_, at(2500), 0).in_init, std::chrono::milliseconds(2500));
  decide(event::LoadEnded{fact::LoadEnded{.process = 0, .status = LoadStatus::kDone}}, 3000);
  EXPECT_EQ(meter_.measure(scheduler_, at(4000), 0).in_init, std::nullopt);
}

}  // namespace
}  // namespace windrow
