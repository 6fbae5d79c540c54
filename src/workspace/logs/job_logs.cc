// SPDX-License-Identifier: Apache-2.0
#include "workspace/logs/job_logs.h"

#include <utility>

#include <fmt/format.h>

#include "base/counted.h"
#include "base/process_name.h"
#include "core/output/error_record.h"
#include "core/progress/metrics.h"
#include "core/schedule/error_line.h"
#include "core/spec/job_paths.h"
#include "os/machine.h"
#include "workspace/logs/row_mark.h"

namespace windrow {
namespace {

constexpr std::string_view kLocalAddress = "127.0.0.1";

constexpr std::string_view kReadme =
    "job_progress_overview.txt      how far the job is, and its result at the end; one file a day\n"
    "job_result.txt                 how it ended, why, and where to read more\n"
    "failed_items.jsonl             every item without a result, and the reason\n"
    "job_error.txt                  every failed attempt, one JSON object each; one file a day\n"
    "metrics.json                   the counters of the job\n"
    "user/error.txt                 every failed attempt, one line each\n"
    "user/error/                    tracebacks of the script, one file per process\n"
    "user/stdout/, user/stderr/     what the script printed\n"
    "user/entry_script_log/         what the script logged by EntryScript\n"
    "sys/job_report/                one line per attempt; sums by process and by node\n"
    "sys/node/                      what each process did, and its raw output\n"
    "sys/error/                     failures outside the script: deaths, lost nodes, overhead\n"
    "sys/effective_config.json      every setting, and where it came from\n"
    "perf/                          samples of processes, memory, disks and network\n"
    "sys/master_role.txt            what the leader of the job did\n";

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// Attempts and loads have the same fields about their error.
template <class Record>
std::string error_text(const std::string& what, const Record& record) {
  const std::string line =
      fmt::format("{}: {}", what, error_line(record.error_type, record.error_message));
  return record.traceback.empty() ? line : line + "\n" + record.traceback;
}

}  // namespace

JobLogs::JobLogs(
    Loop& loop, FileSystem& fs, JobFolder folder, const JobSpec& spec, std::string row_places)
    : loop_(loop),
      fs_(fs),
      folder_(std::move(folder)),
      level_(spec.record.logging_level),
      driver_(folder_.driver_log()),
      master_(folder_.master_role()),
      overview_(folder_.overview_stem()),
      job_errors_(folder_.job_error_stem()),
      report_(folder_.report()),
      failed_(folder_.failed_items()),
      errors_(folder_.user_error_summary()),
      rows_(nullptr, row_places),
      letters_(loop,
               mark_of_row(fs, spec.input_as),
               row_places,
               [this](std::string_view lines) {
                 (rebuild_ ? waiting_failed_ : failed_.buffer()).append(lines);
               }),
      metrics_prefix_(spec.record.metrics_name_prefix),
      input_as_(spec.input_as),
      output_max_(spec.worker.user_log_max),
      row_places_(std::move(row_places)),
      self_(std::make_shared<JobLogs*>(this)) {}

JobLogs::~JobLogs() { *self_ = nullptr; }

Status JobLogs::create_folders() {
  for (const std::string& path : {parent_folder(driver_.path()),
                                  parent_folder(folder_.std_log()),
                                  parent_folder(report_.path()),
                                  folder_.sys_node(0),
                                  folder_.sys_error(0),
                                  folder_.user("stdout", 0),
                                  folder_.user("stderr", 0),
                                  folder_.user("error", 0),
                                  folder_.user("entry_script_log", 0)}) {
    RETURN_IF_ERROR(fs_.make_casual_folders(path));
  }
  point_alias(folder_.logs() + "/sys/errror", "error");
  point_alias(fmt::format("{}/sys/node/{}", folder_.logs(), kLocalAddress), "0");
  if (!fs_.stat(folder_.readme())) LogFile(folder_.readme()).write(kReadme);
  if (!fs_.stat(folder_.std_log())) {
    always_line(driver_, "INFO", "job folder " + folder_.root());
    driver_.flush();
    // Another name for the same file; a file system without links has to do without.
    static_cast<void>(fs_.hard_link(folder_.driver_log(), folder_.std_log()));
  }
  return {};
}

void JobLogs::configuration(const std::string& text, const std::string& json) {
  if (shows("INFO")) {
    system_line(driver_, "INFO", "the settings of this run");
    driver_.write(text);
  }
  if (json.empty()) return;
  static_cast<void>(fs_.remove(folder_.effective_config()));
  LogFile(folder_.effective_config()).write(json);
}

bool JobLogs::shows(std::string_view level) const {
  if (level == "DEBUG") return level_ == LoggingLevel::kDebug;
  return level != "INFO" || level_ != LoggingLevel::kWarning;
}

void JobLogs::system_line(LogFile& file, std::string_view level, std::string_view text) {
  if (shows(level)) always_line(file, level, text);
}

void JobLogs::always_line(LogFile& file, std::string_view level, std::string_view text) {
  clock_.append_log(loop_.wall_now(), file.buffer());
  // Process and thread: everything here is written by the engine's one loop.
  fmt::format_to(
      std::back_inserter(file.buffer()), "|{}|{}|{}|{}\n", level, process_id(), thread_id(), text);
  file.grown();
}

void JobLogs::note(const std::string& text) {
  keep(text);
  if (on_detail) on_detail(text);
}

void JobLogs::keep(const std::string& text) {
  system_line(master_, "INFO", text);
  system_line(driver_, "INFO", text);
  auto [node, added] = nodes_.try_emplace(0, folder_.sys_node(0) + "/_main.txt");
  system_line(node->second, "INFO", text);
}

void JobLogs::warn(const std::string& text) {
  system_line(driver_, "WARNING", text);
  if (on_news) on_news("warning: " + text);
}

// As it happens: a script that fails on everything is not worth waiting for.
void JobLogs::tell_first_error(const std::string& what) {
  if (!on_news || !first_error_ || std::exchange(told_first_error_, true)) return;
  on_news(
      fmt::format("first error, {}: {}\n  from {}", what, first_error_->line, first_error_->where));
}

ProcessLog& JobLogs::process_log(AgentId node, ProcessNumber process) {
  const auto key = std::pair(node, process);
  const auto it = processes_.find(key);
  if (it != processes_.end()) return it->second;
  return processes_
      .emplace(key, ProcessLog(folder_.sys_node(node) + "/" + process_name(process) + ".txt"))
      .first->second;
}

void JobLogs::attempt(const AttemptRecord& record, std::uint32_t items) {
  process_log(record.agent, record.process).ended(record, items, clock_);
}

void JobLogs::load(const fact::LoadEnded& load, std::optional<int> pid) {
  process_log(load.agent, load.process).loaded(load, pid, clock_);
}

// The agent of this process: one there is.
void JobLogs::picked(ProcessNumber process,
                     const Token& token,
                     std::uint32_t items,
                     WallTime since) {
  process_log(0, process).picked(token, items, since, clock_);
}

void JobLogs::limit_output(ProcessNumber process) {
  constexpr std::string_view kMark =
      "\nwindrow: cut off here: this file has reached user_log_max, and what follows is lost\n";
  if (output_max_ == 0) return;
  for (const char* stream : {"stdout", "stderr"}) {
    cut_log(fmt::format("{}/{}.{}.txt", folder_.sys_node(0), process_name(process), stream),
            output_max_,
            kMark);
  }
}

void JobLogs::on_fact(const Fact& fact, const JobState& state, PlanReader& plan) {
  note_stages(fact, state);
  if (const auto* attempt = std::get_if<fact::AttemptEnded>(&fact)) {
    take(*attempt, state, plan);
  } else if (const auto* load = std::get_if<fact::LoadEnded>(&fact)) {
    take(*load);
  } else if (const auto* began = std::get_if<fact::EpochBegan>(&fact)) {
    if (began->epoch > 1) {
      master_ = LogFile(fmt::format("{}/sys/master_role.{}.txt", folder_.logs(), began->epoch - 1));
    }
    note(fmt::format("this master begins epoch {}", began->epoch));
  } else if (const auto* stopped = std::get_if<fact::Stopped>(&fact)) {
    note(fmt::format("stopping: {}", stopped->cause));
  } else if (const auto* publishing = std::get_if<fact::Publishing>(&fact)) {
    note(fmt::format("{} bytes are merged; publishing {}", publishing->length, publishing->path));
  }
}

// The stages of a job, by the words that people look for in master_role.txt.
void JobLogs::note_stages(const Fact& fact, const JobState& state) {
  if (const auto* planned = std::get_if<fact::Planned>(&fact)) {
    std::uint64_t added = 0;
    for (const ItemRun& run : planned->runs) added += run.batches;
    if (added > 0 && added == state.batches().size()) note("FIRST_TASK_SCHEDULED");
    system_line(master_,
                "INFO",
                fmt::format("{} created so far ({} bytes of plan)",
                            counted(state.batches().size(), "mini-batch"),
                            planned->plan_bytes));
  } else if (std::holds_alternative<fact::ListingEnded>(fact)) {
    note(fmt::format("all {} mini-batches are created", state.batches().size()));
  }
  if (state.all_final() && !std::exchange(merging_said_, true)) {
    note("every mini-batch is final; merging");
  }
}

void JobLogs::debug_attempt(const fact::AttemptEnded& ended) {
  const AttemptRecord& record = ended.record;
  system_line(master_,
              "DEBUG",
              fmt::format("mini-batch {}, hand-out {}, ended in {} on node {}: {}, {:.6f} s",
                          record.token.batch,
                          record.token.picked,
                          process_name(record.process),
                          record.agent,
                          status_word(record.status),
                          record.elapsed_us / 1e6));
}

void JobLogs::take(const fact::AttemptEnded& ended, const JobState& state, PlanReader& plan) {
  const AttemptRecord& record = ended.record;
  const Result<PlanBatch> batch = plan.read(record.token.batch, record.piece);
  if (!batch) return;
  const bool piece = record.piece.count > 0;
  const std::uint32_t items = piece ? batch->items : state.batches()[record.token.batch].items;
  const BatchNames names{items, batch->root, batch->names};
  if (shows("DEBUG")) debug_attempt(ended);
  rows_.append(ended, names, rebuild_ ? waiting_report_ : report_.buffer());
  letters_.add(ended, names, state.batches()[record.token.batch].tries);
  if (!rebuild_) report_.grown();
  summary_.add(ended, items);
  items_reported_ = items_reported_ || !record.reported.empty();
  if (record.line_break && !std::exchange(warned_line_break_, true)) {
    warn(
        fmt::format("a result of mini-batch {} holds a line break: it makes more than one "
                    "line of the output",
                    record.token.batch));
  }
  if (ended.verdict == Verdict::kDone && record.returned > items &&
      !std::exchange(warned_too_many_, true)) {
    warn(fmt::format("mini-batch {} has {} and returned {}",
                     record.token.batch,
                     counted(items, "item"),
                     counted(record.returned, "result")));
  }
  if (!record.error_type.empty()) {
    const bool script = error_category(record.status) == "user";
    LogFile& errors = job_errors_.at(loop_.wall_now());
    append_error_record(ended, items, errors.buffer());
    errors.grown();
    if (!script || record.status == AttemptStatus::kProcessDied) {
      system_error(record.agent, record.process, record.error_type, record.error_message);
    }
    if (record.status == AttemptStatus::kRunTimeout ||
        record.status == AttemptStatus::kOverheadTimeout) {
      keep_stack(record.agent,
                 record.process,
                 fmt::format("mini-batch {} picked {}", record.token.batch, record.token.picked),
                 record.traceback);
    }
    note_error(record.agent,
               record.process,
               fmt::format("mini-batch {}, hand-out {}", record.token.batch, record.token.picked),
               record.error_type,
               record.error_message);
    if (on_error) on_error(error_text(fmt::format("mini-batch {}", record.token.batch), record));
    note_first_error(folder_, record, first_error_);
    tell_first_error(fmt::format("mini-batch {}", record.token.batch));
    if (on_detail && ended.verdict == Verdict::kRetry) {
      on_detail(fmt::format("mini-batch {} is tried again", record.token.batch));
    }
  }
}

void JobLogs::take(const fact::LoadEnded& ended) {
  rows_.append(ended, rebuild_ ? waiting_report_ : report_.buffer());
  summary_.add(ended);
  if (ended.status == LoadStatus::kDone) return;
  LogFile& errors = job_errors_.at(loop_.wall_now());
  append_error_record(ended, errors.buffer());
  errors.grown();
  if (ended.status == LoadStatus::kDied || ended.status == LoadStatus::kTimeout) {
    system_error(ended.agent, ended.process, ended.error_type, ended.error_message);
  }
  if (ended.status == LoadStatus::kTimeout) {
    keep_stack(ended.agent, ended.process, "init", ended.traceback);
  }
  refused_ = refused_ || ended.status == LoadStatus::kRefused;
  note_error(ended.agent, ended.process, "init", ended.error_type, ended.error_message);
  if (on_error) on_error(error_text("init()", ended));
  note_first_error(folder_, ended, first_error_);
  if (ended.status != LoadStatus::kRefused) tell_first_error("init()");
}

void JobLogs::system_error(AgentId node,
                           ProcessNumber process,
                           const std::string& type,
                           const std::string& message) {
  const auto [file, added] = system_errors_.try_emplace(
      std::pair(node, process), folder_.sys_error(node) + "/" + process_name(process) + ".txt");
  system_line(file->second, "ERROR", fmt::format("{}: {}", type, message));
}

void JobLogs::keep_stack(AgentId node,
                         ProcessNumber process,
                         const std::string& what,
                         const std::string& traceback) {
  if (traceback.empty()) return;
  const std::string name = process_name(process);
  std::string now;
  clock_.append_log(loop_.wall_now(), now);
  LogFile(folder_.user("error", node) + "/" + name + ".txt")
      .write(fmt::format("==== {} UTC {} {}: time limit\n{}\n", now, name, what, traceback));
}

void JobLogs::note_error(AgentId node,
                         ProcessNumber process,
                         const std::string& what,
                         const std::string& type,
                         const std::string& message) {
  const std::string line = fmt::format(
      "node {} {} {}: {}: {}", node, process_name(process), what, type, first_line(message));
  system_line(errors_, "ERROR", line);
  if (on_detail) on_detail(line);
}

void JobLogs::tick(const Scheduler& scheduler, std::uint64_t merged_bytes) {
  progress_ = meter_.measure(scheduler, loop_.now(), merged_bytes);
  const bool slow =
      progress_->rate > 0 && (progress_->created - progress_->processed) / progress_->rate > 300;
  if (ticks_++ % (slow ? 120 : 10) == 0) {
    overview_line(overview_text(*progress_));
    write_metrics(scheduler.state());
  }
  flush();
}

void JobLogs::overview_line(std::string_view text) {
  always_line(overview_.at(loop_.wall_now()), "INFO", text);
  system_line(driver_, "INFO", text);
  system_line(master_, "INFO", text);
}

void JobLogs::write_metrics(const JobState& state) {
  write_anew(folder_.metrics(), metrics_json(state, metrics_prefix_));
}

// In one step: whoever reads it finds the old text or the new one.
void JobLogs::write_anew(const std::string& path, std::string_view text) {
  const std::string fresh = path + ".new";
  static_cast<void>(fs_.remove(fresh));
  LogFile file(fresh);
  file.write(text);
  file.flush();
  if (file.lost() == 0) static_cast<void>(fs_.rename(fresh, path));
}

void JobLogs::flush() {
  for (LogFile* file : {&driver_, &master_, &errors_, &failed_}) file->flush();
  for (DatedLog* file : {&overview_, &job_errors_}) file->flush();
  if (!rebuild_) report_.flush();
  for (auto& [node, file] : nodes_) file.flush();
  for (auto& [key, file] : processes_) file.flush();
  for (auto& [key, file] : system_errors_) file.flush();
}

}  // namespace windrow
