// SPDX-License-Identifier: Apache-2.0
#include "monitor/resource_monitor.h"

#include <map>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "base/clock_text.h"
#include "base/json.h"
#include "os/cpu_count.h"
#include "os/log_file.h"
#include "os/machine.h"
#include "os/run_program.h"
#include "os/system_usage.h"

namespace windrow {
namespace {

constexpr Duration kSoonEvery = std::chrono::seconds(1);
constexpr Duration kListLimit = std::chrono::seconds(10);
constexpr std::uint64_t kListMax = 16U << 20;
constexpr std::uint64_t kProcMax = 4U << 20;

const std::vector<std::string> kList = {
    "ps", "axwwo", "user,pid,ppid,nlwp,pcpu,pmem,rss,vsz,stat,lstart,time,args"};

std::string read_proc(const std::string& path) {
  return read_whole_file("/proc/" + path, kProcMax).value_or("");
}

void append_to(const std::string& path, std::string_view text) {
  LogFile file(path);
  file.write(text);
}

}  // namespace

class ResourceMonitor::Sampler {
 public:
  Sampler(FileSystem& fs, MonitorConfig config) : fs_(fs), config_(std::move(config)) {}

  // REQUIRES: any thread, one at a time by the lock.
  void sample(WallTime wall,
              const std::vector<WatchedProcess>& workers,
              std::vector<TreeUsage> dead) {
    const std::scoped_lock lock(mutex_);
    std::string utc;
    ClockText().append_iso(wall, utc);
    if (!set_up_) set_up(utc);
    units_.uptime = parse_uptime(read_proc("uptime"));
    const std::vector<ProcessStat> processes = read_processes();
    list_processes(utc, processes);
    sample_node(utc);
    sample_disks(utc);
    std::vector<TreeUsage> trees = sum_trees(processes, process_id(), workers, units_);
    for (TreeUsage& tree : trees) {
      for (const int pid : tree.pids) {
        tree.io += parse_process_io(read_proc(fmt::format("{}/io", pid)));
      }
    }
    for (TreeUsage& tree : dead) {
      if (const auto before = before_.find(tree.name); before != before_.end()) {
        tree.io = before->second.io;  // as far as it was seen
        tree.threads = before->second.threads;
      }
      trees.push_back(std::move(tree));
    }
    write_trees(utc, trees);
  }

 private:
  void set_up(const std::string& utc) {
    set_up_ = true;
    units_.ticks = static_cast<double>(ticks_per_second());
    units_.page = page_size();
    std::vector<Mount> mounts = parse_mounts(read_proc("self/mounts"));
    // Containers have single files mounted from a disk.
    std::erase_if(mounts, [this](const Mount& mount) {
      if (!mount.source.starts_with("/dev/")) return false;
      const Result<FileStat> stat = fs_.stat(mount.point);
      return !stat || stat->kind != FileKind::kFolder;
    });
    for (std::string& path : config_.paths) path = real_path(path).value_or(path);
    mount_points_ = choose_mount_points(mounts, config_.paths);
    has_ps_ = find_program(kList.front()).has_value();
    static_cast<void>(fs_.make_casual_folders(config_.folder));
    for (const auto& [alias, target] : config_.aliases) point_alias(alias, target);
    write_setup(utc);
    begin_table("node_resource_usage.csv", node_columns());
    begin_table("node_disk_usage.csv", disk_columns(mount_points_));
    begin_table("processes_resource_usage.csv", process_columns());
  }

  void write_setup(const std::string& utc) {
    JsonWriter out;
    const auto list = [&out](std::string_view name, const std::vector<std::string>& values) {
      out.key(name).begin_array();
      for (const std::string& value : values) out.value(value);
      out.end_array();
    };
    out.begin_object();
    out.field("started", utc);
    out.field("interval_seconds", std::chrono::duration<double>(config_.interval).count());
    list("command", has_ps_ ? kList : std::vector<std::string>{"/proc"});
    out.field("host", host_name());
    out.field("cores", usable_cpus());
    list("gpus", config_.gpus);
    list("mounts", mount_points_);
    out.field("memory_total_bytes", parse_memory(read_proc("meminfo")).total);
    out.field("manager_pid", process_id());
    out.end_object();
    static_cast<void>(write_whole_file(config_.folder + "/setup.json", out.text() + "\n"));
  }

  // A job that resumes adds to the table, with its columns once more when they have changed.
  void begin_table(const std::string& name, const std::string& columns) {
    const std::string path = config_.folder + "/" + name;
    std::string& last = columns_[name];
    if (const Result<std::unique_ptr<File>> file = fs_.open(path)) {
      std::string head(columns.size(), '\0');
      const Result<std::size_t> got = (*file)->read_at(0, std::span(head));
      if (got && *got == head.size()) last = head;
    }
    if (last != columns) append_to(path, columns);
    last = columns;
  }

  std::vector<ProcessStat> read_processes() {
    std::vector<ProcessStat> out;
    for (const int pid : process_numbers()) {
      auto stat = parse_process_stat(read_proc(fmt::format("{}/stat", pid)));
      if (stat) out.push_back(*std::move(stat));
    }
    return out;
  }

  // utc is 2026-11-15T06:44:53...
  void list_processes(const std::string& utc, const std::vector<ProcessStat>& processes) {
    const std::string folder = fmt::format("{}/os/{}{}{}{}",
                                           config_.folder,
                                           utc.substr(0, 4),
                                           utc.substr(5, 2),
                                           utc.substr(8, 2),
                                           utc.substr(11, 2));
    static_cast<void>(fs_.make_casual_folders(folder));
    Result<std::string> text = fail(ErrorCode::kNotFound, "no ps");
    if (has_ps_) text = run_program(kList, kListLimit, kListMax);
    append_to(folder + "/processes_" + utc.substr(14, 2),
              text ? *text : process_list(processes, units_));
  }

  void sample_node(const std::string& utc) {
    const NodeUsage usage{
        .cpu = parse_cpu_times(read_proc("stat")),
        .memory = parse_memory(read_proc("meminfo")),
        .disk = parse_disk_io(read_proc("diskstats")),
        .network = parse_network(read_proc("net/dev")),
        .tcp = parse_sockets(read_proc("net/sockstat") + read_proc("net/sockstat6"), "TCP"),
        .udp = parse_sockets(read_proc("net/sockstat") + read_proc("net/sockstat6"), "UDP"),
    };
    memory_total_ = usage.memory.total;
    if (cpu_before_.total == 0) cpu_before_ = usage.cpu;
    append_to(config_.folder + "/node_resource_usage.csv", node_row(utc, usage, cpu_before_));
    cpu_before_ = usage.cpu;
  }

  void sample_disks(const std::string& utc) {
    std::vector<DiskUsage> disks;
    for (const std::string& point : mount_points_) {
      const DiskSpace space = disk_space(point);
      disks.push_back({space.total, space.used, space.available});
    }
    append_to(config_.folder + "/node_disk_usage.csv", disk_row(utc, disks));
  }

  void write_trees(const std::string& utc, const std::vector<TreeUsage>& trees) {
    std::map<std::string, Before> now;
    std::string rows;
    for (const TreeUsage& tree : trees) {
      const auto before = before_.find(tree.name);
      const bool known = before != before_.end();
      const double cpu = tree.user + tree.system;
      const double spent = known ? cpu - before->second.cpu : cpu;
      const double passed = known ? units_.uptime - before->second.uptime : tree.age;
      const double percent = passed > 0 && spent > 0 ? 100 * spent / passed : 0;
      rows += process_row(utc, tree, percent, memory_total_);
      now[tree.name] = {cpu, units_.uptime, tree.io, tree.threads};
    }
    before_ = std::move(now);
    append_to(config_.folder + "/processes_resource_usage.csv", rows);
  }

  struct Before {
    double cpu = 0;  // seconds
    double uptime = 0;
    IoCounts io;
    std::uint64_t threads = 0;
  };

  std::mutex mutex_;
  FileSystem& fs_;
  MonitorConfig config_;
  bool set_up_ = false;
  bool has_ps_ = false;
  ProcUnits units_;
  std::vector<std::string> mount_points_;
  std::map<std::string, std::string> columns_;
  std::uint64_t memory_total_ = 0;
  CpuTimes cpu_before_;
  std::map<std::string, Before> before_;  // by name
};

ResourceMonitor::ResourceMonitor(Loop& loop, FileSystem& fs, MonitorConfig config, Workers workers)
    : loop_(loop),
      interval_(config.interval),
      workers_(std::move(workers)),
      sampler_(std::make_shared<Sampler>(fs, std::move(config))),
      self_(std::make_shared<ResourceMonitor*>(this)) {}

ResourceMonitor::~ResourceMonitor() { *self_ = nullptr; }

void ResourceMonitor::begin() { sample_at_interval(); }

void ResourceMonitor::sample_at_interval() {
  if (!busy_) sample();
  loop_.at(loop_.now() + interval_, [self = self_] {
    if (*self != nullptr) (*self)->sample_at_interval();
  });
}

void ResourceMonitor::sample_soon(TreeUsage dead) {
  dead_.push_back(std::move(dead));
  sample_owed();
}

void ResourceMonitor::sample_owed() {
  if (std::exchange(owed_, true) || busy_) return;
  const TimePoint earliest = last_ + kSoonEvery;
  loop_.at(std::max(earliest, loop_.now()), [self = self_] {
    if (*self != nullptr && (*self)->owed_ && !(*self)->busy_) (*self)->sample();
  });
}

void ResourceMonitor::sample() {
  busy_ = true;
  owed_ = false;
  last_ = loop_.now();
  loop_.blocking([sampler = sampler_,
                  wall = loop_.wall_now(),
                  workers = workers_(),
                  dead = std::exchange(dead_, {})] { sampler->sample(wall, workers, dead); },
                 [self = self_] {
                   if (*self == nullptr) return;
                   (*self)->busy_ = false;
                   if (std::exchange((*self)->owed_, false)) (*self)->sample_owed();
                 });
}

void ResourceMonitor::finish() {
  if (std::exchange(owed_, false)) {
    sampler_->sample(loop_.wall_now(), workers_(), std::exchange(dead_, {}));
  }
}

}  // namespace windrow
