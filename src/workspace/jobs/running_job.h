// SPDX-License-Identifier: Apache-2.0
//
// A job that another process runs: who that is, and how it is asked, followed and cancelled.
//
// Thread: one; blocks. Failure: kConflict for a job that is not running, kUnavailable when its
// process has gone away.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "journal/job_folder.h"
#include "os/control_client.h"
#include "wire/control/control_lines.h"

namespace windrow {

class RunningJob {
 public:
  // Nothing when no process answers for this job.
  static std::optional<RunningJob> find(const JobFolder& folder);

  [[nodiscard]] const ControlGreeting& who() const { return who_; }

  Result<ControlStatus> status();

  // Calls `each` for all events behind number `after`, as they happen, until the job has ended or
  // `each` says that it has seen enough (false).
  Status follow(std::uint64_t after, const std::function<bool(const ControlEvent&)>& each);

  // Asks it to stop: running mini-batches get time to end, unless it is to be `at_once`. Returns
  // when the process has heard it.
  Status cancel(bool at_once);

 private:
  RunningJob(ControlClient client, ControlGreeting who)
      : client_(std::move(client)), who_(std::move(who)) {}
  Result<std::string> ask(const ControlRequest& request);

  ControlClient client_;
  ControlGreeting who_;
};

// kConflict when a process runs the job.
Status refuse_if_running(const JobFolder& folder);

}  // namespace windrow
