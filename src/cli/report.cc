// SPDX-License-Identifier: Apache-2.0
//
// windrow report JOB
#include <optional>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/voice.h"
#include "os/machine.h"
#include "os/posix_file_system.h"
#include "workspace/jobs/job_view.h"

namespace windrow {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  windrow report nightly\n"
    "  windrow report nightly --html nightly.html   with a timeline of workers\n"
    "  windrow report nightly -o json\n";

class Report final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description("Show where the time of a job went, and what to change");
    app.footer(kFooter);
    app.add_option("JOB", job_, "Name or folder of the job")->required()->type_name("");
    app.add_option("--html", page_, "Write a page with a timeline, which needs nothing else")
        ->type_name("FILE");
    voice_.declare(app, Voice::For::kAnswer);
  }

  int run(const Caller& caller) override {
    PosixFileSystem fs;
    const Result<JobView> job = view_job(fs, caller, job_);
    if (!job) return voice_.report(job.error());
    const Result<Account> account = account_for(fs, *job);
    if (!account) return voice_.report(account.error());
    const std::string& name = job->circumstances.name;
    if (page_) {
      const Status written = write_whole_file(*page_, account_page(*account, name));
      if (!written) return voice_.report(written.error());
      if (!voice_.json()) voice_.say(fmt::format("the page is {}\n", *page_));
    }
    const std::string status = job_status(job->outline, job->circumstances);
    write_out(1,
              voice_.json() ? account_json(*account, name, status) : account_text(*account, name));
    return kExitCompleted;
  }

 private:
  std::string job_;
  std::optional<std::string> page_;
  Voice voice_;
};

}  // namespace

std::unique_ptr<Command> make_report_command() { return std::make_unique<Report>(); }

}  // namespace windrow
