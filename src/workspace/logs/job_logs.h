// SPDX-License-Identifier: Apache-2.0
//
// The log tree of a running job: driver log, master's and agents' views, reports, errors, result.
//
// Everything here can be made again from plan and journal, except the lines on what happened when;
// a job that resumes rebuilds report and failed items from the journal beside the work.
//
// Thread: the loop's. Ownership: loop and file system outlive it. Failure: none; a full disk under
// the logs does not stop the work.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "agent/agent_log.h"
#include "base/clock_text.h"
#include "core/output/report_row.h"
#include "core/output/report_summary.h"
#include "core/progress/progress.h"
#include "core/spec/job_spec.h"
#include "journal/job_folder.h"
#include "journal/journal.h"
#include "master/master_log.h"
#include "os/file_system.h"
#include "os/log_file.h"
#include "os/loop.h"
#include "workspace/logs/dated_log.h"
#include "workspace/logs/dead_letters.h"
#include "workspace/logs/first_error.h"
#include "workspace/logs/process_log.h"

namespace windrow {

class JobLogs final : public MasterLog, public AgentLog {
 public:
  // `row_places`: as ReportRows has it.
  JobLogs(
      Loop& loop, FileSystem& fs, JobFolder folder, const JobSpec& spec, std::string row_places);
  ~JobLogs() override;

  // Creates the folders. Call once, first.
  Status create_folders();

  // The settings of this run: `text` goes into the driver log, `json` into a file of its own unless
  // it is empty.
  void configuration(const std::string& text, const std::string& json);

  // The report of earlier epochs is made again on the pool; new lines wait for it.
  void rebuild_report(const JournalEnd& end, bool failed_afresh);

  // A line of the overview and the driver log.
  void overview_line(std::string_view text);

  // MasterLog
  void on_fact(const Fact& fact, const JobState& state, PlanReader& plan) override;
  void note(const std::string& text) override;
  void tick(const Scheduler& scheduler, std::uint64_t merged_bytes) override;

  // What the user should know at once: the first error, and warnings. May be left empty.
  std::function<void(const std::string&)> on_news;
  // A line of the logs that the user sees anyhow.
  void keep(const std::string& text);

  // What note() is told, and every failure. May be left empty.
  std::function<void(const std::string&)> on_detail;

  // What the script raised, with its traceback and the file that has it. May be left empty.
  std::function<void(const std::string&)> on_error;

  // AgentLog. A warning goes to the driver log, and is news for the user.
  void warn(const std::string& text) override;
  void attempt(const AttemptRecord& record, std::uint32_t items) override;
  void load(const fact::LoadEnded& load, std::optional<int> pid) override;
  void limit_output(ProcessNumber process) override;
  void picked(ProcessNumber process,
              const Token& token,
              std::uint32_t items,
              WallTime since) override;

  // True while the report is being made again, or rows that failed are looked at.
  [[nodiscard]] bool busy() const { return rebuild_ != nullptr || letters_.busy(); }

  // The last lines, job_result.txt included. Call once, last. REQUIRES: not busy().
  void finish(const JobState& state,
              JobStatus status,
              const std::string& cause,
              const std::vector<std::string>& targets);

  // The same for a run that could not continue; the job can be resumed. Call once, last.
  void stopped(const JobState& state, const std::string& cause);

  // How an earlier run ended is of no use once this one works.
  void forget_result();

  [[nodiscard]] const std::optional<FirstError>& first_error() const { return first_error_; }
  // Some items were called failed by the script itself.
  [[nodiscard]] bool items_reported() const { return items_reported_; }
  // The script can never work: it does not compile, or has no run().
  [[nodiscard]] bool refused() const { return refused_; }

 private:
  struct Rebuild;  // what the pool works on

  // A line that logging_level leaves out is not written; progress, errors and results always are.
  void system_line(LogFile& file, std::string_view level, std::string_view text);
  void always_line(LogFile& file, std::string_view level, std::string_view text);
  [[nodiscard]] bool shows(std::string_view level) const;
  void tell_first_error(const std::string& what);
  ProcessLog& process_log(AgentId node, ProcessNumber process);
  void debug_attempt(const fact::AttemptEnded& ended);
  void take(const fact::AttemptEnded& ended, const JobState& state, PlanReader& plan);
  void take(const fact::LoadEnded& ended);
  void system_error(AgentId node,
                    ProcessNumber process,
                    const std::string& type,
                    const std::string& message);
  // Where a worker was when its time was up: a block in the file with its tracebacks, which the
  // worker can no longer write itself.
  void keep_stack(AgentId node,
                  ProcessNumber process,
                  const std::string& what,
                  const std::string& traceback);
  void note_error(AgentId node,
                  ProcessNumber process,
                  const std::string& what,
                  const std::string& type,
                  const std::string& message);
  void note_stages(const Fact& fact, const JobState& state);
  void write_metrics(const JobState& state);
  void write_anew(const std::string& path, std::string_view text);
  void flush();
  [[nodiscard]] std::string result_text(const JobState& state,
                                        const std::string& status,
                                        const std::string& cause,
                                        const std::vector<std::string>& targets) const;
  void say_where(JobStatus status,
                 const std::string& cause,
                 const std::vector<std::string>& targets);

  Loop& loop_;
  FileSystem& fs_;
  JobFolder folder_;
  LoggingLevel level_;
  LogFile driver_;
  LogFile master_;
  DatedLog overview_;
  DatedLog job_errors_;
  LogFile report_;
  LogFile failed_;
  LogFile errors_;
  std::map<AgentId, LogFile> nodes_;
  std::map<std::pair<AgentId, ProcessNumber>, ProcessLog> processes_;
  std::map<std::pair<AgentId, ProcessNumber>, LogFile> system_errors_;
  ReportRows rows_;
  DeadLetters letters_;
  ReportSummary summary_;
  std::string metrics_prefix_;
  InputAs input_as_;
  std::uint64_t output_max_;  // of raw output
  std::string row_places_;
  ClockText clock_;
  ProgressMeter meter_;
  std::optional<Progress> progress_;
  std::optional<FirstError> first_error_;
  bool refused_ = false;
  bool merging_said_ = false;
  bool items_reported_ = false;
  bool told_first_error_ = false;
  bool warned_line_break_ = false;
  bool warned_too_many_ = false;
  std::shared_ptr<Rebuild> rebuild_;
  std::string waiting_report_;  // lines that wait for the rebuild
  std::string waiting_failed_;
  int ticks_ = 0;
  std::shared_ptr<JobLogs*> self_;
};

}  // namespace windrow
