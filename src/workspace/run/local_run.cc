// SPDX-License-Identifier: Apache-2.0
#include "workspace/run/local_run.h"

#include <memory>
#include <utility>

#include "agent/agent.h"
#include "base/process_name.h"
#include "base/text.h"
#include "core/progress/all_failed.h"
#include "core/schedule/kept_rows.h"
#include "core/spec/effective.h"
#include "core/spec/job_paths.h"
#include "core/supervise/worker_life.h"
#include "journal/staged_files.h"
#include "master/master.h"
#include "monitor/resource_monitor.h"
#include "os/machine.h"
#include "os/memory.h"
#include "os/memory_rooms.h"
#include "os/process_host.h"
#include "wire/agent/in_process.h"
#include "workspace/logs/job_logs.h"
#include "workspace/prepare/plan_rules.h"
#include "workspace/prepare/table_input.h"
#include "workspace/prepare/table_program.h"
#include "workspace/worker/machine_share.h"
#include "workspace/worker/worker_settings.h"

namespace windrow {
namespace {

constexpr Duration kViewEvery = std::chrono::milliseconds(200);
constexpr AgentId kLocalNode = 0;
constexpr const char* kLocalAddress = "127.0.0.1";

// WINDROW_BENCH_NO_SYNC and WINDROW_BENCH_DEPTH exist for bench/ alone, to show what safety and
// queues cost and gain.
Appender::Options sync_options() {
  return Appender::Options{.sync = !environment_value("WINDROW_BENCH_NO_SYNC")};
}

Limits scheduler_limits(const JobSpec& spec) {
  const LimitSpec& said = spec.limits;
  Limits limits;
  limits.tries_max = said.tries_max;
  limits.error_threshold = said.error_threshold;
  limits.mini_batch_error_threshold = said.mini_batch_error_threshold;
  if (said.allowed_failed_count) limits.mini_batch_threshold_name = "allowed_failed_count";
  limits.failed_percent = said.allowed_failed_percent;
  limits.run_timeout = said.run_timeout;
  limits.overhead_timeout = said.overhead_timeout;
  limits.append_row = !spec.append_row_to.empty();
  limits.progress_limit = said.progress_timeout;
  limits.first_task_timeout = said.first_task_timeout;
  limits.init_limit = said.init_timeout;
  limits.retry_delay = said.retry_delay;
  limits.retry_on = said.retry_on;
  limits.fail_fast_on = said.fail_fast_on;
  limits.strict_results = said.strict_results;
  limits.retry_short_returns = said.retry_short_returns;
  limits.bisect_failed = said.bisect_failed;
  limits.speculate = said.speculate;
  return limits;
}

// The files with rows stand in the same folders.
std::vector<StagedFile> reserved_names(const std::vector<StagedOutput>& outputs,
                                       const std::vector<std::string>& targets) {
  std::vector<StagedFile> out;
  for (const std::string& target : targets) {
    for (std::uint32_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].folder == parent_folder(target)) out.push_back({i, base_name(target)});
    }
  }
  return out;
}

MasterConfig master_config(const PreparedJob& run,
                           const JobPaths& paths,
                           const MachineShare& share) {
  MasterConfig config;
  config.folder = run.folder;
  const JobPaths given =
      run.spec.staged_outputs
          ? staged_paths(run.spec, paths, run.folder.staged() + "/" + kProcessMark)
          : paths;
  config.worker = worker_settings(run.spec, given, share.workers.count);
  config.worker.staged = staged_outputs(run.spec, paths);
  config.limits = scheduler_limits(run.spec);
  config.limits.reserved_names = reserved_names(config.worker.staged, paths.targets);
  config.limits.replace_files = run.replace_targets;
  config.limits.loads_whole = run.input.items == InputAs::kTable;
  config.worker.program = run.program.command;
  config.worker.environment =
      worker_environment({run.spec, given, run.name, run.folder.root()}, threads_of_each(share));
  config.worker.environment.emplace_back(kGpuCountVariable,
                                         std::to_string(share.gpus.names.size()));
  config.worker.row_settings = run.program.row_settings;
  config.worker.input_as = run.input.items;
  config.worker.table = run.input.table.description;
  config.worker.partition = partition_of(run);
  config.plan = plan_rules(run, paths);
  config.targets = paths.targets;
  config.rows = {
      .shape = row_shape(run.spec.rows.format, TableProgram(run.program.command, run.folder)),
      .one_header = run.spec.rows.format == RowFormat::kCsv};
  config.replace_targets = run.replace_targets;
  config.pending_may_change = run.spec.retry_of.has_value();
  config.accept_input = run.accept_input;
  config.journal = sync_options();
  return config;
}

// What is left of memory: of the machine and of groups around this process, and of what the job may
// use.
std::function<std::vector<MemoryRoom>()> memory_watch(const WorkerSpec& spec) {
  if (spec.memory_limit == 0) return [] { return std::vector<MemoryRoom>(); };
  return [rooms = MemoryRooms(), said = spec.memory_limit] {
    std::vector<MemoryRoom> all = rooms.read();
    all.push_back(room_of_job(all, said, held_memory(process_id())));
    return all;
  };
}

AgentConfig agent_config(const PreparedJob& run, Epoch epoch, const MachineShare& share) {
  const JobFolder& folder = run.folder;
  AgentConfig config;
  config.id = kLocalNode;
  config.incarnation = epoch << 16;  // room for joining again within an epoch
  config.slots = share.workers.count;
  config.host = host_name();
  config.folders = AgentFolders{.rows = folder.rows(),
                                .process_raw = folder.sys_node(kLocalNode),
                                .user_stdout = folder.user("stdout", kLocalNode),
                                .user_stderr = folder.user("stderr", kLocalNode),
                                .user_error = folder.user("error", kLocalNode),
                                .user_log = folder.user("entry_script_log", kLocalNode),
                                .work = folder.work(kLocalNode),
                                .staged = folder.staged(),
                                .staged_done = folder.staged_done()};
  config.segment = sync_options();
  config.gpus = gpu_rules(share, run.spec.worker);
  config.nice = run.spec.worker.nice;
  config.memory = memory_watch(run.spec.worker);
  if (environment_value("WINDROW_BENCH_DEPTH") == "1") config.depth_max = 1;
  return config;
}

// Without a row, and found by halving among them.
void count_missing(const JobState& state, RunOutcome& out) {
  for (const Batch& batch : state.batches()) {
    if (batch.stage == BatchStage::kCommitted) out.items_short += batch.items - batch.succeeded;
  }
  for (const auto& [id, pieces] : state.pieces()) {
    if (state.batches()[id].stage != BatchStage::kCommitted) continue;
    for (const Piece& piece : pieces.all()) {
      if (piece.stage == BatchStage::kFailed) out.items_bad += piece.items.count;
    }
  }
  out.items_short -= out.items_bad;
}

// Everything of one run, in the order in which it must be destroyed backwards.
class OneMachine final : public LocalRun {
 public:
  OneMachine(EpollLoop& loop,
             FileSystem& fs,
             Zygote& zygote,
             PreparedJob& run,
             RunView& view,
             std::function<void()> on_finished)
      : loop_(loop),
        fs_(fs),
        zygote_(zygote),
        run_(run),
        view_(view),
        on_finished_(std::move(on_finished)),
        logs_(loop, fs, run.folder, run.spec, run.input.table.row_places),
        links_(loop) {}

  // When nothing runs though the job has its folder, that is where people look.
  Status open() override {
    const Status opened = begin();
    if (opened) return {};
    const Error& error = opened.error();
    logs_.stopped(JobState(), error.message);
    return fail(
        error.code, "{}; the job folder is {}", error.message, path_in_quotes(run_.folder.root()));
  }

  Status begin() {
    const JobPaths paths = resolve_job_paths(run_.spec, run_.folder.root());
    targets_ = paths.targets;
    RETURN_IF_ERROR(open_staged(paths));
    RETURN_IF_ERROR(logs_.create_folders());
    share_ = share_of_machine(run_.spec);
    logs_.forget_result();
    RETURN_IF_ERROR(store_configuration());
    if (!run_.remark.empty()) logs_.overview_line(run_.remark);
    master_ =
        std::make_unique<Master>(loop_, fs_, links_, logs_, master_config(run_, paths, share_));
    master_->on_finished = [this] { finish_soon(); };
    master_->on_note = [this](const std::string& line) {
      logs_.keep(line);
      view_.on_note(line);
    };
    logs_.on_news = [this](const std::string& line) { view_.on_note(line); };
    logs_.on_detail = [this](const std::string& line) { view_.on_detail(line); };
    logs_.on_error = [this](const std::string& text) { view_.on_error(text); };
    links_.to_master = [this](AgentMessage message) { master_->on_message(std::move(message)); };
    links_.to_agent = [this](MasterMessage message) {
      if (agent_) agent_->on_message(std::move(message));
    };
    const JournalEnd before = run_.before.end;
    RETURN_IF_ERROR(master_->open(std::move(run_.before), run_.reopen));
    logs_.rebuild_report(before, run_.reopen && run_.reopen->failed_afresh);
    if (!master_->state().finished()) RETURN_IF_ERROR(start_agent());
    watch();
    return {};
  }

  // What became of it. Once.
  RunOutcome outcome() override {
    const JobState& state = master_->state();
    RunOutcome out;
    if (monitor_) monitor_->finish();
    out.end = master_->end();
    out.batches = static_cast<BatchId>(state.batches().size());
    out.counts = state.counts();
    count_missing(state, out);
    out.items_reported = logs_.items_reported();
    // As a clock on the wall would say: the steady time leaves out when this loop stood still.
    out.job_time = master_->scheduler().job_time(loop_.now()) + loop_.paused();
    out.targets = targets_;
    out.first_error = logs_.first_error();
    if (out.end == RunEnding::kFinished) {
      out.status = state.finished()->status;
      out.cause = state.finished()->cause;
      logs_.finish(state, out.status, out.cause, targets_);
      if (run_.spec.staged_outputs) remove_tree(fs_, run_.folder.staged());
      remove_spent_rows(state);
    } else {
      out.cause = out.end == RunEnding::kSuperseded ? "another windrow has taken this job over"
                                                    : master_->broken_cause();
      if (out.end != RunEnding::kSuperseded) logs_.stopped(state, out.cause);
    }
    out.refused = logs_.refused();
    if (out.end == RunEnding::kFinished) {
      out.state = std::make_shared<const JobState>(master_->take_state());
    }
    return out;
  }

  void cancel() override { master_->cancel(std::exchange(cancelled_, true)); }

 private:
  // They are in the published result. A crash before this leaves them, which does no harm.
  void remove_spent_rows(const JobState& state) {
    if (!rows_are_spent(state)) return;
    for (const Segment& segment : state.segments()) {
      static_cast<void>(fs_.remove(run_.folder.row_segment(segment.file)));
    }
  }

  // What is in force from now on, which may differ from what the job began with.
  Status store_configuration() {
    logs_.configuration(run_.configuration.yaml, run_.configuration.json);
    const bool goes_on = run_.before.end.epoch != 0;
    if (!goes_on || run_.configuration.json.empty()) return {};
    return write_whole_file(run_.folder.job_file(), run_.configuration.yaml);
  }

  Status open_staged(const JobPaths& paths) {
    if (!run_.spec.staged_outputs) return {};
    clean_staged(fs_, run_.folder, run_.before.state);
    for (const StagedOutput& output : staged_outputs(run_.spec, paths)) {
      RETURN_IF_ERROR(fs_.make_folders(output.folder));
    }
    return fs_.make_folders(run_.folder.staged_done());
  }

  Status start_agent() {
    logs_.keep(share_.workers.reason);
    if (!run_.spec.worker.count) view_.on_note(share_.workers.reason);
    agent_ = std::make_unique<Agent>(
        loop_,
        fs_,
        [this](WorkerHost::Sink& sink) {
          auto host = std::make_unique<ProcessHost>(loop_, zygote_);
          host->set_sink(sink);
          host->on_trouble = [this](const std::string& text) { logs_.warn(text); };
          return host;
        },
        links_,
        logs_,
        agent_config(run_, master_->epoch(), share_));
    start_monitor();
    return agent_->join();
  }

  void start_monitor() {
    if (run_.spec.record.monitor_interval <= Duration{}) return;
    const JobPaths paths = resolve_job_paths(run_.spec, run_.folder.root());
    monitor_ = std::make_unique<ResourceMonitor>(
        loop_,
        fs_,
        MonitorConfig{
            .folder = run_.folder.perf(kLocalNode),
            .interval = run_.spec.record.monitor_interval,
            .gpus = share_.gpus.names,
            .paths = {run_.folder.root(), paths.output_folder},
            .aliases = {{run_.folder.logs() + "/perf/" + kLocalAddress, std::to_string(kLocalNode)},
                        {run_.folder.logs() + "/sys/perf", "../perf"}}},
        [this] {
          std::vector<WatchedProcess> out;
          for (const auto& [process, pid] : agent_->worker_pids()) {
            out.push_back({process_name(process), pid});
          }
          return out;
        });
    agent_->on_death = [this](ProcessNumber process, const WorkerUsage& usage) {
      monitor_->sample_soon({.name = process_name(process),
                             .user = static_cast<double>(usage.user_us) / 1e6,
                             .system = static_cast<double>(usage.system_us) / 1e6,
                             .resident = usage.memory_peak});
    };
    monitor_->begin();
  }

  void watch() {
    Progress progress = meter_.measure(master_->scheduler(), loop_.now(), master_->merged_bytes());
    progress.memory_low = agent_ && agent_->memory_low();
    view_.on_progress(progress);
    warn_if_all_fails();
    loop_.at(loop_.now() + kViewEvery, [this] {
      if (!master_->finished()) watch();
    });
  }

  void warn_if_all_fails() {
    if (warned_) return;
    const auto warning = all_failed_warning(master_->state(), share_.workers.count);
    if (!warning) return;
    logs_.warn(*warning);
    warned_ = true;
  }

  // The report of earlier runs may still be in the making, and so may the last dead letters.
  void finish_soon() {
    if (logs_.busy()) {
      loop_.at(loop_.now() + std::chrono::milliseconds(5), [this] { finish_soon(); });
      return;
    }
    on_finished_();
  }

  EpollLoop& loop_;
  FileSystem& fs_;
  Zygote& zygote_;
  PreparedJob& run_;
  RunView& view_;
  std::function<void()> on_finished_;
  JobLogs logs_;
  InProcessLinks links_;
  std::unique_ptr<Master> master_;
  std::unique_ptr<Agent> agent_;
  std::unique_ptr<ResourceMonitor> monitor_;
  ProgressMeter meter_;
  MachineShare share_;
  std::vector<std::string> targets_;
  bool cancelled_ = false;
  bool warned_ = false;  // that everything fails
};

}  // namespace

std::unique_ptr<LocalRun> make_local_run(EpollLoop& loop,
                                         FileSystem& fs,
                                         Zygote& zygote,
                                         PreparedJob& job,
                                         RunView& view,
                                         std::function<void()> on_finished) {
  return std::make_unique<OneMachine>(loop, fs, zygote, job, view, std::move(on_finished));
}

}  // namespace windrow
