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
#include "core/plan/stretch_name.h"
#include "core/spec/job_paths.h"
#include "core/spec/values.h"
#include "core/table/key_groups.h"
#include "data/files/inputs.h"
#include "journal/plan_file.h"
#include "os/machine.h"
#include "worker/lines_worker.h"
#include "workspace/prepare/check_targets.h"
#include "workspace/prepare/missing_parts.h"
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
constexpr std::size_t kKeyedFilesMax = 10000;  // that are looked at for keys in their paths

// Leaves the files that an MLTable file takes of its list.
Status keep_window(FileSystem& fs,
                   const PathWindow& window,
                   const std::vector<std::string>& without,
                   InputFiles& files) {
  constexpr std::size_t kPage = 10000;
  if (window == PathWindow{}) return {};
  InputLister lister(fs, files, without);
  std::vector<InputPart> parts;
  std::uint64_t seen = 0;
  for (std::size_t got = kPage; got == kPage && parts.size() < window.take;) {
    ASSIGN_OR_RETURN(const std::vector<std::string> names, lister.next(kPage));
    got = names.size();
    for (const std::string& name : names) {
      if (seen++ < window.skip || parts.size() == window.take) continue;
      const std::string file = join_path(files.root, name);
      parts.push_back(
          {.kind = InputPart::Kind::kFile, .folder = parent_folder(file), .name = base_name(file)});
    }
  }
  files.parts = std::move(parts);
  return {};
}

// Those that are cut into mini-batches. A job that resumes compares its files with its plan later.
Status find_inputs(FileSystem& fs,
                   const TableInput& inputs,
                   const std::vector<std::string>& without,
                   PreparedJob& run,
                   const JobState* before) {
  run.input.files.clear();
  for (std::size_t i = 0; i < inputs.inputs.size(); ++i) {
    const InputSpec& input = inputs.inputs[i];
    ASSIGN_OR_RETURN(InputFiles files,
                     resolve_input(fs, input, real_path, run.folder.input_list()));
    RETURN_IF_ERROR(keep_window(fs, inputs.windows[i], without, files));
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

// That the files of a new job have its partition keys in their paths, before a folder is made for
// it. The planner looks at those that are not among the first.
Status check_keys(FileSystem& fs,
                  const std::vector<InputFiles>& inputs,
                  const std::vector<std::string>& without) {
  for (InputFiles files : inputs) {
    const bool kept = std::ranges::any_of(files.parts, &InputPart::kept);  // not there yet
    if (files.keys.keys.empty() || kept) continue;
    ASSIGN_OR_RETURN(KeyGroups groups, KeyGroups::of(files.keys));
    files.items = InputAs::kFiles;
    const std::string root = files.root == "/" ? "" : files.root;
    InputLister lister(fs, files, without);
    ASSIGN_OR_RETURN(const std::vector<std::string> names, lister.next(kKeyedFilesMax));
    for (const std::string& name : names) {
      const std::string file(file_of_stretch(name));
      RETURN_IF_ERROR(groups.add(plan_path(root, file), file));
    }
  }
  return {};
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
  RETURN_IF_ERROR(check_task(fs, run.spec));
  ASSIGN_OR_RETURN(const TableInput input, read_table_input(run));
  const std::vector<std::string> without = plan_rules(run, paths).without;
  RETURN_IF_ERROR(find_inputs(fs, input, without, run, before));
  if (before == nullptr && run.input.made == MadeSoFar::kNothing) {
    RETURN_IF_ERROR(check_keys(fs, run.input.files, without));
  }
  RETURN_IF_ERROR(prepare_table(fs, input, without, run));
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
