// SPDX-License-Identifier: Apache-2.0
//
// One whole job in this process: master, one agent, their workers, to the end.
//
// Thread: the one that calls, which becomes the loop's. Ownership: the zygote was forked before any
// thread. Failure: an Error before anything ran; afterwards an outcome.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/progress/progress.h"
#include "core/spec/job_spec.h"
#include "data/files/inputs.h"
#include "journal/job_folder.h"
#include "journal/journal.h"
#include "master/master.h"
#include "os/zygote.h"
#include "workspace/job_logs.h"

namespace windrow {

// Who watches the run.
class RunView {
 public:
  virtual ~RunView() = default;
  virtual void on_progress(const Progress& progress) = 0;  // several times a second
  virtual void on_note(const std::string& line) = 0;       // something to know, once
  // What happened inside: a worker starts or ends, an attempt fails.
  virtual void on_detail(const std::string& line) = 0;
};

// How far the tables are that a job makes before it cuts them: workspace/made_tables.h.
enum class MadeSoFar : std::uint8_t { kNothing, kQuery, kAll };

struct LocalRun {
  JobSpec spec;
  JobFolder folder{""};
  std::string name;
  std::vector<std::string> program;  // of prepare_run: what a worker process is
  std::vector<InputFiles> inputs;    // of prepare_run
  std::vector<std::string> listed;   // first paths of a list that is not in the job folder yet
  MadeSoFar made = MadeSoFar::kNothing;
  InputAs items = InputAs::kFiles;  // of prepare_run: an MLTable file may make rows of files
  BatchSize size;                   // likewise
  std::string table;                // of prepare_table: for workers, as JSON; empty: no table
  std::string reading;              // of prepare_table: the same without names of files
  std::string row_places;           // of it: what tells by which row a number means
  std::string table_notice;         // of it: for the user; may be empty
  std::string row_settings;         // text of the script's settings file, checked; empty: none
  ReplayedJob job;                  // what is there already
  std::optional<fact::Reopened> reopen;
  std::string remark;              // for the overview, when the job begins; may be empty
  bool replace_targets = false;    // what is there under their names
  std::string configuration;       // of effective_job_file()
  std::string configuration_json;  // of effective_config_json(); empty: what is stored stays
};

struct RunOutcome {
  MasterEnd end = MasterEnd::kFinished;
  JobStatus status = JobStatus::kFailed;
  std::string cause;
  bool refused = false;  // the script can never work: nothing of it ran
  BatchId batches = 0;
  JobCounts counts;
  std::uint64_t items_short = 0;  // failed, though the run() that got them returned
  std::uint64_t items_bad = 0;    // found by halving: each failed alone
  bool items_reported = false;    // some of these by the script
  Duration job_time{};
  std::vector<std::string> targets;
  std::optional<FirstError> first_error;
  std::shared_ptr<const JobState> state;  // of a job that is over
};

Result<RunOutcome> run_locally(Zygote& zygote, LocalRun run, RunView& view);

}  // namespace windrow
