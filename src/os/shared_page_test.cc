// SPDX-License-Identifier: Apache-2.0
#include "os/shared_page.h"

#include <atomic>
#include <cstring>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

namespace windrow {
namespace {

struct Content {
  std::uint64_t sequence;
  std::uint32_t phase;
  std::uint32_t batch;
  std::uint32_t picked;
  std::uint32_t zero;
  std::int64_t since;
  std::uint64_t again;
};

class SharedPageTest : public testing::Test {
 public:
  void write(const Content& content) {
    ASSERT_EQ(::pwrite(page.descriptor(), &content, sizeof content, 0), ssize_t{sizeof content});
  }

  SharedPage page = *SharedPage::create();
  SteadyClock clock{monotonic_now()};
};

TEST_F(SharedPageTest, PageOfZerosIsAWorkerThatIsStarting) {
  EXPECT_EQ(page.read(clock).phase, WorkerPhase::kStarting);
  EXPECT_EQ(page.read(clock).since, TimePoint{});
}

TEST_F(SharedPageTest, WhatTheWorkerWroteIsRead) {
  write({1, 4, 7, 3, 0, 1234, 1});
  EXPECT_EQ(page.read(clock).phase, WorkerPhase::kRun);
  EXPECT_EQ(page.read(clock).batch, 7U);
  EXPECT_EQ(page.read(clock).picked, 3U);
  EXPECT_EQ(page.read(clock).since, TimePoint(Duration(1234)));
}

TEST_F(SharedPageTest, RowsOfATableAreToldOnceTheyAreLoaded) {
  write({1, 3, 7, 3, 0, 1234, 1});
  EXPECT_EQ(page.read(clock).items, std::nullopt);
  write({2, 4, 7, 3, 1, 1234, 2});
  EXPECT_EQ(page.read(clock).items, 0U);
  write({3, 5, 7, 3, 501, 1234, 3});
  EXPECT_EQ(page.read(clock).items, 500U);
}

TEST_F(SharedPageTest, HalfWrittenPageIsTheOneBefore) {
  write({1, 4, 7, 3, 0, 1234, 1});
  EXPECT_EQ(page.read(clock).batch, 7U);
  write({2, 5, 8, 1, 0, 5678, 1});
  EXPECT_EQ(page.read(clock).batch, 7U);
  EXPECT_EQ(page.read(clock).phase, WorkerPhase::kRun);
}

TEST_F(SharedPageTest, PhaseThatDoesNotExistIsNotBelieved) {
  write({1, 2, 0, 0, 0, 1234, 1});
  EXPECT_EQ(page.read(clock).phase, WorkerPhase::kIdle);
  write({2, 7, 0, 0, 0, 1234, 2});
  EXPECT_EQ(page.read(clock).phase, WorkerPhase::kIdle);
  write({3, 0, 0, 0, 0, 1234, 3});
  EXPECT_EQ(page.read(clock).phase, WorkerPhase::kIdle);
}

TEST_F(SharedPageTest, BeginningInTheFutureIsTheFirstLookAtIt) {
  const TimePoint before = monotonic_now();
  write({1, 4, 0, 0, 0, INT64_MAX, 1});
  const TimePoint since = page.read(clock).since;
  EXPECT_GE(since, before);
  EXPECT_LE(since, monotonic_now());
  EXPECT_EQ(page.read(clock).since, since);
  write({2, 4, 0, 0, 0, INT64_MIN, 2});
  EXPECT_EQ(page.read(clock).since, TimePoint{});
}

TEST_F(SharedPageTest, BeginningIsBroughtOverToTheClockOfTheLoop) {
  const TimePoint now = monotonic_now();
  SteadyClock paused(now - std::chrono::seconds(10));
  paused.turn(now, std::chrono::seconds(2));  // 8 seconds of pause
  write({1, 4, 0, 0, 0, now.time_since_epoch().count(), 1});
  EXPECT_EQ(page.read(paused).since, now - std::chrono::seconds(8));
}

TEST_F(SharedPageTest, WorkerCannotCutTheFileShort) {
  EXPECT_NE(::ftruncate(page.descriptor(), 0), 0);
  EXPECT_NE(::ftruncate(page.descriptor(), 65'536), 0);
  EXPECT_EQ(page.read(clock).phase, WorkerPhase::kStarting);
}

TEST_F(SharedPageTest, ReadingBesideAWriterGivesOnlyWhatWasWrittenTogether) {
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    for (std::uint32_t i = 1; !stop; ++i) write({i, 4, i, i + 1, 0, i, i});
  });
  std::uint32_t highest = 0;
  while (highest < 20'000) {
    const WorkerPage& seen = page.read(clock);
    if (seen.phase == WorkerPhase::kStarting) continue;
    ASSERT_EQ(seen.picked, seen.batch + 1);
    ASSERT_EQ(seen.since, TimePoint(Duration(seen.batch)));
    ASSERT_GE(seen.batch, highest);
    highest = seen.batch;
  }
  stop = true;
  writer.join();
}

}  // namespace
}  // namespace windrow
