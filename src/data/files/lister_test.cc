// SPDX-License-Identifier: Apache-2.0
#include "data/files/lister.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "os/fake_file_system.h"

namespace windrow {
namespace {

using Names = std::vector<std::string>;

Names list_all(FakeFileSystem& fs, std::size_t page, Names without = {}) {
  FileLister lister(fs, "/in", std::move(without));
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
  ASSERT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
  for (const std::size_t page : {1U, 2U, 3U, 100U}) EXPECT_EQ(list_all(fs, page), sorted);
}

TEST(FileLister, LeavesOutTheFoldersOfTheJob) {
  FakeFileSystem fs;
  fs.put("/in/a", "");
  fs.put("/in/job/state", "");
  EXPECT_EQ(list_all(fs, 10, {"/in/job"}), Names{"a"});
}

TEST(FileLister, GivesNothingForAnEmptyFolder) {
  FakeFileSystem fs;
  ASSERT_TRUE(fs.make_folders("/in/empty"));
  EXPECT_TRUE(list_all(fs, 10).empty());
}

TEST(FileLister, NamesTheFolderThatCannotBeRead) {
  FakeFileSystem fs;
  FileLister lister(fs, "/in", {});
  EXPECT_NE(lister.next(10).error().message.find("/in"), std::string::npos);
}

}  // namespace
}  // namespace windrow
