// SPDX-License-Identifier: Apache-2.0
#include "os/fake_file_system.h"

#include <gtest/gtest.h>

namespace windrow {
namespace {

class FakeDiskTest : public testing::Test {
 protected:
  FakeDiskTest() { EXPECT_TRUE(fs_.make_folders("/d")); }

  // The harshest power cut: nothing that was not synced is there.
  void cut() {
    fs_.power_cut([](std::uint64_t) { return 0; });
  }

  FakeFileSystem fs_;
};

TEST_F(FakeDiskTest, ForgetsContentThatWasNotSynced) {
  auto file = *fs_.create("/d/f");
  ASSERT_TRUE(file->write_at(0, "abc"));
  ASSERT_TRUE(file->sync());
  ASSERT_TRUE(file->write_at(3, "def"));
  ASSERT_TRUE(fs_.sync_folder("/d"));
  EXPECT_EQ(fs_.content("/d/f"), "abcdef");
  EXPECT_EQ(fs_.durable()->content("/d/f"), "abc");
  cut();
  EXPECT_EQ(fs_.content("/d/f"), "abc");
}

TEST_F(FakeDiskTest, ForgetsNamesThatWereNotSynced) {
  auto file = *fs_.create("/d/f");
  ASSERT_TRUE(file->sync());
  cut();
  EXPECT_FALSE(fs_.content("/d/f"));
}

TEST_F(FakeDiskTest, MayKeepPartOfWhatWasNotSynced) {
  auto file = *fs_.create("/d/f");
  ASSERT_TRUE(fs_.sync_folder("/d"));
  ASSERT_TRUE(file->write_at(0, "abcdef"));
  std::uint64_t calls = 0;
  // Mode 2, what 3: three bytes, and the length of all.
  fs_.power_cut([&](std::uint64_t) { return ++calls == 1 ? 2U : 3U; });
  EXPECT_EQ(fs_.content("/d/f"), std::string("abc\0\0\0", 6));
}

TEST_F(FakeDiskTest, RenamesInOneStep) {
  fs_.put("/d/a", "new");
  fs_.put("/d/b", "old");
  ASSERT_TRUE(fs_.rename("/d/a", "/d/b"));
  EXPECT_EQ(fs_.files(), std::vector<std::string>{"/d/b"});
  cut();
  EXPECT_EQ(fs_.content("/d/a"), "new");
  EXPECT_EQ(fs_.content("/d/b"), "old");
}

TEST_F(FakeDiskTest, NeverReplacesByLink) {
  auto file = *fs_.create_unnamed("/d", {});
  ASSERT_TRUE(file->write_at(0, "x"));
  EXPECT_TRUE(fs_.files().empty());
  ASSERT_TRUE(fs_.link(*file, "/d/f"));
  auto other = *fs_.create_unnamed("/d", {});
  EXPECT_EQ(fs_.link(*other, "/d/f").error().code, ErrorCode::kConflict);
  EXPECT_EQ(fs_.hard_link("/d/f", "/d/f").error().code, ErrorCode::kConflict);
  ASSERT_TRUE(fs_.hard_link("/d/f", "/d/g"));
  EXPECT_EQ(fs_.content("/d/g"), "x");
}

TEST_F(FakeDiskTest, FailsWhenTheWatchSaysSo) {
  fs_.watch([](FakeFileSystem::Call call, const std::string&, std::size_t size) {
    using Fault = FakeFileSystem::Fault;
    return call == FakeFileSystem::Call::kWrite ? std::optional(Fault{size / 2}) : std::nullopt;
  });
  auto file = *fs_.create("/d/f");
  EXPECT_FALSE(file->write_at(0, "abcd"));
  EXPECT_EQ(fs_.content("/d/f"), "ab");
}

TEST_F(FakeDiskTest, FailedSyncIsFinalForItsFile) {
  bool broken = true;
  fs_.watch([&](FakeFileSystem::Call call, const std::string&, std::size_t) {
    return broken && call == FakeFileSystem::Call::kSync ? std::optional(FakeFileSystem::Fault{})
                                                         : std::nullopt;
  });
  auto file = *fs_.create("/d/f");
  EXPECT_FALSE(file->sync());
  broken = false;
  EXPECT_FALSE(file->sync());
}

TEST_F(FakeDiskTest, ListsFilesAndFolders) {
  fs_.put("/d/f", "12345");
  ASSERT_TRUE(fs_.make_folders("/d/e/deep"));
  const auto entries = *fs_.list("/d");
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].name, "f");
  EXPECT_EQ(entries[1].kind, FileKind::kFolder);
  EXPECT_EQ(fs_.stat("/d/f")->size, 5U);
  EXPECT_EQ(fs_.list("/none").error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace windrow
