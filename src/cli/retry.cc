// SPDX-License-Identifier: Apache-2.0
//
// windrow retry JOB
#include "cli/command.h"
#include "cli/run_job.h"
#include "workspace/retry_job.h"

namespace windrow {
namespace {

class Retry final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description(
        "Run the failed mini-batches of a job again, in a new job whose result holds the old rows too");
    app.footer("The old result stays as it is, unless --replace says otherwise.\n");
    app.add_option("job", job_, "Name or folder of the job")->required();
    app.add_option("--timeout", flags_.timeout, "Seconds that run() may take");
    app.add_option("--max-retries", flags_.max_retries, "Tries after the first one");
    app.add_option("--error-threshold", flags_.error_threshold, "Failed items allowed");
    app.add_option("--workers", flags_.workers, "Worker processes");
    app.add_option("--python", flags_.python, "Interpreter for the script");
    app.add_option("--job-dir", flags_.job_dir, "Folder of the new job");
    app.add_flag("--replace", replace_, "Put the new result in place of the old one when complete");
  }

  int run() override {
    return run_to_the_end([this] { return retry_job(job_, flags_, replace_); });
  }

 private:
  std::string job_;
  JobFlags flags_;
  bool replace_ = false;
};

}  // namespace

std::unique_ptr<Command> make_retry_command() { return std::make_unique<Retry>(); }

}  // namespace windrow
