// SPDX-License-Identifier: Apache-2.0
//
// windrow run SCRIPT --input FOLDER | windrow run JOB.yml
#include <optional>
#include <utility>

#include "cli/command.h"
#include "cli/run_job.h"
#include "core/spec/job_file.h"
#include "core/spec/job_paths.h"
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
    app.add_option("JOB", job_, "A Python file with run(mini_batch), or a job file (.yml, .yaml)")
        ->required()
        ->type_name("");
    const auto option = [&app](const char* name,
                               std::optional<std::string>& value,
                               const char* type,
                               const char* text) {
      app.add_option(name, value, text)->type_name(type);
    };
    option("--input", flags_.input, "FOLDER", "Folder (or file) with the items");
    option("--output", flags_.output, "FOLDER", "For the result and what the script writes");
    option("--append-row-to",
           flags_.append_row_to,
           "FILE",
           "File for the rows, in --output unless a path (parallel_run_step.txt)");
    option("--mini-batch-size", flags_.mini_batch_size, "N", "Files in a mini-batch (10)");
    option("--workers", flags_.workers, "N", "Worker processes (as many as CPUs)");
    option("--timeout", flags_.timeout, "S", "Seconds that run() may take (60)");
    option("--max-retries", flags_.max_retries, "N", "Tries after the first one (2)");
    option("--error-threshold",
           flags_.error_threshold,
           "N",
           "Failed items allowed before the job fails; -1 for any number (-1)");
    option("--python",
           flags_.python,
           "PATH",
           "Interpreter for the script ($WINDROW_PYTHON, the active environment, python3)");
    option("--job-dir",
           flags_.job_dir,
           "FOLDER",
           "Folder of the job (a new one in $WINDROW_HOME/jobs)");
    option("--name", flags_.name, "NAME", "Name of the job (made up)");
    app.add_option("--set", sets_, "Over the job file, e.g. retry_settings.timeout=300; repeatable")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    app.add_flag("--new", afresh_, "Start afresh even if an unfinished job could go on");
  }

  int run() override {
    auto reading = read();
    if (!reading) {
      write_out(2, problems_text(reading.error()));
      return kExitRefused;
    }
    return run_to_the_end([&] {
      Result<StartedJob> job = start_job(*std::move(reading), afresh_);
      // A file or folder that is missing here is not a missing job.
      if (!job && job.error().code == ErrorCode::kNotFound) job.error().code = ErrorCode::kInvalid;
      return job;
    });
  }

 private:
  std::expected<JobReading, std::vector<Problem>> read() {
    const bool file = job_.ends_with(".yml") || job_.ends_with(".yaml");
    if (!file) {
      if (!sets_.empty()) return refuse("--set", "goes with a job file; a script has flags");
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
