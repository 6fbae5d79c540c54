// SPDX-License-Identifier: Apache-2.0
#include "master/master.h"

#include <gtest/gtest.h>

#include "os/fake_file_system.h"
#include "os/fake_loop.h"

namespace windrow {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A master on virtual time, and an agent with one worker that answers as the test says.
class MasterTest : public testing::Test, public AgentLinks, public MasterLog {
 protected:
  MasterTest() : fs_([this] { return clock_.wall_at(clock_.now()); }) {
    fs_.put("/in/a", "x");
    clock_.run_for(seconds(1));
  }

  void begin(Limits limits) {
    MasterConfig config;
    config.folder = JobFolder("/job");
    EXPECT_TRUE(fs_.make_folders(config.folder.rows()));
    config.limits = std::move(limits);
    InputFiles input{.title = "/in", .root = "/in", .parts = {}, .ignore = {}};
    input.parts.push_back({.folder = "/in", .name = ""});
    config.plan.inputs.push_back(std::move(input));
    config.targets = {"/out"};
    master_ = std::make_unique<Master>(loop_, fs_, *this, *this, std::move(config));
    const Status opened = master_->open({}, std::nullopt);
    ASSERT_TRUE(opened) << opened.error().message;
    say(to_master::Hello{.slots = 1, .window = 1, .segment_file = "0.seg", .host = "here"});
    clock_.run_for(milliseconds(1));
  }

  void say(ToMaster body) { master_->on_message({0, 1, ++number_, std::move(body)}); }

  void fail_attempt() {
    ASSERT_FALSE(assigned_.empty());
    AttemptRecord record;
    record.token = assigned_.back().second;
    record.status = AttemptStatus::kRunException;
    record.error_type = "ValueError";
    say(to_master::AttemptEnded{record});
  }

  void send(AgentId /*agent*/, MasterMessage message) override {
    const auto* assign = std::get_if<to_agent::Assign>(&message.body);
    if (assign != nullptr) assigned_.emplace_back(clock_.now(), assign->token);
  }
  void on_fact(const Fact& /*fact*/, const JobState& /*state*/, PlanReader& /*plan*/) override {}
  void note(const std::string& /*text*/) override {}
  void tick(const Scheduler& /*scheduler*/, std::uint64_t /*merged_bytes*/) override { ++ticks_; }

  VirtualClock clock_;
  FakeLoop loop_{clock_};
  FakeFileSystem fs_;
  std::unique_ptr<Master> master_;
  std::uint64_t number_ = 0;
  std::vector<std::pair<TimePoint, Token>> assigned_;
  int ticks_ = 0;
};

// C237
TEST_F(MasterTest, NextTryBeginsWhenItsDelayIsOver) {
  begin({.retry_delay = milliseconds(250)});
  clock_.run_for(milliseconds(300));
  for (std::size_t tries = 1; tries <= 2; ++tries) {
    ASSERT_EQ(assigned_.size(), tries);
    const TimePoint failed = clock_.now();
    fail_attempt();
    clock_.run_for(milliseconds(300));
    ASSERT_EQ(assigned_.size(), tries + 1);
    EXPECT_EQ(assigned_.back().first, failed + milliseconds(250));
  }
}

TEST_F(MasterTest, NothingDueMeansOneTickASecond) {
  begin({.retry_delay = seconds(5)});
  const std::uint64_t before = clock_.steps();
  fail_attempt();
  clock_.run_for(milliseconds(4500));
  EXPECT_EQ(ticks_, 4);
  EXPECT_LT(clock_.steps() - before, 30U);
}

}  // namespace
}  // namespace windrow
