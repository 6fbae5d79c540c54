// SPDX-License-Identifier: Apache-2.0
//
// A run as other processes see it: passes on to a RunView what happens, keeps it as numbered
// events, and answers on the control socket of the job folder (docs/formats/control.md).
//
// What it costs does not depend on the size of the job: a status is the last progress that was
// measured, and a follower gets the last events, of which a limited number is kept.
//
// Thread: the loop's. Ownership: loop and view outlive it. Failure: a socket that cannot be made is
// an Error; a client that goes away or is too slow is dropped.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/result.h"
#include "journal/job_folder.h"
#include "os/control_socket.h"
#include "wire/control/event_log.h"
#include "workspace/run/run_view.h"

namespace windrow {

class JobControl final : public RunView {
 public:
  JobControl(EpollLoop& loop, RunView& view) : loop_(loop), view_(view) {}

  // Answers from here on.
  Status listen(const JobFolder& folder, const std::string& name);

  // A client asks the job to stop; at once, or when what is running has had time to end.
  std::function<void(bool at_once)> on_cancel;

  void on_stage(JobStage stage, const std::string& job) override;
  void on_progress(const Progress& progress) override;
  void on_note(const std::string& line) override;
  void on_detail(const std::string& line) override;
  void on_error(const std::string& text) override;
  void on_end(const RunEnd& end) override;

  // The job cannot run at all: `error` is what the user is told.
  void refuse(const Error& error);

  // Nobody new gets an answer: from here on the job is not running.
  void close();

 private:
  void answer(ControlSocket::ClientId client, const std::string& line);
  void publish(ControlEvent event);
  void end(ControlEvent event);

  EpollLoop& loop_;
  RunView& view_;
  std::string name_;
  JobStage stage_ = JobStage::kPreparing;
  std::optional<Progress> progress_;
  int errors_left_ = 0;  // that followers get until the next progress
  std::uint64_t errors_kept_back_ = 0;
  EventLog events_;
  std::set<ControlSocket::ClientId> watchers_;
  std::unique_ptr<ControlSocket> socket_;
};

}  // namespace windrow
