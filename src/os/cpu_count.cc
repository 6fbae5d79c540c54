// SPDX-License-Identifier: Apache-2.0
#include "os/cpu_count.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include <sched.h>
#include <unistd.h>

#include "os/control_group.h"
#include "os/machine.h"

namespace windrow {
namespace {

constexpr std::uint64_t kFileMax = 1U << 16;

std::uint32_t affinity_cpus() {
  // More CPUs than the set of the C library holds: then the kernel says no.
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    return static_cast<std::uint32_t>(CPU_COUNT(&set));
  }
  return static_cast<std::uint32_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

// "max 100000", "150000 100000" or "-1": microseconds in each period; two files in version 1.
std::optional<double> quota_of(const std::string& text) {
  char* end = nullptr;
  const double quota = std::strtod(text.c_str(), &end);
  const double period = std::strtod(end, nullptr);
  if (quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

}  // namespace

std::optional<double> cgroup_cpus(std::string_view groups, const ReadCgroupFile& read) {
  std::optional<double> least;
  const auto take = [&](const std::string& quota_and_period) {
    const std::optional<double> quota = quota_of(quota_and_period);
    if (quota) least = std::min(least.value_or(*quota), *quota);
  };
  if (const auto own = control_group(groups, "cpu")) {
    for (const std::string& group : with_outer_groups(*own)) {
      const std::string folder = "/cpu" + group;
      take(read(folder + "/cpu.cfs_quota_us").value_or("") + " " +
           read(folder + "/cpu.cfs_period_us").value_or(""));
    }
  }
  if (const auto own = control_group(groups, "")) {
    for (const std::string& group : with_outer_groups(*own)) {
      take(read(group + "/cpu.max").value_or(""));
    }
  }
  return least;
}

std::uint32_t least_cpus(std::uint32_t affinity,
                         std::optional<double> quota,
                         const std::optional<std::string>& slurm) {
  std::uint32_t cpus = affinity;
  if (quota && *quota < cpus) cpus = static_cast<std::uint32_t>(std::ceil(*quota));
  if (slurm) {
    std::uint32_t count = 0;
    const char* end = slurm->data() + slurm->size();
    const auto [stop, error] = std::from_chars(slurm->data(), end, count);
    if (error == std::errc() && stop == end && count > 0) cpus = std::min(cpus, count);
  }
  return std::max(1U, cpus);
}

std::uint32_t usable_cpus() {
  const auto read = [](const std::string& path) -> std::optional<std::string> {
    Result<std::string> text = read_whole_file("/sys/fs/cgroup" + path, kFileMax);
    return text ? std::optional(*std::move(text)) : std::nullopt;
  };
  return least_cpus(affinity_cpus(),
                    cgroup_cpus(read_whole_file("/proc/self/cgroup", kFileMax).value_or(""), read),
                    environment_value("SLURM_CPUS_ON_NODE"));
}

}  // namespace windrow
