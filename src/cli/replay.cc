// SPDX-License-Identifier: Apache-2.0
//
// windrow replay JOB BATCH
#include "cli/command.h"
#include "os/machine.h"
#include "os/posix_file_system.h"
#include "workspace/jobs/job_view.h"
#include "workspace/trial/try_script.h"

namespace windrow {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  windrow replay nightly 17\n"
    "  windrow replay nightly 17 --pdb\n\n"
    "Rows and files go to a folder of their own; nothing of the job is touched.\n";

class Replay final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description("Run one mini-batch of a job again, in this terminal");
    app.footer(kFooter);
    app.add_option("JOB", job_, "Name or folder of the job")->required()->type_name("");
    app.add_option("BATCH", batch_, "Number of the mini-batch")->required()->type_name("");
    app.add_flag("--pdb", post_mortem_, "Open Python's debugger when an exception is raised");
  }

  int run(const Caller& caller) override {
    PosixFileSystem fs;
    const Result<JobView> job = view_job(fs, caller, job_);
    if (!job) return report(job.error());
    const Result<BatchStory> batch = view_batch(fs, *job, batch_);
    if (!batch) return report(batch.error());
    const TrialCaller trial{caller, [](const std::string& line) { write_out(2, line + "\n"); }};
    return report(replay_batch(trial, *job, *batch, post_mortem_));
  }

 private:
  std::string job_;
  BatchId batch_ = 0;
  bool post_mortem_ = false;
};

}  // namespace

std::unique_ptr<Command> make_replay_command() { return std::make_unique<Replay>(); }

}  // namespace windrow
