// SPDX-License-Identifier: Apache-2.0
//
// The text of files in /proc as values.
//
// Thread: any; text in, values out. Failure: what is not there counts as zero; a line that does not
// look as it should is left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace windrow {

struct CpuTimes {  // of all CPUs together since the machine started
  std::uint64_t busy = 0;
  std::uint64_t total = 0;
};
CpuTimes parse_cpu_times(std::string_view stat);  // /proc/stat

struct Memory {
  std::uint64_t total = 0;      // bytes
  std::uint64_t available = 0;  // without swapping
};
Memory parse_memory(std::string_view meminfo);

struct IoCounts {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
  IoCounts& operator+=(const IoCounts& other);
};
// Of whole disks: partitions, and devices that are made of others, would count twice.
IoCounts parse_disk_io(std::string_view diskstats);
IoCounts parse_process_io(std::string_view io);  // /proc/<pid>/io

struct Network {
  std::uint64_t received = 0;  // bytes, of all interfaces
  std::uint64_t sent = 0;
};
Network parse_network(std::string_view net_dev);

// Sockets in use: `protocol` is TCP or UDP, those for IPv6 included.
// `sockstat` is /proc/net/sockstat and /proc/net/sockstat6, one after the other.
std::uint64_t parse_sockets(std::string_view sockstat, std::string_view protocol);

struct ProcessStat {
  int pid = 0;
  int parent = 0;
  std::string name;  // of the program, cut by the kernel after 15 bytes
  char state = '?';
  // Ticks, with those of children that were waited for.
  std::uint64_t user = 0;
  std::uint64_t system = 0;
  std::uint64_t threads = 0;
  std::uint64_t start = 0;  // ticks since the machine started
  std::uint64_t resident_pages = 0;
};
std::optional<ProcessStat> parse_process_stat(std::string_view stat);

// Seconds since the machine started.
double parse_uptime(std::string_view uptime);

struct Mount {
  std::string source;
  std::string point;
  std::string type;
};
std::vector<Mount> parse_mounts(std::string_view mounts);

// The points worth looking at: /, those with disks behind them, and those that `paths` lie on.
// Others may be on a network that does not answer. In the order of their names.
std::vector<std::string> choose_mount_points(const std::vector<Mount>& mounts,
                                             const std::vector<std::string>& paths);

}  // namespace windrow
