// SPDX-License-Identifier: Apache-2.0
#include "monitor/usage_rows.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace windrow {
namespace {

constexpr std::uint64_t kMegabyte = 1ULL << 20;

// C351
TEST(UsageRows, NodeRowHasACellForEachColumn) {
  NodeUsage usage{.cpu = {.busy = 150, .total = 400},
                  .memory = {.total = 1000 * kMegabyte, .available = 250 * kMegabyte},
                  .disk = {1, 2, 3 * kMegabyte, kMegabyte / 2},
                  .network = {.received = 7 * kMegabyte, .sent = 5 * kMegabyte},
                  .tcp = 8,
                  .udp = 9};
  const std::string row = node_row("T", usage, CpuTimes{.busy = 50, .total = 200});
  EXPECT_EQ(row, "T,50.0,1000.00,250.00,750.00,75.0,1,2,3.00,0.50,5.00,7.00,8,9\n");
  EXPECT_EQ(std::ranges::count(row, ','), std::ranges::count(node_columns(), ','));
  EXPECT_EQ(node_row("T", usage, usage.cpu).substr(0, 6), "T,0.0,");
}

// C352
TEST(UsageRows, EachMountHasFourColumns) {
  EXPECT_EQ(disk_columns({"/", "/a,b"}),
            "Utc Time,Disk (/) Total (MB),Disk (/) Used (MB),Disk (/) Free (MB),"
            "Disk (/) Used Percent,\"Disk (/a,b) Total (MB)\",\"Disk (/a,b) Used (MB)\","
            "\"Disk (/a,b) Free (MB)\",\"Disk (/a,b) Used Percent\"\n");
  EXPECT_EQ(disk_row("T", {{100 * kMegabyte, 60 * kMegabyte, 20 * kMegabyte}, {}}),
            "T,100.00,60.00,20.00,75.0,0.00,0.00,0.00,0.0\n");
}

ProcessStat process(int pid, int parent, std::uint64_t user) {
  ProcessStat out;
  out.pid = pid;
  out.parent = parent;
  out.user = user;
  out.system = 1;
  out.threads = 2;
  out.start = 1000;
  out.resident_pages = 10;
  return out;
}

// C353
TEST(UsageRows, AWorkerCountsWithAllThatItHasStarted) {
  const std::vector<ProcessStat> processes = {
      process(10, 1, 100),   // the engine
      process(11, 10, 1),    // the zygote
      process(20, 11, 1),    // a reaper
      process(21, 20, 200),  // its worker
      process(22, 21, 300),  // a child of that
      process(23, 20, 400),  // a daemon, adopted by the reaper
      process(30, 11, 1),    // another reaper
      process(31, 30, 500),  // its worker
      process(99, 1, 900),   // somebody else
  };
  const auto trees = sum_trees(processes,
                               10,
                               {{"process000", 21}, {"process001", 31}, {"process002", 77}},
                               {.ticks = 100, .page = 4096, .uptime = 30});
  ASSERT_EQ(trees.size(), 3U);
  EXPECT_EQ(trees[0].name, "manager");
  EXPECT_EQ(trees[0].pids, (std::vector<int>{10, 11}));
  EXPECT_EQ(trees[1].name, "process000");
  EXPECT_EQ(trees[1].pids, (std::vector<int>{20, 21, 22, 23}));
  EXPECT_DOUBLE_EQ(trees[1].user, 9.01);
  EXPECT_DOUBLE_EQ(trees[1].system, 0.04);
  EXPECT_DOUBLE_EQ(trees[1].age, 20);
  EXPECT_EQ(trees[1].resident, 40U * 4096);
  EXPECT_EQ(trees[1].threads, 8U);
  EXPECT_EQ(trees[2].pids, (std::vector<int>{30, 31}));
  TreeUsage tree = trees[1];
  tree.io = {1, 2, kMegabyte, 2 * kMegabyte};
  const std::string row = process_row("T", tree, 45.26, 400ULL * 4096);
  EXPECT_EQ(row, "T,process000,45.3,9.01,0.04,10.00,1,2,1.00,2.00,8\n");
  EXPECT_EQ(std::ranges::count(row, ','), std::ranges::count(process_columns(), ','));
}

TEST(UsageRows, AChainOfParentsThatLoopsEnds) {
  const auto trees = sum_trees({process(5, 6, 1), process(6, 5, 1)}, 10, {}, {});
  ASSERT_EQ(trees.size(), 1U);
  EXPECT_TRUE(trees[0].pids.empty());
}

TEST(UsageRows, WithoutPsTheListIsOurOwn) {
  const std::string list = process_list({process(5, 6, 99)}, {.ticks = 100, .page = 4096});
  EXPECT_EQ(list,
            "    PID    PPID S NLWP      RSS     TIME COMMAND\n"
            "      5       6 ?    2       40     1.00 \n");
}

}  // namespace
}  // namespace windrow
