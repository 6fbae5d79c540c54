// SPDX-License-Identifier: Apache-2.0
#include "data/files/lister.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "os/fake_file_system.h"

namespace windrow {
namespace {

using Names = std::vector<std::string>;

Names list_all(FakeFileSystem& fs, std::size_t page, ListingRules rules = {}) {
  FileLister lister(fs, "/in", std::move(rules));
  Names all;
  for (;;) {
    const Result<Names> names = lister.next(page);
    EXPECT_TRUE(names);
    all.insert(all.end(), names->begin(), names->end());
    if (names->size() < page) return all;
  }
}

TEST(FileLister, GivesPathsInBytewiseOrderWhateverThePage) {
  FakeFileSystem fs;
  for (const char* name : {"a", "a.txt", "a/x", "a/b/y", "a-b", "b", "\xff", "Z"}) {
    if (std::string(name) != "a") fs.put(std::string("/in/") + name, "");
  }
  Names sorted = {"Z", "a-b", "a.txt", "a/b/y", "a/x", "b", "\xff"};
  ASSERT_TRUE(std::ranges::is_sorted(sorted));
  for (const std::size_t page : {1U, 2U, 3U, 100U}) EXPECT_EQ(list_all(fs, page), sorted);
}

TEST(FileLister, LeavesOutTheFoldersOfTheJob) {
  FakeFileSystem fs;
  fs.put("/in/a", "");
  fs.put("/in/job/state", "");
  EXPECT_EQ(list_all(fs, 10, {.without = {"/in/job"}}), Names{"a"});
}

// C165
TEST(FileLister, LeavesOutAResultFileButNotTheFolderItIsIn) {
  FakeFileSystem fs;
  for (const char* name : {"a", "rows.txt", "b/rows.txt"}) fs.put(std::string("/in/") + name, "");
  EXPECT_EQ(list_all(fs, 10, {.without = {"/in", "/in/rows.txt"}}), (Names{"a", "b/rows.txt"}));
}

// C153
TEST(FileLister, GivesWhatAGlobMatchesAndReadsNoOtherFolder) {
  FakeFileSystem fs;
  for (const char* name : {"1.jpg", "2.png", "x/3.jpg", "x/y/4.jpg", ".h/5.jpg", "z/6.png"}) {
    fs.put(std::string("/in/") + name, "");
  }
  const auto of = [&](const char* glob) { return list_all(fs, 2, {.glob = Glob(glob)}); };
  EXPECT_EQ(of("*.jpg"), Names{"1.jpg"});
  EXPECT_EQ(of("**/*.jpg"), (Names{".h/5.jpg", "1.jpg", "x/3.jpg", "x/y/4.jpg"}));
  EXPECT_EQ(of("x/**"), (Names{"x/3.jpg", "x/y/4.jpg"}));
  EXPECT_EQ(of("[xz]/*"), (Names{"x/3.jpg", "z/6.png"}));
  EXPECT_TRUE(of("nothing*").empty());
  Names read;
  fs.watch([&](FakeFileSystem::Call call, const std::string& path, std::size_t) {
    if (call == FakeFileSystem::Call::kList) read.push_back(path);
    return std::nullopt;
  });
  EXPECT_EQ(of("x/*"), Names{"x/3.jpg"});
  EXPECT_EQ(read, (Names{"/in", "/in/x"}));
}

// C156
TEST(FileLister, LeavesOutWhatIsIgnored) {
  FakeFileSystem fs;
  for (const char* name : {"a", "a.tmp", "b/.git/c", "b/d", "e/f/g"}) {
    fs.put(std::string("/in/") + name, "");
  }
  ListingRules rules{.ignore = IgnoreRules({"*.tmp", ".git", "e/f"})};
  EXPECT_EQ(list_all(fs, 3, rules), (Names{"a", "b/d"}));
}

TEST(FileLister, GivesNothingForAnEmptyFolder) {
  FakeFileSystem fs;
  ASSERT_TRUE(fs.make_folders("/in/empty"));
  EXPECT_TRUE(list_all(fs, 10).empty());
}

// C162
TEST(FileLister, NamesTheFolderThatCannotBeRead) {
  FakeFileSystem fs;
  FileLister lister(fs, "/in", {});
  EXPECT_NE(lister.next(10).error().message.find("/in"), std::string::npos);
}

}  // namespace
}  // namespace windrow
