// SPDX-License-Identifier: Apache-2.0
#include "workspace/logs/dated_log.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace windrow {
namespace {

constexpr std::int64_t kHour = 3600LL * 1'000'000'000;
constexpr WallTime kEvening{1794700799LL * 1'000'000'000};  // 2026-11-14T23:59:59Z

WallTime later(std::int64_t hours) { return {kEvening.nanoseconds + hours * kHour}; }

class DatedLogTest : public ::testing::Test {
 protected:
  DatedLogTest() {
    std::string name = ::testing::TempDir() + "/dated-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~DatedLogTest() override { std::filesystem::remove_all(folder_); }

  void write(DatedLog& log, WallTime now, const std::string& text) {
    log.at(now).write(text + "\n");
    log.flush();
  }

  std::string read(const std::string& name) {
    std::ifstream file(folder_ + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string folder_;
};

// C291
TEST_F(DatedLogTest, ANewDayBeginsANewFileAndThePlainNameShowsIt) {
  DatedLog log(folder_ + "/overview");
  write(log, kEvening, "evening");
  EXPECT_EQ(read("overview.txt"), "evening\n");
  write(log, later(1), "night");
  write(log, later(20), "day");
  EXPECT_EQ(read("overview.2026111423.txt"), "evening\n");
  EXPECT_EQ(read("overview.2026111500.txt"), "night\nday\n");
  EXPECT_EQ(read("overview.txt"), "night\nday\n");
}

// C291
TEST_F(DatedLogTest, AJobThatGoesOnTheSameDayGoesOnInTheSameFile) {
  {
    DatedLog log(folder_ + "/overview");
    write(log, later(2), "before");
  }
  DatedLog log(folder_ + "/overview");
  write(log, later(5), "after");
  EXPECT_EQ(read("overview.2026111501.txt"), "before\nafter\n");
  EXPECT_EQ(read("overview.2026111504.txt"), "");
}

}  // namespace
}  // namespace windrow
