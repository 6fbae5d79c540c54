// SPDX-License-Identifier: Apache-2.0
#include "workspace/worker/worker_settings.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/spec/values.h"
#include "os/machine.h"

namespace windrow {
namespace {

using Arguments = std::vector<std::string>;

bool has_flag(const Arguments& arguments, std::string_view flag) {
  return std::ranges::any_of(arguments, [flag](const std::string& argument) {
    return argument == flag ||
           (argument.starts_with(flag) && argument.substr(flag.size()).starts_with('='));
  });
}

// What the v1 engine put before the user's arguments; scripts exist that read it.
void add_v1_set(const JobSpec& spec, const JobPaths& paths, std::uint32_t workers, Arguments& out) {
  const auto add = [&out](const char* flag, std::string value) {
    out.emplace_back(flag);
    out.push_back(std::move(value));
  };
  const bool rows = !spec.append_row_to.empty();
  add("--client_sdk_version", "1");
  add("--scoring_module_name", spec.entry_script);
  add("--mini_batch_size", std::to_string(spec.mini_batch_size.files));
  add("--error_threshold", std::to_string(spec.limits.error_threshold));
  add("--output_action", rows ? "append_row" : "summary_only");
  add("--run_invocation_timeout", seconds_text(spec.limits.run_timeout));
  add("--run_max_try", std::to_string(spec.limits.tries_max));
  add("--allowed_failed_count", std::to_string(spec.limits.mini_batch_error_threshold));
  add("--allowed_failed_percent", fmt::format("{}", spec.limits.allowed_failed_percent));
  add("--append_row_file_name", rows ? base_name(paths.targets[0]) : kDefaultRowFile);
  add("--output", paths.output_folder);
  add("--process_count_per_node", std::to_string(workers));
}

Arguments script_argv(const JobSpec& spec, const JobPaths& paths, std::uint32_t workers) {
  Arguments out = {script_path(spec)};
  if (!spec.command.empty()) {
    out.insert(out.end(), paths.arguments.begin(), paths.arguments.end());
    return out;
  }
  if (spec.v1_argv) add_v1_set(spec, paths, workers, out);
  out.insert(out.end(), paths.arguments.begin(), paths.arguments.end());
  if (spec.v1_argv) {
    for (std::size_t i = 0; i < spec.input_data.size(); ++i) {
      const auto path = paths.inputs.find(spec.input_data[i]);
      out.push_back(fmt::format("--input_fds_{}", i));
      out.push_back(path == paths.inputs.end() ? "" : path->second);
    }
  }
  if (!has_flag(paths.arguments, "--logging_level")) {
    out.emplace_back("--logging_level");
    out.emplace_back(to_text(spec.record.logging_level));
  }
  return out;
}

constexpr const char* kLocalAddress = "127.0.0.1";

}  // namespace

WorkerSettings worker_settings(const JobSpec& spec, const JobPaths& paths, std::uint32_t workers) {
  WorkerSettings out;
  out.script = script_path(spec);
  out.module = script_module(spec);
  out.code_root = spec.code;
  out.argv = script_argv(spec, paths, workers);
  out.passes_argv = !spec.command.empty() && spec.command_mode == CommandMode::kProtocol;
  out.output_folder = paths.output_folder;
  out.append_row = !spec.append_row_to.empty();
  out.row_outputs = spec.append_row_to;
  out.rows = spec.rows;
  out.python_logging_level = spec.record.python_logging_level;
  out.user_log_max = spec.worker.user_log_max;
  out.profiler = spec.record.profiler;
  out.run_timeout = spec.limits.run_timeout;
  if (!spec.command.empty() && spec.command_mode == CommandMode::kLines) {
    out.timeout_hint =
        "; does the program answer each line with one line, and flush it at once (flush=True, "
        "stdbuf -oL)? If not, a longer limit does not help";
  }
  out.overhead_timeout = spec.limits.overhead_timeout;
  out.init_timeout = spec.limits.init_timeout;
  out.batches_max = spec.worker.batches_max;
  out.rss_max = spec.worker.rss_max;
  return out;
}

// Threads of numeric libraries are shared out between the workers unless the user has set them.
std::vector<std::pair<std::string, std::string>> worker_environment(const WorkerJob& job,
                                                                    std::uint32_t threads) {
  std::vector<std::pair<std::string, std::string>> out;
  const auto unless_set = [&](const char* name, std::string value) {
    if (!environment_value(name)) out.emplace_back(name, std::move(value));
  };
  for (const char* name :
       {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS"}) {
    unless_set(name, std::to_string(std::max(1U, threads)));
  }
  unless_set("PYTHONUNBUFFERED", "1");
  unless_set("PYTHONFAULTHANDLER", "1");
  unless_set("MLFLOW_TRACKING_URI", "file:" + job.folder + "/mlruns");
  out.emplace_back("AZUREML_BI_OUTPUT_PATH", job.paths.output_folder);
  out.emplace_back("AZUREML_RUN_ID", job.name);
  out.emplace_back("AZUREML_NODE_COUNT", "1");
  for (const char* name :
       {"AZ_BATCH_NODE_LIST", "AZ_BATCHAI_JOB_MASTER_NODE_IP", "AZ_BATCHAI_WORKER_IP"}) {
    out.emplace_back(name, kLocalAddress);
  }
  if (job.spec.record.logging_level_said) {
    out.emplace_back("WINDROW_ENTRY_LOG_LEVEL", to_text(job.spec.record.logging_level));
  }
  out.emplace_back("WINDROW_JOB_ID", job.name);
  if (const Result<std::string> own = real_path("/proc/self/exe")) {
    out.emplace_back("WINDROW_PROGRAM", *own);  // python/compat asks it
  }
  out.emplace_back("WINDROW_NODE_ID", "0");
  for (const auto& [name, value] : job.spec.environment_variables) out.emplace_back(name, value);
  return out;
}

}  // namespace windrow
