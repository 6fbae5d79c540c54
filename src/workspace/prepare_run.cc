// SPDX-License-Identifier: Apache-2.0
#include "workspace/prepare_run.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/hash.h"
#include "base/text.h"
#include "core/spec/job_paths.h"
#include "data/files/inputs.h"
#include "os/machine.h"
#include "workspace/interpreter.h"
#include "workspace/settings_file.h"
#include "workspace/staged_folders.h"
#include "workspace/worker_files.h"

namespace windrow {
namespace {

// Those that are cut into mini-batches. A job that goes on compares its files with its plan later.
Status find_inputs(FileSystem& fs, LocalRun& run, const JobState* before) {
  run.inputs.clear();
  for (const std::string& name : run.spec.input_data) {
    const auto input = std::ranges::find(run.spec.inputs, name, &InputSpec::name);
    CHECK(input != run.spec.inputs.end());
    ASSIGN_OR_RETURN(InputFiles files,
                     resolve_input(fs, *input, real_path, run.folder.input_list()));
    if (before == nullptr) RETURN_IF_ERROR(check_input(fs, files));
    run.inputs.push_back(std::move(files));
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

Status check_targets(FileSystem& fs,
                     const LocalRun& run,
                     const std::vector<std::string>& targets,
                     const JobState* before) {
  std::set<std::string> seen;
  for (const std::string& target : targets) {
    if (!seen.insert(target).second) {
      return fail(ErrorCode::kInvalid,
                  "two outputs in append_row_to have the same file {}; give each its own path",
                  path_in_quotes(target));
    }
    if (run.replace_targets || !fs.stat(target)) continue;
    if (before == nullptr) {
      return fail(ErrorCode::kConflict,
                  "the output file {} exists; remove it, choose another with --append-row-to, or "
                  "replace it with --set output_exists=overwrite (output_exists: overwrite in a "
                  "job file)",
                  path_in_quotes(target));
    }
    // A job that died while it published has its own result there.
    if (!before->publishing().empty()) continue;
    return fail(
        ErrorCode::kConflict,
        "the output file {} exists (`windrow job merge` may have made it); move it away, then "
        "go on with the job",
        path_in_quotes(target));
  }
  return {};
}

}  // namespace

Status find_parts(FileSystem& fs, LocalRun& run, const JobState* before) {
  if (run.spec.output_exists == OutputExists::kOverwrite) run.replace_targets = true;
  const std::string script = script_path(run.spec);
  const JobPaths paths = resolve_job_paths(run.spec, run.folder.root());
  const Result<FileStat> script_stat = fs.stat(script);
  if (!script_stat || script_stat->kind != FileKind::kFile) {
    if (!script_stat) {
      return fail(ErrorCode::kInvalid, "there is no script {}", path_in_quotes(script));
    }
    return fail(ErrorCode::kInvalid,
                "the script {} is no file; name the one with run(mini_batch)",
                path_in_quotes(script));
  }
  RETURN_IF_ERROR(find_inputs(fs, run, before));
  RETURN_IF_ERROR(check_side_inputs(fs, run.spec));
  RETURN_IF_ERROR(check_staged_folders(staged_outputs(run.spec, paths)));
  return check_targets(fs, run, paths.targets, before);
}

Status make_output_folders(FileSystem& fs, const LocalRun& run) {
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
  ASSIGN_OR_RETURN(const Interpreter python, find_interpreter(job.run.spec.python));
  job.run.python = python.path;
  job.notices.push_back(fmt::format("python {} (from {})", python.path, python.origin));
  ASSIGN_OR_RETURN(job.run.worker_program, unpack_worker(fs, jobs.cache()));
  ASSIGN_OR_RETURN(SettingsFile settings, read_settings_file(fs, job.run.spec));
  job.run.row_settings = std::move(settings.text);
  for (std::string& notice : settings.notices) job.notices.push_back(std::move(notice));
  return {};
}

}  // namespace windrow
