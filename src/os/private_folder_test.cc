// SPDX-License-Identifier: Apache-2.0
#include "os/private_folder.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace windrow {
namespace {

mode_t mode_of(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
}

// C928
TEST(PrivateFolder, IsItsUsersAloneWhateverTheUmask) {
  const std::string root = testing::TempDir() + "/windrow_private_folder_test";
  std::filesystem::remove_all(root);
  std::filesystem::create_directory(root);
  int number = 0;
  for (const mode_t umask : {0000, 0022, 0777}) {
    const std::string path = root + "/" + std::to_string(++number);
    const mode_t before = ::umask(umask);
    EXPECT_TRUE(make_private_folder(path));
    ::umask(before);
    EXPECT_EQ(mode_of(path), 0700U);
  }
  EXPECT_TRUE(make_private_folder(root + "/new/home"));
  EXPECT_EQ(mode_of(root + "/new/home"), 0700U);
  ::chmod((root + "/1").c_str(), 0755);
  EXPECT_TRUE(make_private_folder(root + "/1"));
  EXPECT_EQ(mode_of(root + "/1"), 0755U);
  EXPECT_FALSE(make_private_folder("/proc/no/such"));
}

}  // namespace
}  // namespace windrow
