// SPDX-License-Identifier: Apache-2.0
#include "core/output/report_summary.h"

#include <gtest/gtest.h>

namespace windrow {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

fact::AttemptEnded attempt(ProcessNumber process, Verdict verdict, std::int64_t start_s) {
  fact::AttemptEnded ended{.verdict = verdict};
  ended.record.process = process;
  ended.record.start = WallTime{start_s * kSecond};
  ended.record.elapsed_us = 2'000'000;
  ended.record.cpu_us = 1'500'000;
  ended.record.run_us = 1'000'000;
  return ended;
}

fact::LoadEnded load(ProcessNumber process, std::int64_t start_s) {
  return {.process = process, .start = WallTime{start_s * kSecond}, .elapsed_us = 1'000'000};
}

// C296
TEST(ReportSummary, TellsUsefulRetriedInitAndIdleTimeApart) {
  ReportSummary summary;
  summary.add(load(0, 100));
  summary.add(attempt(0, Verdict::kDone, 101), 10);
  summary.add(attempt(0, Verdict::kRetry, 108), 10);
  fact::AttemptEnded never = attempt(1, Verdict::kReturned, 108);
  never.record.status = AttemptStatus::kReturned;
  never.record.elapsed_us = 0;
  summary.add(never, 10);
  EXPECT_EQ(summary.process_csv(),
            "Node Id,Process,Attempts,Done,Failed,Items,Elapsed Seconds,Process Seconds,"
            "Run Method Seconds,Useful Seconds,Retry Seconds,Init Seconds,Idle Seconds\n"
            "0,process000,2,1,1,10,4.000000,3.000000,2.000000,2.000000,2.000000,1.000000,"
            "5.000000\n");
}

// C296
TEST(ReportSummary, ANodeIsTheSumOfItsProcessesAndIdleWhereTheyAreIdle) {
  ReportSummary earlier;
  earlier.add(load(0, 100));
  earlier.add(attempt(0, Verdict::kDone, 103), 10);
  ReportSummary summary;
  summary.add(load(1, 200));
  summary.add(attempt(1, Verdict::kDone, 201), 5);
  summary.add(earlier);
  EXPECT_EQ(summary.node_csv(),
            "Node Id,Attempts,Done,Failed,Items,Elapsed Seconds,Process Seconds,"
            "Run Method Seconds,Useful Seconds,Retry Seconds,Init Seconds,Idle Seconds\n"
            "0,2,2,0,15,4.000000,3.000000,2.000000,4.000000,0.000000,2.000000,2.000000\n");
}

}  // namespace
}  // namespace windrow
