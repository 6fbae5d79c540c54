// SPDX-License-Identifier: Apache-2.0
//
// windrow retry JOB
#include "cli/command.h"
#include "cli/job_options.h"
#include "cli/run_job.h"
#include "cli/voice.h"
#include "workspace/run/retry_job.h"

namespace windrow {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  windrow retry score-2026-11-15-calm-heron\n"
    "  windrow retry nightly --timeout 600 --max-retries 5\n"
    "  windrow retry nightly --name nightly-fixed --output fixed\n"
    "  windrow retry nightly --replace\n\n"
    "The old result stays as it is, unless you give --replace. Input, script\n"
    "and mini-batches are those of the old job.\n";

class Retry final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description(
        "Run the failed mini-batches of a job again, in a new job that keeps the old rows");
    app.footer(kFooter);
    app.add_option("JOB", job_, "Name or folder of the job")->required()->type_name("");
    declare_changes(app, flags_);
    const TextOptions option(app);
    option("--output", flags_.output, "FOLDER", "For the new result (in the new job's folder)");
    option("--append-row-to",
           flags_.append_row_to,
           "FILE",
           "File for the rows, in --output unless a path (parallel_run_step.txt)");
    option("--name", flags_.name, "NAME", "Name of the new job (generated)");
    option("--job-dir", flags_.job_dir, "FOLDER", "Folder of the new job");
    // Known, so that it can be refused with what to do instead, and not shown.
    app.add_option("--mini-batch-size", flags_.mini_batch_size)->group("");
    app.add_flag("--replace", replace_, "Put the new result in place of the old one when complete");
    voice_.declare(app, Voice::For::kJob);
  }

  int run(const Caller& caller) override {
    return run_and_show(voice_, caller, *retry_job(job_, flags_, replace_));
  }

 private:
  std::string job_;
  Voice voice_;
  JobFlags flags_;
  bool replace_ = false;
};

}  // namespace

std::unique_ptr<Command> make_retry_command() { return std::make_unique<Retry>(); }

}  // namespace windrow
