// SPDX-License-Identifier: Apache-2.0
#include "core/spec/job_keys.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "base/check.h"
#include "core/spec/settings.h"

namespace windrow {
namespace {

constexpr auto kRootNotYet = std::to_array<std::string_view>({"component",
                                                              "jobs",
                                                              "pipeline",
                                                              "resume_from",
                                                              "settings",
                                                              "side_inputs",
                                                              "streaming_window"});
constexpr auto kRootIdle = std::to_array<std::string_view>(
    {"creation_context", "intellectual_property", "properties", "services", "version"});
constexpr auto kTaskNotYet = std::to_array<std::string_view>({"model"});
constexpr auto kInputIdle = std::to_array<std::string_view>({"enum", "max", "min"});
constexpr auto kOutputIdle = std::to_array<std::string_view>({"description", "name", "version"});

struct Reason {
  std::string_view key;
  std::string_view why;
};

constexpr auto kReasons = std::to_array<Reason>({
    {"component", "components come with pipelines; write the task into the job file"},
    {"resume_from", "`windrow job resume JOB` resumes a job"},
    {"side_inputs", "declare them as inputs that input_data does not name"},
});

constexpr auto kMoved = std::to_array<MovedKey>({
    {"allowed_failed_count", "mini_batch_error_threshold"},
    {"append_row_file_name", "task.append_row_to"},
    {"append_row_to", "task.append_row_to"},
    {"arguments", "task.program_arguments"},
    {"bisect", "bisect_failed"},
    {"code", "task.code"},
    {"command", "task.command"},
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
    {"workers", "max_concurrency_per_instance"},
});

}  // namespace

KeySet root_keys() {
  static const auto kKnown = keys_in("");
  return {kKnown, kRootNotYet, kRootIdle, kMoved};
}

KeySet task_keys() {
  static const auto kKnown = keys_in("task");
  return {kKnown, kTaskNotYet, {}, kMoved};
}

KeySet input_keys() {
  static const auto kKnown = keys_in("inputs.<n>");
  return {kKnown, {}, kInputIdle, kMoved};
}

KeySet output_keys() {
  static const auto kKnown = keys_in("outputs.<n>");
  return {kKnown, {}, kOutputIdle, kMoved};
}

KeySet group_keys(std::string_view group) {
  static const auto kAll = [] {
    std::map<std::string_view, std::vector<std::string_view>> all;
    for (const std::string_view name : setting_groups()) all[name] = keys_in(name);
    return all;
  }();
  const auto found = kAll.find(group);
  CHECK(found != kAll.end());
  return {found->second, {}, {}, kMoved};
}

std::string_view why_not_yet(std::string_view key) {
  const auto* found = std::ranges::find(kReasons, key, &Reason::key);
  return found == kReasons.end() ? "" : found->why;
}

}  // namespace windrow
