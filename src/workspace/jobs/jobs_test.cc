// SPDX-License-Identifier: Apache-2.0
#include "workspace/jobs/jobs.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "os/posix_file_system.h"

namespace windrow {
namespace {

// C59
TEST(Jobs, ANameThatTwoCommandsDrewAtATimeBelongsToOneOfThem) {
  const std::string home = testing::TempDir() + "/jobs_test";
  std::filesystem::remove_all(home);
  PosixFileSystem fs;
  const Caller caller{.home = home, .folder = "/"};
  Jobs one(fs, caller);
  Jobs other(fs, caller);
  const JobFolder folder(home + "/jobs/score-2026-11-16-calm-otter");
  EXPECT_TRUE(one.claim(folder).value());
  EXPECT_FALSE(other.claim(folder).value());
  EXPECT_FALSE(one.claim(folder).value());
}

}  // namespace
}  // namespace windrow
