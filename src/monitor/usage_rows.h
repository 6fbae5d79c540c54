// SPDX-License-Identifier: Apache-2.0
//
// Samples of a machine and of our processes as lines of CSV; the columns are those that Azure ML's
// parallel jobs write. docs/manual/resource-monitor.md says what each means.
//
// Thread: any; values in, text out. Failure: none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/proc_text.h"

namespace windrow {

struct NodeUsage {
  CpuTimes cpu;
  Memory memory;
  IoCounts disk;
  Network network;
  std::uint64_t tcp = 0;
  std::uint64_t udp = 0;
};
std::string node_columns();
// CPU percent since `before`; 0 when that is the same moment.
std::string node_row(std::string_view utc, const NodeUsage& now, const CpuTimes& before);

struct DiskUsage {
  std::uint64_t total = 0;  // bytes
  std::uint64_t used = 0;
  std::uint64_t available = 0;
};
std::string disk_columns(const std::vector<std::string>& mount_points);
std::string disk_row(std::string_view utc, const std::vector<DiskUsage>& disks);

// One of ours: `pid` is the worker, or the engine itself.
struct WatchedProcess {
  std::string name;  // manager, process000, ...
  int pid = 0;
};

// A process of ours with all that it has started.
struct TreeUsage {
  std::string name;
  double user = 0;    // seconds
  double system = 0;  // seconds
  double age = 0;     // seconds since its start
  std::uint64_t resident = 0;
  std::uint64_t threads = 0;
  IoCounts io;
  std::vector<int> pids;
};

// Units and the moment of what parse_process_stat gave.
struct ProcUnits {
  double ticks = 100;  // in a second
  std::uint64_t page = 4096;
  double uptime = 0;  // seconds
};

// Sums up the trees, `manager` (the engine, with its helpers) first; io is left to the caller. A
// worker's tree hangs on its reaper, which adopts daemons: so the reaper counts as its root.
std::vector<TreeUsage> sum_trees(const std::vector<ProcessStat>& processes,
                                 int engine,
                                 const std::vector<WatchedProcess>& workers,
                                 const ProcUnits& units);
std::string process_columns();
// `percent`: of one CPU, since the sample before.
std::string process_row(std::string_view utc,
                        const TreeUsage& tree,
                        double percent,
                        std::uint64_t memory_total);

// A list of all processes, for a machine without ps.
std::string process_list(const std::vector<ProcessStat>& processes, const ProcUnits& units);

}  // namespace windrow
