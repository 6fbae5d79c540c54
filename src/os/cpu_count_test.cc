// SPDX-License-Identifier: Apache-2.0
#include "os/cpu_count.h"

#include <map>

#include <gtest/gtest.h>

namespace windrow {
namespace {

std::optional<double> cpus(std::string_view groups, std::map<std::string, std::string> files) {
  return cgroup_cpus(groups, [&files](const std::string& path) -> std::optional<std::string> {
    const auto found = files.find(path);
    return found == files.end() ? std::nullopt : std::optional(found->second);
  });
}

// C340
TEST(CpuCount, TheLeastQuotaUpToTheRootCounts) {
  EXPECT_EQ(
      cpus("0::/a/b\n", {{"/a/b/cpu.max", "max 100000\n"}, {"/a/cpu.max", "150000 100000\n"}}),
      1.5);
  EXPECT_EQ(cpus("0::/a\n", {{"/a/cpu.max", "800000 100000\n"}, {"/cpu.max", "400000 100000\n"}}),
            4.0);
  EXPECT_EQ(cpus("0::/\n", {{"/cpu.max", "200000 100000\n"}}), 2.0);
  EXPECT_EQ(cpus("0::/\n", {{"/cpu.max", "max 100000\n"}}), std::nullopt);
  EXPECT_EQ(cpus("0::/../x\n", {}), std::nullopt);
  EXPECT_EQ(cpus("", {}), std::nullopt);
}

// C340
TEST(CpuCount, QuotasOfTheFirstVersionCountToo) {
  const std::string groups = "12:cpuset:/docker/1\n4:cpu,cpuacct:/docker/1\n0::/\n";
  EXPECT_EQ(cpus(groups,
                 {{"/cpu/docker/1/cpu.cfs_quota_us", "250000\n"},
                  {"/cpu/docker/1/cpu.cfs_period_us", "100000\n"},
                  {"/cpu/cpu.cfs_quota_us", "-1\n"},
                  {"/cpu/cpu.cfs_period_us", "100000\n"}}),
            2.5);
  // In a container the group of the host is not to be seen; its own is the root.
  EXPECT_EQ(
      cpus(groups, {{"/cpu/cpu.cfs_quota_us", "100000\n"}, {"/cpu/cpu.cfs_period_us", "100000\n"}}),
      1.0);
}

// C340
TEST(CpuCount, AffinityQuotaAndSlurmLimitTogether) {
  EXPECT_EQ(least_cpus(8, std::nullopt, std::nullopt), 8U);
  EXPECT_EQ(least_cpus(8, 1.5, std::nullopt), 2U);
  EXPECT_EQ(least_cpus(8, 0.1, std::nullopt), 1U);
  EXPECT_EQ(least_cpus(2, 5, "16"), 2U);
  EXPECT_EQ(least_cpus(8, 6, "4"), 4U);
  EXPECT_EQ(least_cpus(8, 6, "4(x2)"), 6U);
  EXPECT_EQ(least_cpus(8, 6, "0"), 6U);
  EXPECT_GE(usable_cpus(), 1U);
}

}  // namespace
}  // namespace windrow
