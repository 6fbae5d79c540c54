// SPDX-License-Identifier: Apache-2.0
#include "monitor/usage_rows.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace windrow {
namespace {

constexpr int kStepsMax =
    1000;  // up a chain of parents: one that is read while it changes may loop

double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / (1024.0 * 1024.0); }

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string io_cells(const IoCounts& io) {
  return fmt::format("{},{},{:.2f},{:.2f}",
                     io.reads,
                     io.writes,
                     megabytes(io.read_bytes),
                     megabytes(io.written_bytes));
}

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\n\r") == cell.npos) return cell;
  std::string out = "\"";
  for (const char c : cell) {
    if (c == '"') out.push_back('"');
    out.push_back(c);
  }
  return out + "\"";
}

}  // namespace

std::string node_columns() {
  return "Utc Time,Cpu Percent,Memory Total (MB),Memory Available (MB),Memory Used (MB),"
         "Memory Used Percent,Disk Io Read Count,Disk Io Write Count,Disk Io Read (MB),"
         "Disk Io Write (MB),Network Sent (MB),Network Recv (MB),# of TCP Connections,"
         "# of UDP Connections\n";
}

std::string node_row(std::string_view utc, const NodeUsage& now, const CpuTimes& before) {
  const auto since = [](std::uint64_t later, std::uint64_t earlier) {
    return later > earlier ? later - earlier : 0;
  };
  const Memory& memory = now.memory;
  const std::uint64_t used = memory.total - std::min(memory.total, memory.available);
  return fmt::format("{},{:.1f},{:.2f},{:.2f},{:.2f},{:.1f},{},{:.2f},{:.2f},{},{}\n",
                     utc,
                     percent(since(now.cpu.busy, before.busy), since(now.cpu.total, before.total)),
                     megabytes(memory.total),
                     megabytes(memory.available),
                     megabytes(used),
                     percent(used, memory.total),
                     io_cells(now.disk),
                     megabytes(now.network.sent),
                     megabytes(now.network.received),
                     now.tcp,
                     now.udp);
}

std::string disk_columns(const std::vector<std::string>& mount_points) {
  std::string out = "Utc Time";
  for (const std::string& point : mount_points) {
    for (const char* what : {"Total (MB)", "Used (MB)", "Free (MB)", "Used Percent"}) {
      out += "," + quoted(fmt::format("Disk ({}) {}", point, what));
    }
  }
  return out + "\n";
}

std::string disk_row(std::string_view utc, const std::vector<DiskUsage>& disks) {
  std::string out(utc);
  for (const DiskUsage& disk : disks) {
    out += fmt::format(",{:.2f},{:.2f},{:.2f},{:.1f}",
                       megabytes(disk.total),
                       megabytes(disk.used),
                       megabytes(disk.available),
                       percent(disk.used, disk.used + disk.available));
  }
  return out + "\n";
}

std::vector<TreeUsage> sum_trees(const std::vector<ProcessStat>& processes,
                                 int engine,
                                 const std::vector<WatchedProcess>& workers,
                                 const ProcUnits& units) {
  std::map<int, const ProcessStat*> by_pid;
  for (const ProcessStat& one : processes) by_pid[one.pid] = &one;
  std::vector<TreeUsage> trees{{.name = "manager"}};
  std::map<int, std::size_t> roots{{engine, 0}};
  std::vector<int> heads{engine};  // whose age is that of the tree
  for (const WatchedProcess& worker : workers) {
    const auto stat = by_pid.find(worker.pid);
    if (stat == by_pid.end()) continue;
    roots[worker.pid] = trees.size();
    if (stat->second->parent != engine) roots[stat->second->parent] = trees.size();
    heads.push_back(worker.pid);
    trees.push_back({.name = worker.name});
  }
  const auto tree_of = [&](int pid) -> TreeUsage* {
    for (int step = 0; step < kStepsMax; ++step) {
      if (const auto root = roots.find(pid); root != roots.end()) return &trees[root->second];
      const auto stat = by_pid.find(pid);
      if (stat == by_pid.end()) return nullptr;
      pid = stat->second->parent;
    }
    return nullptr;
  };
  for (const ProcessStat& one : processes) {
    TreeUsage* tree = tree_of(one.pid);
    if (tree == nullptr) continue;
    tree->user += static_cast<double>(one.user) / units.ticks;
    tree->system += static_cast<double>(one.system) / units.ticks;
    tree->resident += one.resident_pages * units.page;
    tree->threads += one.threads;
    tree->pids.push_back(one.pid);
  }
  for (std::size_t i = 0; i < trees.size(); ++i) {
    const auto head = by_pid.find(heads[i]);
    if (head == by_pid.end()) continue;
    trees[i].age = units.uptime - static_cast<double>(head->second->start) / units.ticks;
  }
  return trees;
}

std::string process_columns() {
  return "Utc Time,Name,Cpu Percent,Cpu Time User,Cpu Time System,Memory Used Percent,"
         "Disk Io Read Count,Disk Io Write Count,Disk Io Read (MB),Disk Io Write (MB),"
         "Thread Num\n";
}

std::string process_row(std::string_view utc,
                        const TreeUsage& tree,
                        double of_cpu,
                        std::uint64_t memory_total) {
  return fmt::format("{},{},{:.1f},{:.2f},{:.2f},{:.2f},{},{}\n",
                     utc,
                     tree.name,
                     of_cpu,
                     tree.user,
                     tree.system,
                     percent(tree.resident, memory_total),
                     io_cells(tree.io),
                     tree.threads);
}

std::string process_list(const std::vector<ProcessStat>& processes, const ProcUnits& units) {
  std::string out = "    PID    PPID S NLWP      RSS     TIME COMMAND\n";
  for (const ProcessStat& one : processes) {
    fmt::format_to(std::back_inserter(out),
                   "{:7} {:7} {} {:4} {:8} {:8.2f} {}\n",
                   one.pid,
                   one.parent,
                   one.state,
                   one.threads,
                   one.resident_pages * units.page / 1024,
                   static_cast<double>(one.user + one.system) / units.ticks,
                   one.name);
  }
  return out;
}

}  // namespace windrow
