// SPDX-License-Identifier: Apache-2.0
#include "processes.h"

#include <utility>

namespace windrow::sim {

using std::chrono::microseconds;
using std::chrono::milliseconds;

FakeLoop::Delay pool_delay(Surroundings& world) {
  return [&world] {
    const bool slow = world.random.per_mille(30);
    return world.random.between(microseconds(20), slow ? milliseconds(800) : milliseconds(8));
  };
}

namespace {

// A node whose memory is short now and then, whatever its workers do.
std::vector<MemoryRoom> draw_memory(Surroundings& world) {
  const bool is_short = world.fault(world.scenario.memory_faults);
  return {{.total = 1000, .available = is_short ? world.random.below(200) : 900}};
}

}  // namespace

AgentBody::AgentBody(Surroundings& world,
                     FakeFileSystem& disk,
                     FakeLoop& loop,
                     MasterLink& link,
                     AgentId id,
                     std::uint64_t incarnation)
    : world_(world) {
  AgentConfig config;
  config.id = id;
  config.incarnation = incarnation;
  config.slots = world.scenario.slots;
  config.host = "node";
  config.unsynced_max = world.scenario.unsynced_max;
  if (world.scenario.memory_faults > 0) {
    config.memory = [&world] { return draw_memory(world); };
  }
  const JobFolder folder(kJobFolder);
  config.folders = AgentFolders{.rows = folder.rows(),
                                .process_raw = folder.sys_node(id),
                                .user_stdout = folder.user("stdout", id),
                                .user_stderr = folder.user("stderr", id),
                                .user_error = folder.user("error", id),
                                .user_log = folder.user("entry_script_log", id),
                                .work = folder.work(id)};
  agent_ = std::make_unique<Agent>(
      loop,
      disk,
      [this, &world, &loop](WorkerHost::Sink& sink) {
        auto host = std::make_unique<FakeWorkerHost>(world, loop, sink);
        host_ = host.get();
        return host;
      },
      link,
      *this,
      std::move(config));
}

void AgentBody::attempt(const AttemptRecord& record, std::uint32_t items) {
  world_.trace.note(
      "agent: attempt ended", record.token.batch, static_cast<std::uint64_t>(record.status), items);
}

void AgentBody::load(const fact::LoadEnded& load, std::optional<int> /*pid*/) {
  world_.trace.note("agent: load ended", load.process, static_cast<std::uint64_t>(load.status));
}

void AgentBody::picked(ProcessNumber process,
                       const Token& token,
                       std::uint32_t items,
                       WallTime /*since*/) {
  world_.trace.note("agent: picked", process, token.batch, items);
}

AgentProcess::AgentProcess(Surroundings& world,
                           FakeFileSystem& disk,
                           AgentId id,
                           std::uint64_t incarnation)
    : loop(world.clock, pool_delay(world)), id_(id) {
  body_ = std::make_unique<AgentBody>(world, disk, loop, *this, id, incarnation);
}

AgentProcess::~AgentProcess() {
  disconnect(false);
  loop.kill();
}

void AgentProcess::send(AgentMessage message) {
  if (line_) line_->up(std::move(message));
}

Status AgentProcess::connect(std::shared_ptr<FlakyLine> line, bool late) {
  disconnect(late);
  line_ = std::move(line);
  return std::exchange(joined_, true) ? Status() : body_->agent().join();
}

void AgentProcess::disconnect(bool late) {
  if (line_) line_->close(late);
  line_ = nullptr;
}

MasterProcess::MasterProcess(Surroundings& world, FakeFileSystem& disk)
    : loop(world.clock, pool_delay(world)), world_(world), disk_(disk), local_links_(loop) {}

MasterProcess::~MasterProcess() {
  for (const auto& [agent, line] : lines_) line->close(true);
  loop.kill();
}

MasterConfig MasterProcess::config() const {
  const Scenario& scenario = world_.scenario;
  MasterConfig config;
  config.folder = JobFolder(kJobFolder);
  config.limits = scenario.limits;
  config.worker.program = {"python3", "worker"};
  config.worker.append_row = scenario.limits.append_row;
  config.worker.run_timeout = scenario.limits.run_timeout;
  config.worker.overhead_timeout = scenario.limits.overhead_timeout;
  config.worker.init_timeout = scenario.limits.init_limit;
  config.worker.batches_max = scenario.batches_max;
  config.worker.rss_max = scenario.rss_max;
  InputFiles input{.title = kInput, .root = kInput, .parts = {}, .ignore = {}};
  if (scenario.listed) input.parts.push_back({.folder = kInput, .name = ""});
  if (!scenario.listed) {
    for (const std::string& name : input_names(scenario)) {
      input.parts.push_back({.kind = InputPart::Kind::kFile, .folder = kInput, .name = name});
    }
  }
  if (scenario.table) {
    input.items = config.worker.input_as = InputAs::kTable;
    input.table.text.header = false;
  }
  config.plan.inputs.push_back(std::move(input));
  config.plan.allow_empty = scenario.allow_empty;
  config.plan.size.files = scenario.files_per_batch;
  config.plan.formation = "formation";
  if (scenario.limits.append_row) config.targets = {kTarget};
  config.replace_targets = scenario.replace;
  return config;
}

Status MasterProcess::open(std::optional<fact::Reopened> reopen) {
  const JobFolder folder(kJobFolder);
  ASSIGN_OR_RETURN(ReplayedJob job, replay_job(disk_, folder.state()));
  AgentLinks& links = world_.scenario.local ? static_cast<AgentLinks&>(local_links_) : *this;
  master_ = std::make_unique<Master>(loop, disk_, links, *this, config());
  RETURN_IF_ERROR(master_->open(std::move(job), reopen));
  opened_ = true;
  if (!world_.scenario.local || master_->state().finished()) return {};
  local_links_.to_master = [this](AgentMessage message) {
    master_->on_message(std::move(message));
  };
  local_links_.to_agent = [this](MasterMessage message) {
    local_agent_->agent().on_message(std::move(message));
  };
  local_agent_ =
      std::make_unique<AgentBody>(world_, disk_, loop, local_links_, 0, master_->epoch() << 16U);
  return local_agent_->agent().join();
}

void MasterProcess::send(AgentId agent, MasterMessage message) {
  const auto line = lines_.find(agent);
  if (line != lines_.end()) line->second->down(std::move(message));
}

void MasterProcess::on_fact(const Fact& fact, const JobState& state, PlanReader& /*plan*/) {
  world_.facts[state.epoch()].push_back(fact);
  world_.truth.check(fact);
  world_.trace.note("fact", fact.index(), state.counts().committed, state.counts().failed);
}

void MasterProcess::tick(const Scheduler& scheduler, std::uint64_t merged_bytes) {
  world_.trace.note("tick", scheduler.running_workers(), merged_bytes);
}

void MasterProcess::check_invariants() const {
  if (!opened_) return;
  master_->scheduler().check_invariants();
  if (local_agent_) local_agent_->agent().check_invariants();
}

}  // namespace windrow::sim
