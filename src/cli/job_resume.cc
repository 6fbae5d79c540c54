// SPDX-License-Identifier: Apache-2.0
//
// windrow job resume JOB
#include "cli/command.h"
#include "cli/run_job.h"

namespace windrow {
namespace {

class JobResume final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description("Go on with a job that was killed, cancelled or has failed");
    app.add_option("JOB", job_, "Name or folder of the job")->required()->type_name("");
    app.add_flag("--changed-code",
                 changed_code_,
                 "Go on although the code has changed since; what is done stays as it is");
  }

  int run() override {
    return run_to_the_end([this] { return resume_job(job_, changed_code_); });
  }

 private:
  std::string job_;
  bool changed_code_ = false;
};

}  // namespace

std::unique_ptr<Command> make_job_resume_command() { return std::make_unique<JobResume>(); }

}  // namespace windrow
