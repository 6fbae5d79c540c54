// SPDX-License-Identifier: Apache-2.0
//
// windrow run SCRIPT --input FOLDER | windrow run JOB.yml
#include <optional>
#include <utility>

#include "cli/command.h"
#include "cli/job_options.h"
#include "cli/run_job.h"
#include "cli/voice.h"
#include "os/machine.h"
#include "workspace/trial/try_script.h"

namespace windrow {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  windrow run score.py --input images\n"
    "  windrow run score.py --input images --output results --append-row-to rows.txt\n"
    "  windrow run score.py --input images --workers 8 -- --threshold 0.5\n"
    "  windrow run job.yml --set retry_settings.timeout=300\n"
    "  windrow run parallel_run_config.yml --input images --output results\n"
    "  windrow run score.py --input images --local\n"
    "  windrow run job.yml --detach\n"
    "  windrow run job.yml -q -o json\n\n"
    "`windrow help settings` lists what --set and job files know; `windrow plan`\n"
    "shows what would run.\n"
    "The same command resumes a job that was killed or stopped. --new starts over.\n";

class Run final : public Command {
 public:
  Run(std::vector<std::string> arguments, bool has_arguments)
      : options_(std::move(arguments), has_arguments) {}

  void declare(CLI::App& app) override {
    app.description("Run a script over files, or a job file, to the end");
    app.footer(kFooter);
    options_.declare(app);
    app.add_flag("--new", afresh_, "Start over even if an unfinished job could resume");
    app.add_flag("--detach", detach_, "Return when the job is running, and leave it to itself");
    app.add_flag("--accept-input",
                 accept_input_,
                 "Continue although files of the input are newer; what is done stays as it is");
    app.add_flag("--local", local_, "Try the script out: one process at this terminal, no limits");
    app.add_option("--debugpy", debugger_, "With --local: wait for a debugger on this port")
        ->type_name("PORT")
        ->check(CLI::Range(1, 65535).description(""));
    voice_.declare(app, Voice::For::kJob);
  }

  int run(const Caller& caller) override {
    auto reading = options_.read();
    if (!reading) return voice_.refuse(reading.error());
    if (local_ && voice_.json()) {
      return voice_.report(
          {ErrorCode::kInvalid, "--local leaves the terminal to the script: no -o"});
    }
    if (local_ && detach_) {
      return voice_.report(
          {ErrorCode::kInvalid, "--local runs at this terminal, --detach away from it: give one"});
    }
    if (local_) {
      const TrialCaller trial{caller, [](const std::string& line) { write_out(2, line + "\n"); }};
      return report(try_script(trial, *std::move(reading), debugger_));
    }
    if (debugger_) return voice_.report({ErrorCode::kInvalid, "--debugpy needs --local"});
    const std::unique_ptr<JobStart> start = start_job(*std::move(reading), afresh_, accept_input_);
    return detach_ ? run_detached(voice_, caller, *start) : run_and_show(voice_, caller, *start);
  }

 private:
  JobOptions options_;
  Voice voice_;
  bool afresh_ = false;
  bool accept_input_ = false;
  bool local_ = false;
  bool detach_ = false;
  std::optional<std::uint32_t> debugger_;
};

}  // namespace

std::unique_ptr<Command> make_run_command(std::vector<std::string> script_arguments,
                                          bool has_script_arguments) {
  return std::make_unique<Run>(std::move(script_arguments), has_script_arguments);
}

}  // namespace windrow
