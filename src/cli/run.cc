// SPDX-License-Identifier: Apache-2.0
//
// windrow run SCRIPT --input FOLDER | windrow run JOB.yml
#include <utility>

#include "cli/command.h"
#include "cli/run_job.h"
#include "core/spec/job_file.h"
#include "os/machine.h"

namespace windrow {
namespace {

constexpr std::uint64_t kJobFileMax = 1U << 20;

constexpr const char* kFooter =
    "Examples:\n"
    "  windrow run score.py --input images\n"
    "  windrow run score.py --input images --output results --append-row-to rows.txt\n"
    "  windrow run score.py --input images --workers 8 --mini-batch-size 100 -- --threshold 0.5\n"
    "  windrow run job.yml --set retry_settings.timeout=300\n\n"
    "Killed or stopped, the same command goes on where it was. --new starts afresh.\n";

class Run final : public Command {
 public:
  Run(std::vector<std::string> arguments, bool has_arguments) {
    if (has_arguments) flags_.arguments = std::move(arguments);
  }

  void declare(CLI::App& app) override {
    app.description("Run a script over files, or a job file, to the end");
    app.footer(kFooter);
    app.add_option("job", job_, "A Python file with run(mini_batch), or a job file (.yml, .yaml)")
        ->required();
    app.add_option("--input", flags_.input, "Folder (or file) with the items");
    app.add_option("--output", flags_.output, "Folder for the result and what the script writes");
    app.add_option("--append-row-to", flags_.append_row_to, "File for the rows, in --output unless a path");
    app.add_option("--mini-batch-size", flags_.mini_batch_size, "Files in a mini-batch (10)");
    app.add_option("--workers", flags_.workers, "Worker processes (as many as CPUs)");
    app.add_option("--timeout", flags_.timeout, "Seconds that run() may take (60)");
    app.add_option("--max-retries", flags_.max_retries, "Tries after the first one (2)");
    app.add_option("--error-threshold", flags_.error_threshold,
                   "Failed items allowed before the job fails; -1 for any number (-1)");
    app.add_option("--python", flags_.python, "Interpreter for the script");
    app.add_option("--job-dir", flags_.job_dir, "Folder of the job (a new one in $WINDROW_HOME/jobs)");
    app.add_option("--name", flags_.name, "Name of the job (made up)");
    app.add_option("--set", sets_, "KEY=VALUE over the job file, e.g. retry_settings.timeout=300");
    app.add_flag("--new", afresh_, "Start afresh even if an unfinished job could go on");
  }

  int run() override {
    auto reading = read();
    if (!reading) {
      write_out(2, problems_text(reading.error()) + "\n");
      return kExitRefused;
    }
    return run_to_the_end([&] { return start_job(*std::move(reading), afresh_); });
  }

 private:
  std::expected<JobReading, std::vector<Problem>> read() {
    const bool file = job_.ends_with(".yml") || job_.ends_with(".yaml");
    if (!file) {
      if (!sets_.empty()) return refuse("--set", "goes with a job file; use the flags for a script");
      return read_short_form(job_, flags_, current_folder());
    }
    JobFileText text{.file = job_, .flags = flags_, .current_folder = current_folder()};
    for (const std::string& set : sets_) {
      const std::size_t equals = set.find('=');
      if (equals == std::string::npos) return refuse("--set " + set, "must be KEY=VALUE");
      text.set.emplace_back(set.substr(0, equals), set.substr(equals + 1));
    }
    Result<std::string> content = read_whole_file(job_, kJobFileMax);
    if (!content) return refuse(job_, content.error().message);
    text.text = *std::move(content);
    text.folder = parent_folder(join_path(current_folder(), job_));
    return read_job_file(text);
  }

  static std::unexpected<std::vector<Problem>> refuse(std::string where, std::string message) {
    return std::unexpected(std::vector<Problem>{{std::move(where), std::move(message)}});
  }

  std::string job_;
  JobFlags flags_;
  std::vector<std::string> sets_;
  bool afresh_ = false;
};

}  // namespace

std::unique_ptr<Command> make_run_command(std::vector<std::string> script_arguments,
                                          bool has_script_arguments) {
  return std::make_unique<Run>(std::move(script_arguments), has_script_arguments);
}

}  // namespace windrow
