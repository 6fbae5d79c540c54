// SPDX-License-Identifier: Apache-2.0
//
// How many CPUs are there for this process: as many as its affinity, the quotas of its cgroups and
// Slurm's allocation all allow.
//
// Thread: any. Failure: none; what says nothing limits nothing, and one CPU there is always.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace windrow {

std::uint32_t usable_cpus();

// The content of a file below the mount of cgroups (/sys/fs/cgroup), nothing when there is none.
using ReadCgroupFile = std::function<std::optional<std::string>(const std::string& path)>;

// The least quota from the group of this process up to the root, as a number of CPUs. `groups` is
// /proc/self/cgroup; version 1 and 2 are understood.
std::optional<double> cgroup_cpus(std::string_view groups, const ReadCgroupFile& read);

// A quota of one CPU and a half is two. `slurm` is SLURM_CPUS_ON_NODE.
std::uint32_t least_cpus(std::uint32_t affinity,
                         std::optional<double> quota,
                         const std::optional<std::string>& slurm);

}  // namespace windrow
