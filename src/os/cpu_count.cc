// SPDX-License-Identifier: Apache-2.0
#include "os/cpu_count.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include <sched.h>
#include <unistd.h>

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

bool lists(std::string_view controllers, std::string_view wanted) {
  while (!controllers.empty()) {
    const std::size_t comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == wanted) return true;
    controllers.remove_prefix(std::min(comma + 1, controllers.size()));
  }
  return false;
}

// From `group` up to the root, which is also looked at for a group that a container does not see.
std::optional<double> least_quota(
    std::string group, const std::function<std::optional<double>(const std::string&)>& quota) {
  std::optional<double> least;
  for (;;) {
    if (group == "/") group.clear();
    if (const auto one = quota(group)) least = std::min(least.value_or(*one), *one);
    if (group.empty()) return least;
    group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
  }
}

}  // namespace

std::optional<double> cgroup_cpus(std::string_view groups, const ReadCgroupFile& read) {
  std::optional<double> least;
  while (!groups.empty()) {
    const std::size_t end = std::min(groups.find('\n'), groups.size());
    const std::string_view line = groups.substr(0, end);
    groups.remove_prefix(std::min(end + 1, groups.size()));
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const bool unified = controllers.empty();
    if (!unified && !lists(controllers, "cpu")) continue;
    const auto quota =
        least_quota(std::string(line.substr(second + 1)), [&](const std::string& group) {
          if (unified) return quota_of(read(group + "/cpu.max").value_or(""));
          const std::string folder = "/cpu" + group;
          return quota_of(read(folder + "/cpu.cfs_quota_us").value_or("") + " " +
                          read(folder + "/cpu.cfs_period_us").value_or(""));
        });
    if (quota) least = std::min(least.value_or(*quota), *quota);
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
