// SPDX-License-Identifier: Apache-2.0
#include "core/supervise/memory_guard.h"

#include <gtest/gtest.h>

namespace windrow {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t kMegabyte = 1 << 20U;
constexpr std::uint64_t kGigabyte = 1 << 30U;

class MemoryGuardTest : public testing::Test {
 protected:
  // Tells of one room, so much later than before.
  void sample(std::uint64_t available, std::uint64_t total, Duration later = {}) {
    now_ += later;
    guard_.sampled({{.total = total, .available = available}}, now_);
  }

  TimePoint now_ = TimePoint(seconds(1000));
  MemoryGuard guard_{4};
};

// C692
TEST_F(MemoryGuardTest, WhatTheJobMayUseIsARoomAsAnyOther) {
  const MemoryRoom machine{.total = 64 * kGigabyte, .available = 60 * kGigabyte};
  guard_.sampled({machine, {.total = kGigabyte, .available = kGigabyte / 2, .of_job = true}}, now_);
  EXPECT_FALSE(guard_.low());
  guard_.sampled({machine, {.total = kGigabyte, .available = kGigabyte / 20, .of_job = true}},
                 now_);
  EXPECT_TRUE(guard_.low());
  EXPECT_EQ(guard_.room_text(), "51.2 MB of 1.0 GB available by memory_limit");
}

// C570
TEST_F(MemoryGuardTest, LowIsLessThanATenthAndOnLargeMachinesLessThanTwoGigabytes) {
  sample(30, 300);
  EXPECT_FALSE(guard_.low());
  sample(29, 300);
  EXPECT_TRUE(guard_.low());
  EXPECT_FALSE(guard_.should_end_one(now_));
  sample(14, 300);
  EXPECT_TRUE(guard_.should_end_one(now_));

  sample(2 * kGigabyte, 512 * kGigabyte);
  sample(kGigabyte, 512 * kGigabyte);
  EXPECT_FALSE(guard_.should_end_one(now_));
  sample(kGigabyte - 1, 512 * kGigabyte);
  EXPECT_TRUE(guard_.should_end_one(now_));
  sample(3 * kGigabyte, 512 * kGigabyte);
  EXPECT_FALSE(guard_.low());
}

// C570
TEST_F(MemoryGuardTest, TheRoomThatIsTightestByItsOwnMarkCounts) {
  const MemoryRoom machine{.total = 512 * kGigabyte, .available = 3 * kGigabyte / 2};
  const MemoryRoom group{.total = kGigabyte, .available = kGigabyte / 2};
  guard_.sampled({machine, group}, now_);
  EXPECT_TRUE(guard_.low());
  EXPECT_EQ(guard_.room_text(), "1.5 GB of 512.0 GB available");
  guard_.sampled({machine, {.total = 300 * kMegabyte, .available = 20 * kMegabyte}}, now_);
  EXPECT_EQ(guard_.room_text(), "20.0 MB of 300.0 MB available");
}

// C570
TEST_F(MemoryGuardTest, WhatNobodyKnowsIsFine) {
  sample(1, 300);
  guard_.sampled({}, now_);
  EXPECT_FALSE(guard_.low());
  EXPECT_FALSE(guard_.should_end_one(now_));
  EXPECT_EQ(guard_.sample_again_in(), milliseconds(500));
  sample(0, 0);  // a group that may have nothing at all
  EXPECT_TRUE(guard_.low());
}

// C571
TEST_F(MemoryGuardTest, MemoryIsFineAgainOnlyWithSomeToSpare) {
  sample(29, 300);
  sample(44, 300);
  EXPECT_TRUE(guard_.low());
  EXPECT_EQ(guard_.workers_max(), 1U);
  sample(45, 300);
  EXPECT_FALSE(guard_.low());
  EXPECT_EQ(guard_.workers_max(), 4U);  // nobody was ended
}

// C572
TEST_F(MemoryGuardTest, OneASecondIsEndedAtMost) {
  sample(1, 300);
  EXPECT_TRUE(guard_.should_end_one(now_));
  guard_.ended_one(3, now_);
  sample(1, 300, milliseconds(999));
  EXPECT_FALSE(guard_.should_end_one(now_));
  sample(1, 300, milliseconds(1));
  EXPECT_TRUE(guard_.should_end_one(now_));
}

// C573
TEST_F(MemoryGuardTest, OneMoreWorkerEachTimeThatMemoryWasFineForAWhile) {
  sample(1, 300);
  guard_.ended_one(2, now_);
  sample(200, 300, milliseconds(100));
  EXPECT_EQ(guard_.workers_max(), 2U);
  sample(200, 300, milliseconds(4800));
  EXPECT_EQ(guard_.workers_max(), 2U);
  sample(200, 300, milliseconds(100));
  EXPECT_EQ(guard_.workers_max(), 3U);
  sample(20, 300, milliseconds(4900));  // which is not calm
  sample(200, 300, milliseconds(100));
  EXPECT_EQ(guard_.workers_max(), 3U);
  sample(200, 300, seconds(5));
  EXPECT_EQ(guard_.workers_max(), 4U);
  sample(200, 300, seconds(500));
  EXPECT_EQ(guard_.workers_max(), 4U);
}

// C573
TEST_F(MemoryGuardTest, WhenOneMoreWasOneTooManyTheNextComesLater) {
  sample(1, 300);
  guard_.ended_one(2, now_);
  guard_.ended_one(1, now_);  // of the same trouble
  for (const int calm : {5, 10, 20, 40, 60, 60}) {
    sample(200, 300, seconds(calm) - milliseconds(1));
    EXPECT_EQ(guard_.workers_max(), 1U) << calm;
    sample(200, 300, milliseconds(1));
    EXPECT_EQ(guard_.workers_max(), 2U) << calm;
    sample(1, 300, seconds(1));
    guard_.ended_one(1, now_);
  }
}

// C570
TEST_F(MemoryGuardTest, TheLessThereIsTheSoonerItIsLookedAtAgain) {
  EXPECT_EQ(guard_.sample_again_in(), milliseconds(500));
  sample(200, 300);
  EXPECT_EQ(guard_.sample_again_in(), milliseconds(500));
  sample(60, 300);
  EXPECT_EQ(guard_.sample_again_in(), milliseconds(200));
  sample(15, 300);
  EXPECT_EQ(guard_.sample_again_in(), milliseconds(50));
  sample(0, 300);
  EXPECT_EQ(guard_.sample_again_in(), milliseconds(20));
}

// C692
TEST(RoomOfJob, IsFourFifthsOfTheSmallestUnlessALimitIsSaid) {
  const std::vector<MemoryRoom> rooms = {{.total = 5000}, {.total = 1000}};
  EXPECT_EQ(room_of_job(rooms, std::nullopt, 300).total, 800U);
  EXPECT_EQ(room_of_job(rooms, std::nullopt, 300).available, 500U);
  EXPECT_EQ(room_of_job(rooms, 900, 300).total, 900U);
  EXPECT_EQ(room_of_job(rooms, 200, 300).available, 0U);
  EXPECT_TRUE(room_of_job(rooms, 200, 300).of_job);
  EXPECT_EQ(room_of_job({}, std::nullopt, 300).total, UINT64_MAX);
}

}  // namespace
}  // namespace windrow
