// SPDX-License-Identifier: Apache-2.0
//
// windrow job resume JOB
#include "cli/command.h"
#include "cli/job_options.h"
#include "cli/run_job.h"
#include "cli/voice.h"

namespace windrow {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  windrow job resume score-2026-11-15-calm-heron\n"
    "  windrow job resume /data/jobs/nightly -v\n"
    "  windrow job resume nightly --timeout 600 --changed-code\n\n"
    "Mini-batches that are done stay as they are; failed ones start over.\n";

class JobResume final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description("Resume a job that was killed or cancelled, or has failed");
    app.footer(kFooter);
    app.add_option("JOB", job_, "Name or folder of the job")->required()->type_name("");
    app.add_flag("--changed-code",
                 accepted_.code,
                 "Continue although the code has changed since; what is done stays as it is");
    app.add_flag("--accept-input",
                 accepted_.input,
                 "Continue although files of the input are newer; what is done stays as it is");
    declare_changes(app, flags_);
    voice_.declare(app, Voice::For::kJob);
  }

  int run(const Caller& caller) override {
    return run_and_show(voice_, caller, *resume_job(job_, accepted_, flags_));
  }

 private:
  std::string job_;
  Accepted accepted_;
  JobFlags flags_;
  Voice voice_;
};

}  // namespace

std::unique_ptr<Command> make_job_resume_command() { return std::make_unique<JobResume>(); }

}  // namespace windrow
