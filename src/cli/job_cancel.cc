// SPDX-License-Identifier: Apache-2.0
//
// windrow job cancel JOB
#include <optional>

#include "cli/command.h"
#include "cli/voice.h"
#include "os/machine.h"
#include "os/posix_file_system.h"
#include "workspace/jobs/jobs.h"
#include "workspace/jobs/running_job.h"

namespace windrow {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  windrow job cancel nightly\n"
    "  windrow job cancel nightly --now\n\n"
    "What is done stays. `windrow job resume JOB` continues it.\n";

class JobCancel final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description("Stop a job that is running, as Ctrl-C in its terminal does");
    app.footer(kFooter);
    app.add_option("JOB", job_, "Name or folder of the job")->required()->type_name("");
    app.add_flag("--now", now_, "Do not let running mini-batches end");
    voice_.declare(app, Voice::For::kAnswer);
  }

  int run(const Caller& caller) override {
    const Result<ControlEvent> end = cancel(caller);
    if (!end) return voice_.report(end.error());
    if (voice_.json()) {
      write_out(1, end->document);
    } else {
      voice_.say(end->text);
    }
    return kExitCompleted;
  }

 private:
  // How the job ended.
  [[nodiscard]] Result<ControlEvent> cancel(const Caller& caller) const {
    PosixFileSystem fs;
    ASSIGN_OR_RETURN(const JobFolder folder, Jobs(fs, caller).find(job_));
    std::optional<RunningJob> asked = RunningJob::find(folder);
    std::optional<RunningJob> followed = RunningJob::find(folder);
    if (!asked || !followed) {
      return fail(ErrorCode::kConflict, "job {} is not running: there is nothing to cancel", job_);
    }
    RETURN_IF_ERROR(asked->cancel(now_));
    std::optional<ControlEvent> end;
    const auto each = [&end](const ControlEvent& event) {
      if (event.kind == ControlEvent::Kind::kEnded) end = event;
      return true;
    };
    const Status ended = followed->follow(0, each);
    if (end) return *std::move(end);
    return fail(ErrorCode::kUnavailable,
                "job {} ended without an answer; `windrow job show {}` shows its status",
                job_,
                job_);
  }

  std::string job_;
  bool now_ = false;
  Voice voice_;
};

}  // namespace

std::unique_ptr<Command> make_job_cancel_command() { return std::make_unique<JobCancel>(); }

}  // namespace windrow
