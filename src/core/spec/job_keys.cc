// SPDX-License-Identifier: Apache-2.0
#include "core/spec/job_keys.h"

#include <algorithm>
#include <array>

namespace windrow {
namespace {

constexpr std::array<std::string_view, 23> kRoot = {
    "$schema",
    "type",
    "name",
    "display_name",
    "description",
    "experiment_name",
    "tags",
    "inputs",
    "outputs",
    "input_data",
    "mini_batch_size",
    "mini_batch_error_threshold",
    "error_threshold",
    "logging_level",
    "max_concurrency_per_instance",
    "retry_settings",
    "resources",
    "environment_variables",
    "compute",
    "task",
    // Ours: they have no place in the original schema.
    "python",
    "job_dir",
    "retry_of"};

constexpr std::array<std::string_view, 37> kRootNotYet = {"allow_empty_input",
                                                          "allowed_failed_percent",
                                                          "append_row",
                                                          "bisect_failed",
                                                          "compat",
                                                          "component",
                                                          "copy_logs_to_parent",
                                                          "first_task_creation_timeout",
                                                          "gpu_surplus",
                                                          "identity",
                                                          "init_timeout",
                                                          "is_deterministic",
                                                          "jobs",
                                                          "metrics_name_prefix",
                                                          "nice",
                                                          "output_exists",
                                                          "parallel_run_config",
                                                          "partition_keys",
                                                          "pipeline",
                                                          "profiling_module",
                                                          "progress_update_timeout",
                                                          "properties",
                                                          "push_metrics_to_parent",
                                                          "rank_mini_batch_count",
                                                          "resource_monitor_interval",
                                                          "resume_from",
                                                          "retry_short_returns",
                                                          "services",
                                                          "settings",
                                                          "side_inputs",
                                                          "speculate",
                                                          "staged_outputs",
                                                          "streaming_window",
                                                          "strict",
                                                          "strict_results",
                                                          "task_overhead_timeout",
                                                          "version"};

constexpr std::array<std::string_view, 7> kTask = {
    "type", "code", "entry_script", "program_arguments", "args", "append_row_to", "environment"};
constexpr std::array<std::string_view, 1> kTaskNotYet = {"model"};

constexpr std::array<std::string_view, 3> kInput = {"type", "path", "mode"};
constexpr std::array<std::string_view, 8> kInputNotYet = {"connection",
                                                          "default",
                                                          "description",
                                                          "ignore",
                                                          "input_ignore",
                                                          "optional",
                                                          "partition_format",
                                                          "query"};

constexpr std::array<std::string_view, 3> kOutput = {"type", "path", "mode"};
constexpr std::array<std::string_view, 3> kOutputNotYet = {"description", "name", "version"};

constexpr std::array<std::string_view, 2> kRetry = {"max_retries", "timeout"};

constexpr std::array<std::string_view, 1> kResource = {"instance_count"};
constexpr std::array<std::string_view, 6> kResourceNotYet = {
    "docker_args", "instance_type", "locations", "max_instance_count", "properties", "shm_size"};

struct Elsewhere {
  std::string_view key;
  std::string_view right;
};

constexpr std::array<Elsewhere, 18> kElsewhere = {{
    {"allowed_failed_count", "mini_batch_error_threshold"},
    {"append_row_file_name", "task.append_row_to"},
    {"append_row_to", "task.append_row_to"},
    {"arguments", "task.program_arguments"},
    {"code", "task.code"},
    {"compute_target", "compute"},
    {"entry_script", "task.entry_script"},
    {"environment", "task.environment"},
    {"instance_count", "resources.instance_count"},
    {"max_retries", "retry_settings.max_retries"},
    {"node_count", "resources.instance_count"},
    {"output_action", "task.append_row_to"},
    {"process_count_per_node", "max_concurrency_per_instance"},
    {"program_arguments", "task.program_arguments"},
    {"run_invocation_timeout", "retry_settings.timeout"},
    {"run_max_try", "retry_settings.max_retries"},
    {"source_directory", "task.code"},
    {"timeout", "retry_settings.timeout"},
}};

}  // namespace

KeySet root_keys() { return {kRoot, kRootNotYet}; }
KeySet task_keys() { return {kTask, kTaskNotYet}; }
KeySet input_keys() { return {kInput, kInputNotYet}; }
KeySet output_keys() { return {kOutput, kOutputNotYet}; }
KeySet retry_keys() { return {kRetry, {}}; }
KeySet resource_keys() { return {kResource, kResourceNotYet}; }

std::optional<std::string_view> right_place(std::string_view key) {
  const auto* found = std::ranges::find(kElsewhere, key, &Elsewhere::key);
  if (found == kElsewhere.end()) return std::nullopt;
  return found->right;
}

}  // namespace windrow
