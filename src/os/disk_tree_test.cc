// SPDX-License-Identifier: Apache-2.0
#include "os/disk_tree.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace windrow {
namespace {

class DiskTreeTest : public testing::Test {
 protected:
  DiskTreeTest() {
    std::string name = "/tmp/windrow-tree-XXXXXX";
    root_ = ::mkdtemp(name.data());
    std::filesystem::create_directories(root_ + "/job/deep/deeper");
    std::filesystem::create_directory(root_ + "/outside");
  }
  ~DiskTreeTest() override { std::filesystem::remove_all(root_); }

  void write(const std::string& name, std::size_t bytes) const {
    std::ofstream(root_ + "/" + name) << std::string(bytes, 'x');
  }
  [[nodiscard]] bool is_there(const std::string& name) const {
    return std::filesystem::exists(std::filesystem::symlink_status(root_ + "/" + name));
  }

  std::string root_;
};

// C636
TEST_F(DiskTreeTest, LinksAreRemovedAndWhatTheyPointToStays) {
  write("outside/kept", 9);
  write("job/deep/deeper/file", 9);
  std::filesystem::create_symlink(root_ + "/outside", root_ + "/job/deep/to_folder");
  std::filesystem::create_symlink(root_ + "/outside/kept", root_ + "/job/to_file");
  std::filesystem::create_symlink(root_ + "/nowhere", root_ + "/job/to_nothing");
  ASSERT_TRUE(remove_disk_tree(root_ + "/job"));
  EXPECT_FALSE(is_there("job"));
  EXPECT_TRUE(is_there("outside/kept"));
  EXPECT_TRUE(remove_disk_tree(root_ + "/job"));
}

// C636
TEST_F(DiskTreeTest, ALinkIsRemovedAsALink) {
  write("outside/kept", 9);
  std::filesystem::create_directory_symlink(root_ + "/outside", root_ + "/link");
  ASSERT_TRUE(remove_disk_tree(root_ + "/link"));
  EXPECT_FALSE(is_there("link"));
  EXPECT_TRUE(is_there("outside/kept"));
}

TEST_F(DiskTreeTest, FoldersThatMayNotBeWrittenToAreRemoved) {
  write("job/deep/deeper/file", 9);
  std::filesystem::permissions(root_ + "/job/deep/deeper", std::filesystem::perms::none);
  std::filesystem::permissions(root_ + "/job/deep", std::filesystem::perms::owner_read);
  ASSERT_TRUE(remove_disk_tree(root_ + "/job"));
  EXPECT_FALSE(is_there("job"));
}

// C630
TEST_F(DiskTreeTest, AFileWithSeveralNamesCountsOnce) {
  constexpr std::size_t kBytes = 1U << 20;
  write("job/file", kBytes);
  write("outside/large", 4 * kBytes);
  std::filesystem::create_symlink(root_ + "/outside/large", root_ + "/job/link");
  std::filesystem::create_hard_link(root_ + "/job/file", root_ + "/job/deep/again");
  std::filesystem::create_hard_link(root_ + "/job/file", root_ + "/outside/again");
  SharedFiles seen;
  const auto size = measure_tree(root_ + "/job", seen);
  ASSERT_TRUE(size);
  EXPECT_GE(size->bytes, kBytes);
  EXPECT_LT(size->bytes, 2 * kBytes);
  EXPECT_GT(size->newest.nanoseconds, 0);
  const auto other = measure_tree(root_ + "/outside", seen);
  EXPECT_LT(other->bytes, 5 * kBytes);
}

TEST_F(DiskTreeTest, FoldersBehindLinksAreNoFoldersOfIt) {
  std::filesystem::create_directory_symlink(root_ + "/outside", root_ + "/job/link");
  write("job/file", 1);
  EXPECT_EQ(folders_in(root_ + "/job"), std::vector<std::string>{"deep"});
  EXPECT_TRUE(folders_in(root_ + "/nothing").empty());
}

// C633
TEST_F(DiskTreeTest, AProcessIsFoundByItsFolderAndItsWords) {
  EXPECT_TRUE(process_at(process_places(), std::filesystem::current_path()));
  const std::vector<ProcessPlace> one = {{.process = 7, .folder = "/a/b", .words = {}},
                                         {.process = 8, .folder = "/", .words = {}}};
  EXPECT_EQ(process_at(one, "/a/b"), 7);
  EXPECT_EQ(process_at(one, "/a"), 7);
  EXPECT_EQ(process_at(one, "/a/bc"), std::nullopt);
  const std::vector<ProcessPlace> words = {
      {.process = 9, .folder = "/", .words = std::string("python\0/c/trial.json\0", 21)}};
  EXPECT_EQ(process_at(words, "/c"), 9);
  EXPECT_EQ(process_at(words, "/d"), std::nullopt);
}

}  // namespace
}  // namespace windrow
