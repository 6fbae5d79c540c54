// SPDX-License-Identifier: Apache-2.0
#include "master/planner.h"

#include <gtest/gtest.h>

#include "base/words.h"
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
    rules_.inputs = {input({"/in"})};
    rules_.size.files = 2;
  }

  InputFiles input(std::vector<std::string> paths) {
    const RealPath real = [](const std::string& path) { return Result<std::string>(path); };
    Result<InputFiles> files = resolve_input(
        fs_, {.name = "data", .paths = std::move(paths), .ignore = {}}, real, "/state/list");
    EXPECT_TRUE(files) << files.error().message;
    return *std::move(files);
  }

  void refuses(const std::string& why) {
    EXPECT_EQ(said_, "the input is not what it was when the job began: " + why);
  }

  // Plans to the end, from the beginning or after what an earlier plan holds.
  void plan(Epoch epoch, std::uint64_t old_bytes = 0, bool listing_ended = false) {
    PlannerConfig config{.plan_path = fmt::format("/state/plan.{}", epoch),
                         .state_folder = "/state",
                         .rules = rules_,
                         .old_plan_path = "",
                         .old_plan_bytes = old_bytes,
                         .listing_ended = listing_ended,
                         .may_change = may_change_,
                         .epoch = epoch,
                         .accept = accept_};
    if (old_bytes > 0) config.old_plan_path = fmt::format("/state/plan.{}", epoch - 1);
    said_.clear();
    Planner planner(
        loop_,
        fs_,
        config,
        Planner::Callbacks{.on_page =
                               [this](const PlannedPage& page) {
                                 for (const ItemRun& run : page.runs) {
                                   said_ += fmt::format("{}x{} ", run.batches, run.items);
                                 }
                                 if (!page.runs.empty()) bytes_ = page.plan_bytes;
                               },
                           .on_ended = [this](const ListingRemarks&) { said_ += "ended"; },
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
      const PlanBatch batch = *reader->read(id);
      if (batch.items > 0) {
        for (const std::string& name : split_at_nul(batch.names)) out += name;
      }
      out += " ";
    }
    return out;
  }

  VirtualClock clock_;
  FakeLoop loop_{clock_};
  FakeFileSystem fs_;
  PlanRules rules_;
  std::vector<bool> may_change_;
  bool accept_ = false;
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

// C969, C970
TEST_F(PlannerTest, AcceptsFilesThatAreNewerAndKeepsThat) {
  plan(1);
  clock_.run_for(seconds(10));
  fs_.put("/in/b", "y");
  fs_.put("/in/d", "y");
  plan(2, bytes_, true);
  refuses("'b' is changed, 'd' is changed");
  accept_ = true;
  plan(2, bytes_, true);
  EXPECT_EQ(said_, "ended");
  const std::vector<AcceptedInput> accepted = read_accepted_input(fs_, "/state");
  ASSERT_EQ(accepted.size(), 1U);
  EXPECT_EQ(accepted[0].files, 2U);
  EXPECT_EQ(accepted[0].first, "/in/b");
  accept_ = false;
  plan(2, bytes_, true);
  EXPECT_EQ(said_, "ended");  // it counts from then on
}

// C969
TEST_F(PlannerTest, NeverAcceptsWhatIsMissing) {
  plan(1);
  clock_.run_for(seconds(10));
  ASSERT_TRUE(fs_.remove("/in/b"));
  fs_.put("/in/d", "y");
  accept_ = true;
  plan(2, bytes_, true);
  refuses("'b' is missing");
  EXPECT_TRUE(read_accepted_input(fs_, "/state").empty());
}

TEST_F(PlannerTest, ContinuesAPlanThatWasNotCompleteInACopy) {
  plan(1);
  const std::string whole = *fs_.content("/state/plan.1");
  Result<PlanReader> reader = PlanReader::open(fs_, "/state/plan.1");
  std::string first = whole.substr(0, reader->bytes());
  append_plan_batch(
      {.id = 0, .items = 2, .names = std::string_view("a\0b", 3), .root = ""}, kPlanVersion, first);
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

// C150
TEST_F(PlannerTest, TakesInputsOneAfterAnotherAndNeverMixesThem) {
  for (int i = 0; i < 7; ++i) fs_.put(fmt::format("/seven/{}", i), "");
  for (int i = 0; i < 8; ++i) fs_.put(fmt::format("/eight/{}", i), "");
  rules_.inputs = {input({"/seven"}), input({"/eight"})};
  rules_.size.files = 5;
  plan(1);
  EXPECT_EQ(content(1), "01234 56 01234 567 ");
  const PlanReader reader = *PlanReader::open(fs_, "/state/plan.1");
  EXPECT_EQ(reader.head().roots, (std::vector<std::string>{"/seven", "/eight"}));
  const std::uint64_t whole = bytes_;
  plan(2, whole, true);
  EXPECT_EQ(said_, "ended");
  clock_.run_for(seconds(1));
  ASSERT_TRUE(fs_.remove("/eight/2"));
  plan(2, whole, true);
  refuses("'/eight/2' is missing");
}

// C151
TEST_F(PlannerTest, FillsMiniBatchesAcrossThePathsOfOneInput) {
  fs_.put("/more/x", "");
  rules_.inputs = {input({"/more/x", "/in/[d-z]", "/in/a"})};
  plan(1);
  EXPECT_EQ(content(1), "more/xin/d in/ein/a ");
}

// C157
TEST_F(PlannerTest, LooksAtSizesOnlyWhenBytesAreCapped) {
  int looks = 0;
  fs_.watch([&](FakeFileSystem::Call call, const std::string& path, std::size_t) {
    looks += call == FakeFileSystem::Call::kStat && path.starts_with("/in/") ? 1 : 0;
    return std::optional<FakeFileSystem::Fault>();
  });
  plan(1);
  EXPECT_EQ(looks, 0);
  fs_.put("/in/b", "xxxxxx");
  rules_.size = {.files = 3, .bytes = 4};
  plan(2);
  EXPECT_EQ(looks, 5);
  EXPECT_EQ(content(2), "a b cde ");
}

// C158
TEST_F(PlannerTest, NumbersTheLargestFirstAndComparesThemInAnyOrder) {
  fs_.put("/in/d", "xxxx");
  fs_.put("/in/b", "xx");
  clock_.run_for(seconds(1));
  rules_.size.files = 1;
  rules_.largest_first = true;
  plan(1);
  EXPECT_EQ(said_, "5x1 ended");
  EXPECT_EQ(content(1), "d b a c e ");
  const std::uint64_t whole = bytes_;
  plan(2, whole);  // died before the end of the listing was journaled
  EXPECT_EQ(said_, "ended");
  EXPECT_EQ(content(2), content(1));
  clock_.run_for(seconds(1));
  fs_.put("/in/e", "xxxxxxxx");
  fs_.put("/in/f", "");
  plan(3, whole, true);
  refuses("'e' is changed, 'f' is additional");
}

// C159
TEST_F(PlannerTest, MakesMiniBatchesWithoutItems) {
  rules_.inputs.clear();
  rules_.rank_mini_batch_count = 700;
  plan(1);
  EXPECT_EQ(said_, "500x0 200x0 ended");
  EXPECT_EQ(content(1).size(), 700U);
}

// C45 C160
TEST_F(PlannerTest, NamesTheInputThatHoldsNothingUnlessThatIsAllowed) {
  ASSERT_TRUE(fs_.make_folders("/nothing"));
  rules_.inputs = {input({"/in"}), input({"/nothing"})};
  plan(1);
  EXPECT_EQ(said_, "2x2 1x1 the input '/nothing' holds no file");
  rules_.allow_empty = true;
  plan(2);
  EXPECT_EQ(said_, "2x2 1x1 ended");
}

// C163
TEST_F(PlannerTest, ComparesListsInTheirOwnOrder) {
  fs_.put("/list", "/in/e\n/in/a\n\n/in/a\nin/c\n");
  rules_.inputs = {input({"@/list"})};
  clock_.run_for(seconds(1));
  plan(1);
  EXPECT_EQ(content(1), "in/ein/a in/ain/c ");
  const std::uint64_t whole = bytes_;
  plan(2, whole, true);
  EXPECT_EQ(said_, "ended");
  fs_.put("/list", "/in/e\n/in/b\n/in/a\nin/c\n");
  plan(2, whole, true);
  refuses("'in/a' is missing, 'in/b' is additional");
  fs_.put("/list", "/in/e\nin/c\n/in/a\n/in/a\n");
  plan(2, whole, true);
  refuses("its files come in another order");
  fs_.put("/list", "/in/e\n");
  plan(2, whole, true);
  refuses("'in/a' is missing, 'in/c' is missing");
}

// C163
TEST_F(PlannerTest, TellsWhatIsNotYetPlannedFromWhatIsAdditional) {
  plan(1);
  const PlanReader reader = *PlanReader::open(fs_, "/state/plan.1");
  std::string first = fs_.content("/state/plan.1")->substr(0, reader.bytes());
  append_plan_batch(
      {.id = 0, .items = 2, .names = std::string_view("a\0b", 3), .root = ""}, kPlanVersion, first);
  fs_.put("/in/aa", "");
  plan(2, first.size());
  refuses("'aa' is additional");
  ASSERT_TRUE(fs_.remove("/in/aa"));
  ASSERT_TRUE(fs_.remove("/in/a"));
  plan(3, first.size());
  refuses("'a' is missing");
}

// C163
TEST_F(PlannerTest, RefusesAnInputThatIsSomewhereElse) {
  plan(1);
  fs_.put("/other/a", "");
  rules_.inputs = {input({"/other"})};
  plan(2, bytes_, true);
  refuses("it was in '/in' and is now in '/other'");
}

// C69
TEST_F(PlannerTest, LetsFilesOfMiniBatchesWithoutAResultChange) {
  plan(1);
  clock_.run_for(seconds(1));
  fs_.put("/in/c", "repaired");
  may_change_ = {false, true, false};
  plan(2, bytes_, true);
  EXPECT_EQ(said_, "ended");
  fs_.put("/in/a", "repaired");
  plan(2, bytes_, true);
  refuses("'a' is changed");
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
