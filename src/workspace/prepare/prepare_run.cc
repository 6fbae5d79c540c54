// SPDX-License-Identifier: Apache-2.0
#include "workspace/prepare/prepare_run.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/hash.h"
#include "base/text.h"
#include "core/spec/job_paths.h"
#include "core/spec/values.h"
#include "data/files/inputs.h"
#include "os/machine.h"
#include "worker/lines_worker.h"
#include "workspace/prepare/check_targets.h"
#include "workspace/prepare/plan_rules.h"
#include "workspace/prepare/staged_folders.h"
#include "workspace/prepare/table_input.h"
#include "workspace/worker/interpreter.h"
#include "workspace/worker/settings_file.h"
#include "workspace/worker/worker_files.h"

namespace windrow {
namespace {

// Of whoever opens it: a worker is started by a process that is still this program.
constexpr const char* kOwnProgram = "/proc/self/exe";

// Those that are cut into mini-batches. A job that goes on compares its files with its plan later.
Status find_inputs(FileSystem& fs,
                   const std::vector<InputSpec>& inputs,
                   PreparedJob& run,
                   const JobState* before) {
  run.input.files.clear();
  for (const InputSpec& input : inputs) {
    ASSIGN_OR_RETURN(InputFiles files,
                     resolve_input(fs, input, real_path, run.folder.input_list()));
    files.items = run.input.items;
    if (run.input.made != MadeSoFar::kNothing) files.title = input.name;
    const bool by_columns = !run.spec.partition_by.empty() && run.input.made != MadeSoFar::kAll;
    if (!by_columns) files.keys = {input.partition_format, run.spec.partition_keys};
    files.grouped = !files.keys.keys.empty();
    if (before == nullptr) RETURN_IF_ERROR(check_input(fs, files));
    run.input.files.push_back(std::move(files));
  }
  return {};
}

// The others are only read by the script: they must be there before a worker starts.
Status check_side_inputs(FileSystem& fs, const JobSpec& spec) {
  for (const InputSpec& input : spec.inputs) {
    const bool cut = std::ranges::find(spec.input_data, input.name) != spec.input_data.end();
    if (cut || input.type == InputType::kLiteral || fs.stat(input.paths.front())) continue;
    return fail(ErrorCode::kInvalid,
                "the input {} is not there: no file or folder {}",
                input.name,
                path_in_quotes(input.paths.front()));
  }
  return {};
}

// "; did you mean score.py?", when there is such a file beside the one that is missing.
std::string near_file(FileSystem& fs, const std::string& path) {
  const auto entries = fs.list(parent_folder(path));
  if (!entries) return "";
  std::vector<std::string_view> names;
  for (const FolderEntry& entry : *entries) names.emplace_back(entry.name);
  const auto near = nearest_name(base_name(path), names);
  return near ? fmt::format("; did you mean {}?", escape_bytes(*near)) : "";
}

Status check_script(FileSystem& fs, const std::string& script) {
  const Result<FileStat> stat = fs.stat(script);
  if (!stat) {
    return fail(ErrorCode::kInvalid,
                "there is no script {}{}",
                path_in_quotes(script),
                near_file(fs, script));
  }
  if (stat->kind == FileKind::kFile) return {};
  return fail(ErrorCode::kInvalid,
              "the script {} is no file; name the one with run(mini_batch)",
              path_in_quotes(script));
}

Status check_program(FileSystem& fs, const JobSpec& spec) {
  if (find_program(spec.command)) return {};
  constexpr const char* kKinds =
      "a job begins with a Python file (.py), a job file (.yml, .yaml) or a program";
  const std::string path = join_path(spec.code, spec.command);
  const Result<FileStat> there = fs.stat(path);
  if (there && there->kind == FileKind::kFolder) {
    return fail(ErrorCode::kInvalid, "{} is a folder; {}", path_in_quotes(path), kKinds);
  }
  if (spec.command.find('/') == std::string::npos) {
    return fail(ErrorCode::kInvalid,
                "there is no program {} in PATH; {}{}",
                path_in_quotes(spec.command),
                kKinds,
                there ? fmt::format("; did you mean ./{}?", escape_bytes(spec.command)) : "");
  }
  if (!there) {
    return fail(ErrorCode::kInvalid, "there is no program {}; {}", path_in_quotes(path), kKinds);
  }
  return fail(ErrorCode::kInvalid,
              "{} cannot be executed; {}, and `chmod +x` makes one of a file",
              path_in_quotes(path),
              kKinds);
}

// What a worker process is: the interpreter with our worker, the user's program, or ourselves
// before it.
Status choose_program(FileSystem& fs, const Jobs& jobs, StartedJob& job) {
  const JobSpec& spec = job.run.spec;
  if (spec.command.empty()) {
    ASSIGN_OR_RETURN(const Interpreter python, find_interpreter(spec.python));
    ASSIGN_OR_RETURN(job.run.program.command, python_worker(fs, jobs, python));
    job.notices.push_back(fmt::format("python {} (from {})", python.path, python.origin));
    return {};
  }
  const std::string program = find_program(spec.command).value_or(spec.command);
  job.notices.push_back(
      fmt::format("command {} ({})", escape_bytes(program), to_text(spec.command_mode)));
  switch (spec.command_mode) {
    case CommandMode::kProtocol:
      job.run.program.command = {program};
      break;
    case CommandMode::kLines:
      job.run.program.command = {kOwnProgram, kLinesWorker};
      break;
    case CommandMode::kFilter:
      job.run.program.command = {kOwnProgram, kFilterWorker};
      break;
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> python_worker(FileSystem& fs,
                                               const Jobs& jobs,
                                               const Interpreter& python) {
  const Result<std::string> worker = unpack_worker(fs, jobs.cache());
  if (worker) return std::vector{python.path, *worker};
  return fail(ErrorCode::kInvalid,
              "nothing can be written to {}, where jobs and caches are kept: {}; set "
              "WINDROW_HOME to a folder of yours",
              path_in_quotes(jobs.home()),
              worker.error().message);
}

Status find_parts(FileSystem& fs, PreparedJob& run, const JobState* before) {
  if (run.spec.output_exists == OutputExists::kOverwrite) run.replace_targets = true;
  const JobPaths paths = resolve_job_paths(run.spec, run.folder.root());
  RETURN_IF_ERROR(run.spec.command.empty() ? check_script(fs, script_path(run.spec))
                                           : check_program(fs, run.spec));
  ASSIGN_OR_RETURN(const TableInput input, read_table_input(run));
  RETURN_IF_ERROR(find_inputs(fs, input.inputs, run, before));
  RETURN_IF_ERROR(prepare_table(fs, input, plan_rules(run, paths).without, run));
  RETURN_IF_ERROR(check_side_inputs(fs, run.spec));
  RETURN_IF_ERROR(check_staged_folders(staged_outputs(run.spec, paths)));
  return check_targets(fs, run, paths.targets, before);
}

Status make_output_folders(FileSystem& fs, const PreparedJob& run) {
  constexpr std::size_t kDigits = 16;
  const JobPaths paths = resolve_job_paths(run.spec, run.folder.root());
  for (const std::string& folder : paths.folders) {
    Status made = fs.make_folders(folder);
    if (made) {
      const HiddenName probe{.owner = sha256(run.folder.root()).substr(0, kDigits)};
      const auto file = fs.create_unnamed(folder, probe);
      if (!file) made = std::unexpected(file.error());
    }
    if (!made) {
      return fail(
          ErrorCode::kInvalid,
          "nothing can be written to the output folder {}: {}; choose another with --output",
          path_in_quotes(folder),
          made.error().message);
    }
  }
  return {};
}

Status prepare_run(FileSystem& fs, const Jobs& jobs, const JobState* before, StartedJob& job) {
  RETURN_IF_ERROR(find_parts(fs, job.run, before));
  RETURN_IF_ERROR(choose_program(fs, jobs, job));
  if (!job.run.input.table.notice.empty()) job.notices.push_back(job.run.input.table.notice);
  if (!job.run.spec.command.empty()) return {};
  ASSIGN_OR_RETURN(SettingsFile settings, read_settings_file(fs, job.run.spec));
  job.run.program.row_settings = std::move(settings.text);
  for (std::string& notice : settings.notices) job.notices.push_back(std::move(notice));
  return {};
}

}  // namespace windrow
