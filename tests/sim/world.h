// SPDX-License-Identifier: Apache-2.0
//
// A whole cluster on one thread: the production master, agents, journal, planner and merger, on a
// virtual clock, a virtual disk, flaky lines and workers that misbehave, and somebody who starts
// again what has died. One seed is one world, to the last event.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "os/fake_file_system.h"
#include "processes.h"
#include "surroundings.h"

namespace windrow::sim {

struct WorldEnd {
  std::optional<std::string> failure;  // none: everything was as it must be
  std::uint64_t hash = 0;
  std::uint64_t steps = 0;
  Duration took{};
  JobStatus status = JobStatus::kRunning;
};

class World {
 public:
  World(std::uint64_t seed, bool print);
  ~World();

  WorldEnd run();

 private:
  // What happens to the world: faults.cc.
  void schedule_faults();
  void sometime(std::uint32_t count, const std::function<void()>& what);
  void kill_master();
  void pause_master();
  void kill_agent();
  void pause_agent();
  void break_line();
  void part_line();
  void crash_soon();
  void cut_power();
  void break_disk();
  void cancel();
  void end_faults();
  void wake_all();
  std::optional<FakeFileSystem::Fault> on_disk_call(FakeFileSystem::Call call,
                                                    const std::string& path,
                                                    std::size_t size);

  // Who looks after it: world.cc.
  void set_up();
  bool step();
  void end_crash();
  void operate();
  void start_master();
  void master_ended();
  void job_ended();
  void start_agents();
  void connect_agents();
  Status connect(AgentProcess& agent);
  void check_processes();
  void settle();
  [[nodiscard]] bool quiet() const;

  Surroundings world_;
  FakeFileSystem disk_;
  std::unique_ptr<MasterProcess> master_;                // the current one
  std::vector<std::unique_ptr<MasterProcess>> zombies_;  // paused, and taken for dead
  std::vector<std::unique_ptr<AgentProcess>> agents_;    // by id; null: not running
  std::vector<std::uint64_t> incarnations_;
  std::optional<fact::Reopened> reopen_;
  bool start_planned_ = false;
  bool job_over_ = false;
  JobStatus status_ = JobStatus::kRunning;

  struct DiskTrouble {
    FakeFileSystem::Call call = FakeFileSystem::Call::kWrite;
    std::string where;
    std::uint32_t times = 1;
  };
  std::optional<DiskTrouble> trouble_;
  bool disk_failed_ = false;  // since the last start of a master
  bool disk_ever_failed_ = false;
  std::uint32_t calls_to_crash_ = 0;  // 0: none planned
  std::string crash_where_;
  bool crash_is_power_cut_ = false;
  bool crashed_ = false;  // in this event: nothing that anybody does has an effect any more
  std::vector<TimePoint> parted_until_;  // by agent
};

}  // namespace windrow::sim
