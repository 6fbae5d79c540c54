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
#include "master/master.h"
#include "os/zygote.h"
#include "workspace/logs/job_logs.h"
#include "workspace/prepare/prepared_job.h"

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

Result<RunOutcome> run_locally(Zygote& zygote, PreparedJob run, RunView& view);

}  // namespace windrow
