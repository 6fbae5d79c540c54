// SPDX-License-Identifier: Apache-2.0
//
// The resource monitor of one node: every so often, and when a worker has died, a sample of the
// machine, its disks, its processes and ours, for people who ask later what happened.
//
//   setup.json                      what is looked at, and how often
//   os/2026111506/processes_44      what ps prints at 06:44 UTC
//   node_resource_usage.csv, node_disk_usage.csv, processes_resource_usage.csv
//
// Samples are taken on the pool, one at a time; a sample costs tens of milliseconds of one CPU.
//
// Thread: the loop's. Ownership: loop and file system outlive it. Failure: none that anyone would
// hear of; a full disk loses samples and nothing else.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "monitor/usage_rows.h"
#include "os/file_system.h"
#include "os/loop.h"

namespace windrow {

struct MonitorConfig {
  std::string folder;  // logs/perf/<node>; made when it is not there
  Duration interval = std::chrono::seconds(600);
  std::vector<std::string> gpus;   // as they are handed out; only told in setup.json
  std::vector<std::string> paths;  // whose disks are looked at beside the machine's own
  // Links to be made: the path of each, and what it points to.
  std::vector<std::pair<std::string, std::string>> aliases;
};

class ResourceMonitor {
 public:
  // The workers that run now.
  using Workers = std::function<std::vector<WatchedProcess>()>;

  // REQUIRES: interval > 0.
  ResourceMonitor(Loop& loop, FileSystem& fs, MonitorConfig config, Workers workers);
  ~ResourceMonitor();
  ResourceMonitor(const ResourceMonitor&) = delete;
  ResourceMonitor& operator=(const ResourceMonitor&) = delete;

  // Takes the first sample, and from then on one at every interval. Call once.
  void begin();

  // A worker has died, and this is what it had used, at its peak: one more sample, now, in which
  // it has its last row; deaths within a second share one.
  void sample_soon(TreeUsage dead);

  // Takes a sample that is still owed, before it returns. Call last.
  void finish();

 private:
  class Sampler;  // what the pool works with

  void sample();
  void sample_at_interval();
  void sample_owed();

  Loop& loop_;
  Duration interval_;
  Workers workers_;
  std::shared_ptr<Sampler> sampler_;
  bool busy_ = false;  // a sample is being taken
  bool owed_ = false;  // one was asked for since it began
  TimePoint last_;
  std::vector<TreeUsage> dead_;             // without a last row so far
  std::shared_ptr<ResourceMonitor*> self_;  // cleared by the destructor
};

}  // namespace windrow
