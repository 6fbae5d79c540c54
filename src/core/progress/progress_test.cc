// SPDX-License-Identifier: Apache-2.0
#include "core/progress/progress.h"

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

}  // namespace
}  // namespace windrow
