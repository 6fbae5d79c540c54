// SPDX-License-Identifier: Apache-2.0
#include "journal/staged_files.h"

#include <gtest/gtest.h>

#include "os/fake_file_system.h"

namespace windrow {
namespace {

using Call = FakeFileSystem::Call;

const std::string kAside = "/job/staged/done/1.4.1";
const std::vector<StagedOutput> kOutputs = {{"one", "/out"}, {"two", "/far/two"}};

void write(FakeFileSystem& fs, const std::string& path, const std::string& text) {
  ASSERT_TRUE(fs.make_folders(parent_folder(path)));
  const auto file = fs.create(path);
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->write_at(0, text));
}

// What an attempt leaves: nothing of it is durable.
void an_attempt(FakeFileSystem& fs) {
  ASSERT_TRUE(fs.make_folders("/out"));
  write(fs, kAside + "/one/a", "alpha");
  write(fs, kAside + "/one/deep/b", "beta");
  write(fs, kAside + "/two/c", "");
}

// C440
TEST(StagedFiles, AreDurableOnceKept) {
  FakeFileSystem fs;
  an_attempt(fs);
  const auto kept = keep_staged(fs, kAside, kOutputs);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->files, (std::vector<StagedFile>{{0, "a", 5}, {0, "deep/b", 4}, {1, "c", 0}}));
  const auto after = fs.durable();
  EXPECT_EQ(after->content(kAside + "/one/deep/b"), "beta");
  EXPECT_EQ(after->content(kAside + "/two/c"), "");
}

// C441
TEST(StagedFiles, AnAttemptThatWroteNothingHasNone) {
  FakeFileSystem fs;
  EXPECT_TRUE(keep_staged(fs, kAside, kOutputs)->files.empty());
  ASSERT_TRUE(fs.make_folders(kAside + "/one/empty"));
  EXPECT_TRUE(keep_staged(fs, kAside, kOutputs)->files.empty());
  EXPECT_FALSE(fs.stat(kAside));
}

// C442
TEST(StagedFiles, ThatWouldComeToLieOnAnotherAreMarked) {
  FakeFileSystem fs;
  an_attempt(fs);
  fs.put("/out/deep/b", "old");
  const auto kept = keep_staged(fs, kAside, kOutputs);
  EXPECT_FALSE(kept->files[0].exists);
  EXPECT_TRUE(kept->files[1].exists);
}

// C440
TEST(StagedFiles, ComeToLieInTheFoldersOfTheirOutputs) {
  FakeFileSystem fs;
  an_attempt(fs);
  ASSERT_TRUE(keep_staged(fs, kAside, kOutputs));
  ASSERT_TRUE(place_staged(fs, kAside, kOutputs, false));
  EXPECT_EQ(fs.files(), (std::vector<std::string>{"/far/two/c", "/out/a", "/out/deep/b"}));
  EXPECT_EQ(fs.durable()->content("/out/deep/b"), "beta");
  EXPECT_FALSE(fs.stat(kAside));
  EXPECT_TRUE(place_staged(fs, kAside, kOutputs, false));  // there is nothing left to do
}

// Breaks off after some calls, cuts the power, places again, and tidies up.
// C444
TEST(StagedFiles, SurviveAPowerCutAtEveryCall) {
  for (int last = 0;; ++last) {
    FakeFileSystem fs;
    an_attempt(fs);
    ASSERT_TRUE(keep_staged(fs, kAside, kOutputs));
    int calls = 0;
    fs.watch([&](Call, const std::string&, std::size_t) -> std::optional<FakeFileSystem::Fault> {
      if (calls++ < last) return std::nullopt;
      return FakeFileSystem::Fault{};
    });
    const bool placed = place_staged(fs, kAside, kOutputs, false).has_value();
    fs.watch(nullptr);
    for (const std::uint64_t draw : {0, 1, 2}) {
      auto after = fs.durable();
      if (draw > 0) {  // of what was not synced some is there
        std::uint64_t n = 0;
        fs.power_cut([&](std::uint64_t below) { return (n++ * 7 + draw) % below; });
        after = fs.durable();
      }
      ASSERT_TRUE(place_staged(*after, kAside, kOutputs, false)) << last;
      clean_staged(*after, JobFolder("/job"), {});
      EXPECT_EQ(after->files(), (std::vector<std::string>{"/far/two/c", "/out/a", "/out/deep/b"}));
      EXPECT_EQ(after->content("/out/a"), "alpha") << last;
    }
    if (placed && calls <= last) break;
    ASSERT_LT(last, 100);
  }
}

// C442
TEST(StagedFiles, NeverTakeThePlaceOfAnotherUnlessAsked) {
  FakeFileSystem fs;
  an_attempt(fs);
  fs.put("/out/a", "precious");
  const Status placed = place_staged(fs, kAside, kOutputs, false);
  ASSERT_FALSE(placed);
  EXPECT_EQ(placed.error().code, ErrorCode::kConflict);
  EXPECT_EQ(fs.content("/out/a"), "precious");
  ASSERT_TRUE(place_staged(fs, kAside, kOutputs, true));
  EXPECT_EQ(fs.content("/out/a"), "alpha");
  EXPECT_EQ(fs.files(), (std::vector<std::string>{"/far/two/c", "/out/a", "/out/deep/b"}));
}

// C445
TEST(StagedFiles, AreCopiedWhereTheyCannotBeLinked) {
  FakeFileSystem fs;
  an_attempt(fs);
  int links = 0;
  fs.watch(
      [&](Call call, const std::string& path, std::size_t) -> std::optional<FakeFileSystem::Fault> {
        const bool refused = call == Call::kLink && path == "/out/a" && links++ == 0;
        return refused ? std::optional(FakeFileSystem::Fault{}) : std::nullopt;
      });
  ASSERT_TRUE(place_staged(fs, kAside, kOutputs, false));
  EXPECT_EQ(links, 2);
  EXPECT_EQ(fs.durable()->content("/out/a"), "alpha");
}

// C441
TEST(StagedFiles, OfDeadWorkersAndLostAttemptsAreRemovedAtTheNextStart) {
  FakeFileSystem fs;
  const JobFolder folder("/job");
  an_attempt(fs);
  write(fs, folder.staged_done() + "/1.5.1/one/x", "lost");
  write(fs, folder.staged() + "/process003/one/y", "half");
  JobState state;
  state.apply(fact::EpochBegan{.epoch = 1, .plan = 1});
  state.apply(fact::Planned{{{6, 1}}, 50});
  state.apply(fact::SegmentOpened{0, 0, "0.1.seg"});
  fact::AttemptEnded ended;
  ended.record.token = {1, 4, 1};
  ended.record.files = {{0, "a", 5}};
  state.apply(ended);
  clean_staged(fs, folder, state);
  EXPECT_EQ(
      fs.files(),
      (std::vector<std::string>{kAside + "/one/a", kAside + "/one/deep/b", kAside + "/two/c"}));
  EXPECT_FALSE(fs.stat(folder.staged() + "/process003"));
}

}  // namespace
}  // namespace windrow
