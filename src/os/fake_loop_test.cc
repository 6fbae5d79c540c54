// SPDX-License-Identifier: Apache-2.0
#include "os/fake_loop.h"

#include <string>

#include <gtest/gtest.h>

namespace windrow {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class FakeLoopTest : public testing::Test {
 protected:
  Loop::Callback say(const char* what) {
    return [this, what] { said_ += what; };
  }

  VirtualClock clock_;
  FakeLoop loop_{clock_};
  std::string said_;
};

TEST_F(FakeLoopTest, RunsTimersInOrderOfTimeThenOfSetting) {
  loop_.at(loop_.now() + seconds(2), say("c"));
  loop_.at(loop_.now() + seconds(1), say("a"));
  loop_.at(loop_.now() + seconds(1), say("b"));
  clock_.run_for(seconds(2));
  EXPECT_EQ(said_, "abc");
}

TEST_F(FakeLoopTest, DoesNotRunACancelledTimer) {
  const auto timer = loop_.at(loop_.now() + seconds(1), say("a"));
  loop_.cancel(timer);
  clock_.run_for(seconds(2));
  loop_.cancel(timer);
  EXPECT_EQ(said_, "");
}

TEST_F(FakeLoopTest, LeavesALongPauseOutOfItsTime) {
  const TimePoint before = loop_.now();
  loop_.at(before + seconds(10), say("timer "));
  clock_.run_for(seconds(4));
  loop_.pause();
  loop_.deliver(say("message "), seconds(1));
  clock_.run_for(seconds(100));
  EXPECT_EQ(said_, "");
  loop_.wake();
  EXPECT_EQ(loop_.now(), before + seconds(4));
  clock_.run_for(Duration(0));
  EXPECT_EQ(said_, "message ");
  clock_.run_for(seconds(6));
  EXPECT_EQ(said_, "message timer ");
}

TEST_F(FakeLoopTest, ShortPauseIsALateTimer) {
  loop_.at(loop_.now() + milliseconds(100), say("timer"));
  loop_.pause();
  clock_.run_for(milliseconds(900));
  loop_.wake();
  clock_.run_for(Duration(0));
  EXPECT_EQ(said_, "timer");
}

TEST_F(FakeLoopTest, KilledLoopDoesNothingMore) {
  loop_.at(loop_.now(), say("timer"));
  loop_.post(say("post"));
  loop_.blocking(say("work"), say("done"));
  loop_.kill();
  loop_.post(say("late"));
  clock_.run_for(seconds(1));
  EXPECT_EQ(said_, "");
}

TEST_F(FakeLoopTest, RunsBlockingWorkAndThenItsEnd) {
  loop_.blocking(say("work "), say("done"));
  EXPECT_EQ(said_, "");
  clock_.run_for(Duration(0));
  EXPECT_EQ(said_, "work done");
}

}  // namespace
}  // namespace windrow
