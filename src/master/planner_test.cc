// SPDX-License-Identifier: Apache-2.0
#include "master/planner.h"

#include <gtest/gtest.h>

#include "os/fake_file_system.h"
#include "os/fake_loop.h"

namespace windrow {
namespace {

using std::chrono::seconds;

class PlannerTest : public testing::Test {
 protected:
  PlannerTest() : fs_([this] { return clock_.wall_at(clock_.now()); }) {
    EXPECT_TRUE(fs_.make_folders("/state"));
    for (const char* name : {"a", "b", "c", "d", "e"}) fs_.put(std::string("/in/") + name, "x");
    clock_.run_for(seconds(1));
  }

  // Plans to the end, from the beginning or after what an earlier plan holds.
  void plan(Epoch epoch, std::uint64_t old_bytes = 0, bool listing_ended = false) {
    PlannerConfig config{.plan_path = fmt::format("/state/plan.{}", epoch),
                         .state_folder = "/state",
                         .root = "/in",
                         .files_per_batch = 2,
                         .old_plan_bytes = old_bytes,
                         .listing_ended = listing_ended};
    if (old_bytes > 0) config.old_plan_path = fmt::format("/state/plan.{}", epoch - 1);
    said_.clear();
    Planner planner(
        loop_,
        fs_,
        config,
        Planner::Callbacks{.on_page =
                               [this](PlannedPage page) {
                                 for (const ItemRun& run : page.runs) {
                                   said_ += fmt::format("{}x{} ", run.batches, run.items);
                                 }
                                 bytes_ = page.plan_bytes;
                               },
                           .on_ended = [this] { said_ += "ended"; },
                           .on_error = [this](const Error& error) { said_ += error.message; }});
    const Status opened = planner.open();
    ASSERT_TRUE(opened) << opened.error().message;
    planner.start();
    clock_.run_for(seconds(1));
  }

  // Mini-batches of a plan, as text.
  std::string content(Epoch epoch) {
    Result<PlanReader> reader = PlanReader::open(fs_, fmt::format("/state/plan.{}", epoch));
    EXPECT_TRUE(reader);
    EXPECT_TRUE(reader->index(fs_.stat(reader->path())->size));
    std::string out;
    for (BatchId id = 0; id < reader->size(); ++id) {
      for (const std::string& name : split_names(reader->read(id)->names)) out += name;
      out += " ";
    }
    return out;
  }

  VirtualClock clock_;
  FakeLoop loop_{clock_};
  FakeFileSystem fs_;
  std::string said_;
  std::uint64_t bytes_ = 0;
};

TEST_F(PlannerTest, CutsTheInputAndMakesThePlanDurable) {
  plan(1);
  EXPECT_EQ(said_, "2x2 1x1 ended");
  EXPECT_EQ(content(1), "ab cd e ");
  EXPECT_EQ(fs_.durable()->content("/state/plan.1")->size(), bytes_);
}

TEST_F(PlannerTest, ComparesACompletePlanWithTheInput) {
  plan(1);
  plan(2, bytes_, true);
  EXPECT_EQ(said_, "ended");
  EXPECT_FALSE(fs_.content("/state/plan.2"));
}

TEST_F(PlannerTest, ContinuesAPlanThatWasNotCompleteInACopy) {
  plan(1);
  const std::string whole = *fs_.content("/state/plan.1");
  Result<PlanReader> reader = PlanReader::open(fs_, "/state/plan.1");
  std::string first = whole.substr(0, reader->bytes());
  append_plan_batch(0, 2, std::string("a\0b", 3), first);
  plan(2, first.size());
  EXPECT_EQ(said_, "1x2 1x1 ended");
  EXPECT_EQ(fs_.content("/state/plan.2"), whole);
}

TEST_F(PlannerTest, NamesWhatIsMissingAdditionalOrChanged) {
  plan(1);
  clock_.run_for(seconds(10));
  ASSERT_TRUE(fs_.remove("/in/b"));
  fs_.put("/in/bb", "x");
  fs_.put("/in/d", "y");
  plan(2, bytes_, true);
  EXPECT_EQ(said_,
            "the input is not what it was when the job began: 'b' is missing, 'bb' is additional, "
            "'d' is changed");
}

TEST_F(PlannerTest, NamesWhatIsMissingAtTheEnd) {
  plan(1);
  ASSERT_TRUE(fs_.remove("/in/e"));
  plan(2, bytes_, true);
  EXPECT_EQ(said_, "the input is not what it was when the job began: 'e' is missing");
}

TEST_F(PlannerTest, SaysSoWhenTheDiskRefuses) {
  int writes = 0;  // the head, then the mini-batches
  fs_.watch([&](FakeFileSystem::Call call, const std::string&, std::size_t) {
    const bool broken = call == FakeFileSystem::Call::kWrite && ++writes == 2;
    return broken ? std::optional(FakeFileSystem::Fault{}) : std::nullopt;
  });
  plan(1);
  EXPECT_EQ(said_, "cannot write /state/plan.1: Input/output error");
}

}  // namespace
}  // namespace windrow
