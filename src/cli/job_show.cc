// SPDX-License-Identifier: Apache-2.0
//
// windrow job show JOB
#include <optional>

#include "cli/command.h"
#include "cli/job_answer.h"
#include "cli/voice.h"
#include "os/machine.h"
#include "os/posix_file_system.h"
#include "workspace/jobs/jobs.h"
#include "workspace/jobs/running_job.h"

namespace windrow {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  windrow job show nightly\n"
    "  windrow job show nightly -o json\n\n"
    "A job that is running is asked, from whichever terminal it was started.\n";

class JobShow final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description("Show the status and progress of a job");
    app.footer(kFooter);
    app.add_option("JOB", job_, "Name or folder of the job")->required()->type_name("");
    voice_.declare(app, Voice::For::kAnswer);
  }

  int run(const Caller& caller) override {
    const Result<std::string> text = show(caller);
    if (!text) return voice_.report(text.error());
    write_out(1, *text);
    return kExitCompleted;
  }

 private:
  [[nodiscard]] Result<std::string> show(const Caller& caller) const {
    PosixFileSystem fs;
    ASSIGN_OR_RETURN(const JobFolder folder, Jobs(fs, caller).find(job_));
    if (std::optional<RunningJob> running = RunningJob::find(folder)) {
      const Result<ControlStatus> answer = running->status();
      // It may end while it is asked: then the folder knows. Or it has too many clients, and its
      // first line is all there is.
      if (answer || is_listened_at(folder.control())) {
        const ControlStatus status = answer ? *answer : ControlStatus{.who = running->who()};
        return voice_.json() ? status_json(status, folder.root())
                             : status_answer(status, folder.root());
      }
    }
    ASSIGN_OR_RETURN(const JobView view, view_job(fs, caller, job_));
    return voice_.json() ? view_json(view) : view_answer(view);
  }

  std::string job_;
  Voice voice_;
};

}  // namespace

std::unique_ptr<Command> make_job_show_command() { return std::make_unique<JobShow>(); }

}  // namespace windrow
