// SPDX-License-Identifier: Apache-2.0
#include "os/clock_steady.h"

#include <gtest/gtest.h>

namespace windrow {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TimePoint at(int ms) { return TimePoint(milliseconds(ms)); }

TEST(SteadyClock, TurnThatIsALittleLateIsNoPause) {
  SteadyClock clock(at(1000));
  clock.turn(at(2400), milliseconds(500));
  EXPECT_EQ(clock.now(), at(2400));
  EXPECT_EQ(clock.paused(), Duration::zero());
}

TEST(SteadyClock, DelayOverOneSecondIsLeftOutWhole) {
  SteadyClock clock(at(1000));
  clock.turn(at(9000), milliseconds(500));
  EXPECT_EQ(clock.now(), at(1500));
  EXPECT_EQ(clock.paused(), milliseconds(7500));
  clock.turn(at(9100), milliseconds(100));
  EXPECT_EQ(clock.now(), at(1600));
}

TEST(SteadyClock, PausesAddUp) {
  SteadyClock clock(at(0));
  clock.turn(at(2000), Duration::zero());
  clock.turn(at(5000), Duration::zero());
  EXPECT_EQ(clock.paused(), seconds(5));
  EXPECT_EQ(clock.now(), at(0));
}

TEST(SteadyClock, TimesBeforeInsideAndAfterAPauseAreBroughtOver) {
  SteadyClock clock(at(1000));
  clock.turn(at(5000), Duration::zero());  // a pause from 1000 to 5000
  clock.turn(at(5500), milliseconds(500));
  clock.turn(at(8500), Duration::zero());  // and one from 5500 to 8500
  EXPECT_EQ(clock.from_monotonic(at(900)), at(900));
  EXPECT_EQ(clock.from_monotonic(at(1000)), at(1000));
  EXPECT_EQ(clock.from_monotonic(at(3000)), at(1000));
  EXPECT_EQ(clock.from_monotonic(at(5200)), at(1200));
  EXPECT_EQ(clock.from_monotonic(at(6000)), at(1500));
  EXPECT_EQ(clock.from_monotonic(at(8600)), at(1600));
  EXPECT_EQ(clock.from_monotonic(at(8500)), clock.now());
}

TEST(SteadyClock, TimeBeforeTheLoopRunsIsNoPause) {
  SteadyClock clock(at(0));
  clock.resume(at(5000));
  EXPECT_EQ(clock.now(), at(5000));
  EXPECT_EQ(clock.paused(), Duration::zero());
}

}  // namespace
}  // namespace windrow
