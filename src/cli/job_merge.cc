// SPDX-License-Identifier: Apache-2.0
//
// windrow job merge JOB
#include "base/text.h"
#include "cli/command.h"
#include "os/machine.h"
#include "workspace/merge_job.h"

namespace windrow {
namespace {

class JobMerge final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description("Publish the rows that a failed or cancelled job has committed");
    app.add_option("JOB", job_, "Name or folder of the job")->required()->type_name("");
  }

  int run() override {
    const Result<MergedJob> merged = merge_job(job_);
    if (!merged) return report(merged.error());
    write_out(2,
              fmt::format("rows of {} of {} mini-batches ({}) are in {}\n",
                          human_count(merged->batches),
                          human_count(merged->all),
                          human_bytes(merged->bytes),
                          fmt::join(merged->targets, ", ")));
    return kExitCompleted;
  }

 private:
  std::string job_;
};

}  // namespace

std::unique_ptr<Command> make_job_merge_command() { return std::make_unique<JobMerge>(); }

}  // namespace windrow
