// SPDX-License-Identifier: Apache-2.0
#include "core/spec/v1_config.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "core/spec/job_paths.h"
#include "core/spec/local_path.h"
#include "core/spec/values.h"

namespace windrow {
namespace {

constexpr std::string_view kRoot = "parallel_run_config";
constexpr std::string_view kForbidden = "~\"#%&*:<>?/\\{}|";

// A parameter, where it stands in a v2 file, and whether it must be there. Those without a v2 key
// have code of their own below.
struct Parameter {
  std::string_view name;
  std::string_view group;
  std::string_view key;
  bool required = false;
};

constexpr auto kParameters = std::to_array<Parameter>({
    {"environment", "task", "environment"},
    {"environment_name"},
    {"environment_dir_path"},
    {"entry_script", "task", "entry_script"},  // the reader of v2 says that it is missing
    {"error_threshold", "", "error_threshold", true},
    {"output_action", "", "", true},
    {"compute_target_name", "", "compute", true},
    {"node_count", "", "", true},
    {"process_count_per_node", "", "max_concurrency_per_instance"},
    {"mini_batch_size", "", "mini_batch_size"},
    {"source_directory"},
    {"description", "", "description"},
    {"logging_level", "", "logging_level"},
    {"run_invocation_timeout", "retry_settings", "timeout"},
    {"run_max_try"},
    {"append_row_file_name"},
    {"allowed_failed_count", "", "mini_batch_error_threshold"},
    {"allowed_failed_percent", "", "allowed_failed_percent"},
    {"partition_keys", "", "partition_keys"},
    {"environment_variables", "", "environment_variables"},
});

// What v2 files and the SDK call them.
constexpr auto kMoved = std::to_array<MovedKey>({
    {"append_row_to", "append_row_file_name"},
    {"code", "source_directory"},
    {"compute", "compute_target_name"},
    {"compute_target", "compute_target_name"},
    {"instance_count", "node_count"},
    {"max_concurrency_per_instance", "process_count_per_node"},
    {"max_retries", "run_max_try"},
    {"mini_batch_error_threshold", "allowed_failed_count"},
    {"timeout", "run_invocation_timeout"},
});

constexpr auto kReserved = std::to_array<std::string_view>({"mini_batch_size",
                                                            "error_threshold",
                                                            "allowed_failed_count",
                                                            "allowed_failed_percent",
                                                            "output",
                                                            "output_action",
                                                            "logging_level",
                                                            "process_count_per_node",
                                                            "run_invocation_timeout",
                                                            "run_max_try",
                                                            "append_row_file_name"});

std::string shown(std::string_view name) { return fmt::format("{}.{}", kRoot, name); }

class V1Config {
 public:
  V1Config(const Node& root, TreeReader& reader)
      : config_{root.find(kRoot), std::string(kRoot)}, reader_(reader) {}

  Node convert(JobFlags& flags, const std::string& current_folder) {
    const Mark& mark = config_.node->mark;
    put("", "type", Node::scalar("parallel", mark));
    job_.child("task", mark) = {.kind = Node::Kind::kMap, .mark = mark};
    reader_.show_as("task.entry_script", shown("entry_script"));
    if (!reader_.is_map(config_)) return std::move(job_);
    check_keys();
    for (const Parameter& parameter : kParameters) {
      const Node* node = config_.node->find(parameter.name);
      if (node == nullptr && parameter.required) reader_.missing(config_, parameter.name);
      if (node == nullptr || parameter.key.empty()) continue;
      put(parameter.group, parameter.key, *node);
      reader_.show_as(joined(parameter.group, parameter.key), shown(parameter.name));
    }
    convert_folder();
    convert_tries();
    convert_nodes();
    notice_environment();
    convert_output(flags, current_folder);
    return std::move(job_);
  }

 private:
  static std::string joined(std::string_view group, std::string_view key) {
    return group.empty() ? std::string(key) : fmt::format("{}.{}", group, key);
  }

  void put(std::string_view group, std::string_view key, Node node) {
    const Mark mark = node.mark;
    Node& map = group.empty() ? job_ : job_.child(group, mark);
    map.child(key, mark) = std::move(node);
  }

  void check_keys() {
    std::vector<std::string_view> known;
    for (const Parameter& parameter : kParameters) known.push_back(parameter.name);
    reader_.check_keys(config_, {known, {}, {}, kMoved});
  }

  // A folder, or a list with one.
  void convert_folder() {
    const std::optional<Place> said = reader_.at(config_, "source_directory");
    if (!said) return;
    const bool list = said->node->kind == Node::Kind::kSequence;
    if (list && said->node->items.size() != 1) {
      reader_.problem(*said,
                      "is one folder, the one with the script; name others in PYTHONPATH, under "
                      "environment_variables");
    }
    if (list && said->node->items.empty()) return;
    put("task", "code", list ? said->node->items.front() : *said->node);
    reader_.show_as("task.code", shown("source_directory"));
  }

  // Tries there, retries here: one less.
  void convert_tries() {
    const auto parse = [](std::string_view text) { return parse_integer(text, {1, kIntMax}); };
    const auto tries = reader_.value_at(config_, "run_max_try", parse);
    if (!tries) return;
    put("retry_settings",
        "max_retries",
        Node::scalar(std::to_string(*tries - 1), config_.node->find("run_max_try")->mark));
  }

  // The one range of v1; -1 for all is of v2 files.
  void convert_nodes() {
    const auto parse = [](std::string_view text) { return parse_integer(text, {1, kIntMax}); };
    if (!reader_.value_at(config_, "node_count", parse)) return;
    put("resources", "instance_count", *config_.node->find("node_count"));
    reader_.show_as("resources.instance_count", shown("node_count"));
  }

  void notice_environment() {
    for (const std::string_view key : {"environment_name", "environment_dir_path"}) {
      if (config_.node->find(key) == nullptr) continue;
      reader_.notice_at(
          config_,
          key,
          "is not used: the script runs with the interpreter that is printed at start");
    }
  }

  // The name of the result file, when the file says one and it may be one.
  std::optional<std::string> row_file() {
    return reader_.value_at(
        config_, "append_row_file_name", [](std::string_view name) -> Result<std::string> {
          const bool dots = name == "." || name == "..";
          if (!name.empty() && !dots && name.find_first_of(kForbidden) == std::string_view::npos) {
            return std::string(name);
          }
          return fail(ErrorCode::kInvalid,
                      "{} is not a file name; allowed is one without any of {}",
                      in_quotes(name),
                      kForbidden);
        });
  }

  void convert_output(JobFlags& flags, const std::string& current_folder) {
    const std::optional<std::string> file = row_file();
    const std::optional<std::string> action = reader_.text_at(config_, "output_action");
    if (!action) return;
    const std::string word = lower_case(*action);
    if (word != "append_row" && word != "summary_only") {
      return reader_.problem_at(
          config_,
          "output_action",
          in_quotes(*action) + " is not known; allowed is append_row or summary_only");
    }
    if (word == "summary_only") return;
    const Mark mark = config_.node->find("output_action")->mark;
    Node& outputs = job_.child("outputs", mark);
    Node& output = outputs.child("output", mark);
    put("task", "append_row_to", Node::scalar("${{outputs.output}}", mark));
    const bool named = file && *file != kDefaultRowFile && !flags.append_row_to;
    output.child("type", mark) = Node::scalar(named ? "uri_file" : "uri_folder", mark);
    if (!named) return;
    if (!flags.output) {
      return reader_.problem_at(
          config_, "append_row_file_name", "needs --output, the folder that the file goes into");
    }
    const std::string folder =
        join_path(current_folder, local_path(*std::exchange(flags.output, {})));
    output.child("path", mark) = Node::scalar(join_path(folder, *file), {0, 0, "--output"});
  }

  Place config_;
  TreeReader& reader_;
  Node job_;
};

}  // namespace

bool is_v1_config(const Node& root) {
  return root.find(kRoot) != nullptr && root.find("type") == nullptr;
}

std::pair<SetValues, SetValues> split_v1_sets(const SetValues& sets) {
  std::pair<SetValues, SetValues> out;
  for (const auto& set : sets) {
    const bool here = set.first == kRoot || set.first.starts_with(shown(""));
    (here ? out.first : out.second).push_back(set);
  }
  return out;
}

Node v1_to_v2(const Node& root,
              JobFlags& flags,
              const std::string& current_folder,
              TreeReader& reader) {
  const std::array<std::string_view, 1> known = {kRoot};
  reader.check_keys({&root, ""}, {known, {}, {}, {}});
  return V1Config(root, reader).convert(flags, current_folder);
}

void keep_v1_names(Node& job) {
  const Node* limit = job.find("mini_batch_error_threshold");
  if (limit == nullptr) return;
  const Mark mark = limit->mark;
  if (!mark.flag.empty() && !mark.flag.starts_with("--set " + shown(""))) return;
  Node& compat = job.child("compat", mark);
  if (compat.kind != Node::Kind::kMap && compat.kind != Node::Kind::kNull) return;
  compat.child("allowed_failed_count", mark) = Node::scalar("true", mark);
}

std::string v1_arguments_problem(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && !arguments.front().starts_with('-')) {
    return fmt::format("{}: the first argument must begin with '-'", in_quotes(arguments.front()));
  }
  for (const std::string_view word : arguments) {
    if (!word.starts_with("--")) continue;
    const std::string_view name = word.substr(2, word.find('=') - 2);
    if (std::ranges::find(kReserved, name) == kReserved.end()) continue;
    return fmt::format("--{} is a parameter of parallel_run_config; set it there", name);
  }
  return "";
}

}  // namespace windrow
