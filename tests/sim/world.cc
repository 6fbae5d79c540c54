// SPDX-License-Identifier: Apache-2.0
#include "world.h"

#include <algorithm>
#include <utility>

#include "oracle.h"

namespace windrow::sim {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

constexpr std::uint64_t kStepsMax = 200'000;
constexpr Duration kHealsWithin = minutes(20);
constexpr Duration kOperateEvery = milliseconds(250);

}  // namespace

World::World(std::uint64_t seed, bool print)
    : world_(draw_scenario(seed), print),
      disk_([this] { return world_.clock.wall_at(world_.clock.now()); }) {}

World::~World() {
  master_.reset();
  zombies_.clear();
  agents_.clear();
}

void World::set_up() {
  const JobFolder folder(kJobFolder);
  for (const std::string& path : {folder.rows(), std::string(kInput), std::string("/out")}) {
    static_cast<void>(disk_.make_folders(path));
  }
  for (const std::string& name : input_names(world_.scenario)) {
    disk_.put(std::string(kInput) + "/" + name, kContent);
  }
  if (world_.scenario.replace) disk_.put(kTarget, "an older result\n");
  disk_.watch([this](FakeFileSystem::Call call, const std::string& path, std::size_t size) {
    return on_disk_call(call, path, size);
  });
  agents_.resize(world_.scenario.local ? 0 : world_.scenario.agents);
  incarnations_.resize(agents_.size());
  parted_until_.resize(agents_.size());
  schedule_faults();
  start_planned_ = true;
  world_.clock.after(world_.random.between(milliseconds(1), milliseconds(100)),
                     [this] { start_master(); });
  operate();
}

WorldEnd World::run() {
  set_up();
  const TimePoint began = world_.clock.now();
  const TimePoint limit = began + world_.scenario.faults_for + kHealsWithin;
  while (!job_over_ && step()) {
    if (world_.clock.now() > limit) world_.truth.fail("the job does not end");
    if (world_.clock.steps() > kStepsMax) world_.truth.fail("too much happens");
  }
  if (!world_.truth.failure()) settle();
  return WorldEnd{.failure = world_.truth.failure(),
                  .hash = world_.trace.hash(),
                  .steps = world_.clock.steps(),
                  .took = world_.clock.now() - began,
                  .status = status_};
}

bool World::step() {
  if (world_.truth.failure()) return false;
  if (!world_.clock.step()) {
    world_.truth.fail("nothing will ever happen again");
    return false;
  }
  if (std::exchange(crashed_, false)) end_crash();
  check_processes();
  if (master_ && master_->opened() && world_.random.per_mille(2)) {
    if (auto wrong = check_replay(world_, disk_, &master_->master().state())) {
      world_.truth.fail(*wrong);
    }
  }
  return !world_.truth.failure();
}

// Holds everybody who has just done something to his invariants, and buries who has ended.
void World::check_processes() {
  if (master_ && master_->loop.take_ran()) {
    master_->check_invariants();
    if (master_->opened() && master_->master().finished()) master_ended();
  }
  for (auto& zombie : zombies_) {
    if (!zombie->loop.take_ran()) continue;
    zombie->check_invariants();
    if (zombie->master().finished() && !master_ && zombie->master().end() == RunEnding::kFinished) {
      master_ = std::move(zombie);  // nobody had managed to take the job over
      master_ended();
    } else if (zombie->master().finished()) {
      world_.trace.note("the old master ends", static_cast<std::uint64_t>(zombie->master().end()));
      if (zombie->master().end() == RunEnding::kFinished) {
        world_.truth.fail("a master whose job was taken over has finished it");
      }
      zombie.reset();
    }
  }
  std::erase(zombies_, nullptr);
  for (auto& agent : agents_) {
    if (!agent || !agent->loop.take_ran()) continue;
    agent->agent().check_invariants();
    if (agent->agent().ended()) {
      world_.trace.note("agent has ended", agent->id());
      agent->disconnect(true);
      agent.reset();
    }
  }
}

// Whoever cares for this job starts again what is not running.
void World::operate() {
  world_.clock.after(kOperateEvery, [this] {
    if (!job_over_) operate();
  });
  if (!master_ && !start_planned_) {
    start_planned_ = true;
    world_.clock.after(world_.random.between(milliseconds(1), seconds(2)),
                       [this] { start_master(); });
  }
  start_agents();
  connect_agents();
}

void World::start_master() {
  start_planned_ = false;
  if (master_ || job_over_) return;
  if (auto wrong = check_replay(world_, disk_, nullptr)) {
    world_.truth.fail(*wrong);
    return;
  }
  disk_failed_ = false;
  master_ = std::make_unique<MasterProcess>(world_, disk_);
  const Status opened = master_->open(reopen_);
  world_.trace.note(opened ? "master opens" : "cannot open: " + opened.error().message);
  if (!opened) {
    if (!disk_failed_ && !crashed_) world_.truth.fail("cannot open: " + opened.error().message);
    // Its journal may have got as far as saying that the job resumes.
    master_.reset();
    return;
  }
  reopen_.reset();
}

void World::master_ended() {
  const RunEnding how = master_->master().end();
  world_.trace.note("master ends", static_cast<std::uint64_t>(how));
  if (how == RunEnding::kFinished) {
    job_ended();
  } else if (how == RunEnding::kBroken && !disk_failed_) {
    world_.truth.fail("the master ended without a reason");
  } else if (how == RunEnding::kHeldUp) {
    world_.truth.fail("the master says that the input has changed");
  } else if (how == RunEnding::kSuperseded) {
    world_.truth.fail("the newest master says that it was superseded");
  }
  master_.reset();
}

// A job that was cancelled, or failed because of the disk, is resumed by somebody.
void World::job_ended() {
  const JobState& state = master_->master().state();
  const fact::Finished& end = *state.finished();
  world_.trace.note("job ends: " + end.cause, static_cast<std::uint64_t>(end.status));
  if (auto wrong = check_replay(world_, disk_, &state)) world_.truth.fail(*wrong);
  const bool disk = end.status == JobStatus::kFailed && disk_ever_failed_ &&
                    end.cause.find("Input/output error") != std::string::npos;
  if (end.status == JobStatus::kCanceled || disk) {
    reopen_ = fact::Reopened{.failed_afresh = world_.random.per_mille(300)};
    return;
  }
  status_ = end.status;
  job_over_ = true;
  if (auto wrong = check_end(world_, disk_, state, disk_ever_failed_)) world_.truth.fail(*wrong);
}

void World::start_agents() {
  for (std::size_t id = 0; id < agents_.size(); ++id) {
    if (agents_[id] || job_over_ || world_.random.per_mille(800)) continue;
    agents_[id] = std::make_unique<AgentProcess>(
        world_, disk_, static_cast<AgentId>(id), ++incarnations_[id] << 16U);
    world_.trace.note("agent starts", id);
  }
}

void World::connect_agents() {
  if (!master_ || !master_->opened()) return;
  for (auto& agent : agents_) {
    if (!agent || agent->connected() || parted_until_[agent->id()] > world_.clock.now()) continue;
    if (world_.random.per_mille(400) && !connect(*agent)) agent.reset();
  }
}

Status World::connect(AgentProcess& agent) {
  MasterProcess* const master = master_.get();
  auto line = std::make_shared<FlakyLine>(
      world_,
      master->loop,
      [master](AgentMessage message) { master->master().on_message(std::move(message)); },
      agent.loop,
      [to = &agent](MasterMessage message) { to->agent().on_message(std::move(message)); });
  master->accept(agent.id(), line);
  const Status joined = agent.connect(std::move(line), world_.random.per_mille(500));
  world_.trace.note(joined ? "agent connects" : "agent cannot join", agent.id());
  return joined;
}

bool World::quiet() const {
  return zombies_.empty() &&
         std::ranges::all_of(agents_, [](const auto& agent) { return !agent || !agent->joined(); });
}

// Old masters wake up beside the finished job, agents without a master end: nothing may change.
void World::settle() {
  end_faults();
  wake_all();
  const std::optional<std::string> result = disk_.content(kTarget);
  const TimePoint limit = world_.clock.now() + minutes(5);
  while (!quiet() && step()) {
    if (world_.clock.now() > limit) world_.truth.fail("somebody does not end after the job");
  }
  if (disk_.content(kTarget) != result) world_.truth.fail("the result changed after the end");
}

}  // namespace windrow::sim
