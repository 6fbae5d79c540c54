// SPDX-License-Identifier: Apache-2.0
//
// What happens to a world: kills, pauses, power cuts, broken lines and disks.
#include <utility>

#include "oracle.h"
#include "world.h"

namespace windrow::sim {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Call = FakeFileSystem::Call;

void World::schedule_faults() {
  const Scenario& scenario = world_.scenario;
  sometime(scenario.master_kills, [this] { kill_master(); });
  sometime(scenario.master_pauses, [this] { pause_master(); });
  sometime(scenario.agent_kills, [this] { kill_agent(); });
  sometime(scenario.agent_pauses, [this] { pause_agent(); });
  sometime(scenario.line_breaks, [this] { break_line(); });
  sometime(scenario.partitions, [this] { part_line(); });
  sometime(scenario.crashes, [this] { crash_soon(); });
  sometime(scenario.power_cuts, [this] { cut_power(); });
  sometime(scenario.disk_faults, [this] { break_disk(); });
  sometime(scenario.cancels, [this] { cancel(); });
  world_.clock.after(scenario.faults_for, [this] { end_faults(); });
}

void World::sometime(std::uint32_t count, const std::function<void()>& what) {
  for (std::uint32_t i = 0; i < count; ++i) {
    world_.clock.after(world_.random.between(Duration(0), world_.scenario.faults_for),
                       [this, what] {
                         if (!job_over_ && world_.faults_on) what();
                       });
  }
}

void World::kill_master() {
  if (!master_) return;
  world_.trace.note("kill -9 of the master");
  master_.reset();
}

// SIGSTOP. Sometimes somebody takes the job over meanwhile, and the old one wakes beside it.
void World::pause_master() {
  if (!master_ || !master_->opened() || master_->loop.paused()) return;
  const Duration lengths[] = {milliseconds(500), seconds(5), seconds(15), seconds(80)};
  const Duration length = world_.random.between(milliseconds(50), lengths[world_.random.below(4)]);
  world_.trace.note("the master is paused", static_cast<std::uint64_t>(length.count()));
  FakeLoop* const loop = &master_->loop;
  loop->pause();
  if (world_.random.per_mille(500)) {
    world_.clock.after(world_.random.between(Duration(0), length), [this, loop] {
      if (!master_ || &master_->loop != loop || !loop->paused() || job_over_) return;
      world_.trace.note("the paused master is given up");
      zombies_.push_back(std::move(master_));
      for (auto& agent : agents_) {
        if (agent && world_.random.per_mille(500)) agent->disconnect(true);
      }
    });
  }
  world_.clock.after(length, [this, loop] {
    const auto wake = [&](MasterProcess* process) {
      if (process != nullptr && &process->loop == loop) loop->wake();
    };
    wake(master_.get());
    for (auto& zombie : zombies_) wake(zombie.get());
  });
}

void World::kill_agent() {
  auto& agent = agents_[world_.random.below(agents_.size())];
  world_.trace.note("kill -9 of an agent");
  agent.reset();
}

void World::pause_agent() {
  const std::size_t id = world_.random.below(agents_.size());
  if (!agents_[id] || agents_[id]->loop.paused()) return;
  const Duration length = world_.random.between(milliseconds(50), seconds(30));
  world_.trace.note("an agent is paused", id, static_cast<std::uint64_t>(length.count()));
  FakeLoop* const loop = &agents_[id]->loop;
  loop->pause();
  world_.clock.after(length, [this, id, loop] {
    if (agents_[id] && &agents_[id]->loop == loop) loop->wake();
  });
}

void World::break_line() {
  auto& agent = agents_[world_.random.below(agents_.size())];
  if (!agent) return;
  world_.trace.note("a line breaks", agent->id());
  agent->disconnect(false);
}

void World::part_line() {
  auto& agent = agents_[world_.random.below(agents_.size())];
  if (!agent) return;
  const Duration length = world_.random.between(seconds(1), seconds(25));
  world_.trace.note("a line is cut off", agent->id(), static_cast<std::uint64_t>(length.count()));
  agent->disconnect(false);
  parted_until_[agent->id()] = world_.clock.now() + length;
}

// Everybody dies in the middle of one of the next calls, between a write and its sync for example.
void World::crash_soon() {
  const char* const places[] = {
      "/", "/", "/journal.", "/journal.", "/journal.", ".seg", ".seg", "/plan.", "/out"};
  crash_where_ = places[world_.random.below(std::size(places))];
  calls_to_crash_ = world_.random.between(1, crash_where_ == "/" ? 20 : 6);
  crash_is_power_cut_ = world_.random.per_mille(600);
}

void World::end_crash() {
  if (crash_is_power_cut_) {
    cut_power();
    return;
  }
  world_.trace.note("kill -9 of everybody");
  master_.reset();
  zombies_.clear();
  for (auto& agent : agents_) agent.reset();
}

// Everything stops, and the disk keeps what was synced and any part of the rest.
void World::cut_power() {
  world_.trace.note("power cut");
  master_.reset();
  zombies_.clear();
  for (auto& agent : agents_) agent.reset();
  disk_.power_cut([this](std::uint64_t below) { return world_.random.below(below); });
}

void World::break_disk() {
  constexpr Call kCalls[] = {Call::kCreate,
                             Call::kWrite,
                             Call::kSync,
                             Call::kLink,
                             Call::kSyncFolder,
                             Call::kMakeFolder,
                             Call::kRename};
  const char* const places[] = {"/journal.", "/plan.", ".seg", "/out", "/job", "/"};
  trouble_ = DiskTrouble{.call = kCalls[world_.random.below(std::size(kCalls))],
                         .where = places[world_.random.below(std::size(places))],
                         .times = world_.random.per_mille(500) ? 1 : UINT32_MAX};
  world_.trace.note("the disk breaks at " + trouble_->where,
                    static_cast<std::uint64_t>(trouble_->call),
                    trouble_->times);
  if (trouble_->times == 1) return;
  world_.clock.after(world_.random.between(milliseconds(10), seconds(20)),
                     [this] { trouble_.reset(); });
}

void World::cancel() {
  if (!master_ || !master_->opened()) return;
  MasterProcess* const process = master_.get();
  const bool twice = world_.random.per_mille(300);
  process->loop.deliver([this, process] {
    world_.trace.note("cancel");
    process->master().cancel(world_.random.per_mille(300));
  });
  if (!twice) return;
  process->loop.deliver([process] { process->master().cancel(true); },
                        world_.random.between(milliseconds(1), seconds(3)));
}

void World::end_faults() {
  world_.trace.note("faults end");
  world_.faults_on = false;
  trouble_.reset();
}

void World::wake_all() {
  if (master_) master_->loop.wake();
  for (auto& zombie : zombies_) zombie->loop.wake();
  for (auto& agent : agents_) {
    if (agent) agent->loop.wake();
  }
}

std::optional<FakeFileSystem::Fault> World::on_disk_call(Call call,
                                                         const std::string& path,
                                                         std::size_t size) {
  const bool naming =
      call == Call::kRename || (call == Call::kLink && !disk_.content(kTarget).has_value());
  if (naming && path == kTarget) {
    if (auto wrong = check_publish(disk_)) world_.truth.fail(*wrong);
  }
  const bool changes =
      call != Call::kOpen && call != Call::kRead && call != Call::kList && call != Call::kStat;
  const bool here = changes && path.find(crash_where_) != std::string::npos;
  if (here && calls_to_crash_ > 0 && --calls_to_crash_ == 0) {
    world_.trace.note("crash at: " + path, static_cast<std::uint64_t>(call));
    crashed_ = true;
    return FakeFileSystem::Fault{.written = size == 0 ? 0 : world_.random.below(size + 1)};
  }
  if (crashed_) return FakeFileSystem::Fault{};
  if (!trouble_ || trouble_->call != call || path.find(trouble_->where) == std::string::npos) {
    return std::nullopt;
  }
  if (trouble_->times != UINT32_MAX && --trouble_->times == 0) trouble_.reset();
  disk_failed_ = disk_ever_failed_ = true;
  world_.trace.note("the disk fails: " + path, static_cast<std::uint64_t>(call));
  return FakeFileSystem::Fault{.written = size == 0 ? 0 : world_.random.below(size)};
}

}  // namespace windrow::sim
