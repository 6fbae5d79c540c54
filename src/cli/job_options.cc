// SPDX-License-Identifier: Apache-2.0
#include "cli/job_options.h"

#include <optional>
#include <utility>

#include "core/spec/job_file.h"
#include "core/spec/job_paths.h"
#include "core/spec/local_path.h"
#include "os/machine.h"
#include "os/posix_file_system.h"
#include "workspace/prepare/missing_parts.h"

namespace windrow {
namespace {

constexpr std::uint64_t kJobFileMax = 1U << 20;

std::unexpected<std::vector<Problem>> refuse(std::string where, std::string message) {
  return std::unexpected(std::vector<Problem>{{std::move(where), std::move(message)}});
}

// A shell leaves the ~ of --input=~/data alone.
JobFlags flags_with_home(JobFlags flags) {
  const std::string home = environment_value("HOME").value_or("");
  for (std::string& input : flags.input) input = with_home(input, home);
  for (auto* path : {&flags.output, &flags.append_row_to, &flags.job_dir}) {
    if (*path) **path = with_home(**path, home);
  }
  return flags;
}

}  // namespace

JobOptions::JobOptions(std::vector<std::string> arguments, bool has_arguments) {
  if (has_arguments) flags_.arguments = std::move(arguments);
}

void JobOptions::declare(CLI::App& app) {
  app.add_option(
         "FILE", job_, "A Python file with run(mini_batch), a job file (.yml, .yaml), or a program")
      ->required()
      ->type_name("");
  const TextOptions option(app);
  app.add_option("--input",
                 flags_.input,
                 "Folder, file, glob, @FILE (a list of paths) or - with the items; repeatable")
      ->type_name("PATH")
      ->allow_extra_args(false);
  option("--as",
         flags_.input_as,
         "files|jsonl|table",
         "What an item is: a file, a row of JSON lines, or a row of a table (files)");
  option("--output", flags_.output, "FOLDER", "For the result and what the script writes");
  option("--append-row-to",
         flags_.append_row_to,
         "FILE",
         "File for the rows, in --output unless a path (parallel_run_step.txt)");
  option("--mini-batch-size",
         flags_.mini_batch_size,
         "N",
         "Files, bytes, rows of a mini-batch: '10 files, 1MB', '500 rows' (10, tables 1MB)");
  option("--workers", flags_.workers, "N", "Worker processes (1 with GPUs, else as many as CPUs)");
  option("--timeout", flags_.timeout, "S", "Seconds that run() may take (60)");
  option("--max-retries", flags_.max_retries, "N", "Tries after the first one (2)");
  option("--error-threshold",
         flags_.error_threshold,
         "N",
         "Failed items allowed before the job fails; -1 for any number (-1)");
  option("--mini-batch-error-threshold",
         flags_.mini_batch_error_threshold,
         "N",
         "Failed mini-batches allowed; -1 for any number (-1)");
  option("--logging-level",
         flags_.logging_level,
         "WARNING|INFO|DEBUG",
         "What the script's logger keeps (INFO)");
  option("--command-mode",
         flags_.command_mode,
         "protocol|lines|filter",
         "What a program speaks in place of a script (protocol)");
  option("--gpus", flags_.gpus, "N", "GPUs that the job may use (those that are found)");
  option("--nice", flags_.nice, "N", "Lowers the priority of the workers, 0 to 20 (0)");
  option("--python",
         flags_.python,
         "PATH",
         "Interpreter for the script ($WINDROW_PYTHON, the active environment, python3)");
  option(
      "--job-dir", flags_.job_dir, "FOLDER", "Folder of the job (a new one in $WINDROW_HOME/jobs)");
  option("--name", flags_.name, "NAME", "Name of the job (generated)");
  app.add_flag("--bisect",
               flags_.bisect,
               "Halve failed mini-batches until the bad items stand alone; keep the others");
  app.add_flag(
      "--speculate", flags_.speculate, "Let idle workers try late mini-batches a second time");
  app.add_option("--set", sets_, "Any other setting, e.g. retry_settings.timeout=300; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void declare_changes(CLI::App& app, JobFlags& flags) {
  const TextOptions option(app);
  option("--timeout", flags.timeout, "S", "Seconds that run() may take (as before)");
  option("--max-retries", flags.max_retries, "N", "Tries after the first one (as before)");
  option("--error-threshold", flags.error_threshold, "N", "Failed items allowed (as before)");
  option("--mini-batch-error-threshold",
         flags.mini_batch_error_threshold,
         "N",
         "Failed mini-batches allowed (as before)");
  option("--workers", flags.workers, "N", "Worker processes (as before)");
  option("--python", flags.python, "PATH", "Interpreter for the script (as before)");
  app.add_flag("--bisect",
               flags.bisect,
               "Halve failed mini-batches until the bad items stand alone; keep the others");
}

std::expected<JobReading, std::vector<Problem>> JobOptions::read(Look look) const {
  PosixFileSystem fs;
  JobReading rest;
  auto reading = read_text(look, rest);
  const JobReading& known = reading ? *reading : rest;
  std::vector<Problem> problems = reading ? std::vector<Problem>() : reading.error();
  const auto add = [&problems](const std::vector<Problem>& found) {
    problems.insert(problems.end(), found.begin(), found.end());
  };
  const std::vector<Problem> task = task_problems(fs, known);
  const std::vector<Problem> inputs = input_problems(fs, known);
  // One alone is found when the job is prepared: a job that is resumed has better words for it.
  if (look == Look::kAll || problems.size() + task.size() + inputs.size() > 1) {
    add(task);
    add(inputs);
  }
  if (problems.empty()) return reading;
  return std::unexpected(std::move(problems));
}

std::expected<JobReading, std::vector<Problem>> JobOptions::read_text(Look look,
                                                                      JobReading& rest) const {
  SetValues sets;
  for (const std::string& set : sets_) {
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos) return refuse("--set " + set, "must be KEY=VALUE");
    sets.emplace_back(set.substr(0, equals), set.substr(equals + 1));
  }
  const bool file = job_.ends_with(".yml") || job_.ends_with(".yaml");
  return file ? read_file(sets, look, rest)
              : read_short_form(job_, flags_with_home(flags_), current_folder(), sets, &rest);
}

std::expected<JobReading, std::vector<Problem>> JobOptions::read_file(const SetValues& sets,
                                                                      Look look,
                                                                      JobReading& rest) const {
  Result<std::string> content = read_whole_file(job_, kJobFileMax);
  if (!content) return refuse(job_, content.error().message);
  return read_job_file({.file = job_,
                        .text = *std::move(content),
                        .folder = parent_folder(join_path(current_folder(), job_)),
                        .set = sets,
                        .flags = flags_with_home(flags_),
                        .current_folder = current_folder(),
                        .needs_input = look != Look::kAll},
                       &rest);
}

}  // namespace windrow
