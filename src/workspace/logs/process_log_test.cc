// SPDX-License-Identifier: Apache-2.0
#include "workspace/logs/process_log.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "os/machine.h"

namespace windrow {
namespace {

constexpr std::int64_t kNoon = 1'794'744'000'000'000'000;  // 2026-11-15 12:00:00

class ProcessLogTest : public ::testing::Test {
 protected:
  void loaded(std::optional<int> pid) {
    fact::LoadEnded load;
    load.start = {kNoon};
    load.elapsed_us = 1'000'000;
    log_.loaded(load, pid, clock_);
  }

  void picked(BatchId batch, int second) {
    log_.picked(Token{1, batch, 1}, 10, {kNoon + second * 1'000'000'000LL}, clock_);
  }

  void ended(BatchId batch, int second, AttemptStatus status = AttemptStatus::kRunDone) {
    AttemptRecord record;
    record.token = Token{1, batch, 1};
    record.status = status;
    record.returned = 10;
    record.start = {kNoon + second * 1'000'000'000LL};
    record.elapsed_us = status == AttemptStatus::kReturned ? 0 : 500'000;
    log_.ended(record, 10, clock_);
  }

  // The lines, each cut before its start time.
  std::string lines() {
    log_.flush();
    std::string text = read_whole_file(path_, 1U << 16).value_or("");
    for (std::size_t at = 0; (at = text.find(" start=", at)) != std::string::npos;) {
      text.erase(at, text.find('\n', at) - at);
    }
    return text;
  }

  std::string path_ = ::testing::TempDir() + "process_log_test." + std::to_string(process_id()) +
                      "." + std::to_string(random_number());
  ProcessLog log_{path_};
  ClockText clock_;
};

// C420
TEST_F(ProcessLogTest, BothLinesOfAMiniBatchHaveTheirOwnTime) {
  loaded(4242);
  ended(7, 2);
  EXPECT_EQ(lines(),
            "2026-11-15 12:00:01,000|INFO|4242|LOAD_DONE address=127.0.0.1 pid=4242 "
            "duration=1.000000\n"
            "2026-11-15 12:00:02,000|INFO|4242|PICKED address=127.0.0.1 pid=4242 task=7 picked=1 "
            "total=10\n"
            "2026-11-15 12:00:02,500|INFO|4242|RUN_DONE address=127.0.0.1 pid=4242 task=7 picked=1 "
            "total=10 succeeded=10 failed=0\n");
}

// C420
TEST_F(ProcessLogTest, WhatIsSaidToBePickedIsSaidOnce) {
  picked(7, 2);
  picked(7, 2);
  ended(7, 2);
  ended(8, 3);
  const std::string text = lines();
  EXPECT_EQ(text.find("PICKED address=127.0.0.1 task=7"),
            text.rfind("PICKED address=127.0.0.1 task=7"));
  EXPECT_NE(text.find("PICKED address=127.0.0.1 task=8"), std::string::npos);
}

// C420
TEST_F(ProcessLogTest, WhatNobodyRanWasNotPicked) {
  ended(7, 2, AttemptStatus::kReturned);
  const std::string text = lines();
  EXPECT_EQ(text.find("PICKED"), std::string::npos);
  EXPECT_NE(text.find("RETURNED"), std::string::npos);
}

}  // namespace
}  // namespace windrow
