// SPDX-License-Identifier: Apache-2.0
#include "journal/appender.h"

#include <vector>

#include <gtest/gtest.h>

#include "os/fake_file_system.h"
#include "os/fake_loop.h"

namespace windrow {
namespace {

using std::chrono::milliseconds;

class AppenderTest : public testing::Test {
 protected:
  AppenderTest() {
    appender_ = std::make_unique<Appender>(
        loop_,
        *fs_.create("/file"),
        0,
        Appender::Options{},
        [this](std::uint64_t up_to) { synced_.push_back(up_to); },
        [this](const Error& error) { errors_.push_back(error.message); });
  }

  void append(const char* text) {
    appender_->buffer() += text;
    appender_->grown();
  }

  VirtualClock clock_;
  FakeLoop loop_{clock_};
  FakeFileSystem fs_;
  std::vector<std::uint64_t> synced_;
  std::vector<std::string> errors_;
  std::unique_ptr<Appender> appender_;
};

TEST_F(AppenderTest, WritesAGroupAtATime) {
  append("ab");
  append("c");
  clock_.run_for(milliseconds(19));
  EXPECT_EQ(fs_.content("/file"), "");
  EXPECT_EQ(appender_->unsynced(), 3U);
  clock_.run_for(milliseconds(1));
  EXPECT_EQ(fs_.content("/file"), "abc");
  EXPECT_EQ(synced_, std::vector<std::uint64_t>{3});
  EXPECT_EQ(appender_->unsynced(), 0U);
}

TEST_F(AppenderTest, WritesAtOnceWhenHurried) {
  append("ab");
  appender_->hurry();
  append("c");  // the next group
  clock_.run_for(Duration(0));
  EXPECT_EQ(synced_, std::vector<std::uint64_t>{2});
  EXPECT_EQ(appender_->end(), 3U);
  clock_.run_for(milliseconds(20));
  EXPECT_EQ(synced_.back(), 3U);
}

TEST_F(AppenderTest, GivesUpAfterOneFailure) {
  fs_.watch([](FakeFileSystem::Call call, const std::string&, std::size_t) {
    return call == FakeFileSystem::Call::kSync ? std::optional(FakeFileSystem::Fault{})
                                               : std::nullopt;
  });
  append("ab");
  clock_.run_for(milliseconds(20));
  fs_.watch(nullptr);
  append("c");
  appender_->hurry();
  clock_.run_for(milliseconds(100));
  EXPECT_EQ(errors_.size(), 1U);
  EXPECT_TRUE(synced_.empty());
  EXPECT_TRUE(appender_->failed());
  EXPECT_EQ(fs_.content("/file"), "ab");
}

TEST_F(AppenderTest, SaysNothingAfterItsEnd) {
  append("ab");
  appender_->hurry();
  appender_.reset();
  clock_.run_for(milliseconds(100));
  EXPECT_TRUE(synced_.empty());
}

}  // namespace
}  // namespace windrow
