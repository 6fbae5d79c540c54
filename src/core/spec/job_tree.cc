// SPDX-License-Identifier: Apache-2.0
#include "core/spec/job_tree.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "base/text.h"
#include "core/spec/job_keys.h"
#include "core/spec/job_name.h"
#include "core/spec/job_paths.h"
#include "core/spec/program_arguments.h"
#include "core/spec/tree_reader.h"
#include "core/spec/values.h"

namespace windrow {
namespace {

using Words = std::initializer_list<std::string_view>;

constexpr std::int64_t kWorkersMax = 65535;
constexpr std::size_t kKeyMax = 255;

auto integer(std::int64_t min, std::int64_t max) {
  return [min, max](std::string_view text) { return parse_integer(text, {min, max}); };
}

class JobTree {
 public:
  JobTree(const Node& root, std::string_view file, std::string_view folder)
      : root_{&root, ""}, folder_(folder), reader_(file) {}

  std::expected<JobReading, std::vector<Problem>> read() {
    if (reader_.is_map(root_) && read_type()) {
      reader_.check_keys(root_, root_keys());
      read_labels();
      read_inputs();
      read_outputs();
      read_task();
      read_limits();
      read_resources();
      read_environment();
      read_own_keys();
    }
    if (reader_.has_problems()) return std::unexpected(reader_.take_problems());
    return JobReading{std::move(spec_), reader_.take_origins(), reader_.take_notices()};
  }

 private:
  // False when the file is about something else: then its keys mean something else too.
  bool read_type() {
    if (!root_.node->find("type")) {
      reader_.missing(root_, "type");
      return true;
    }
    return choice(root_,
                  "type",
                  {"parallel"},
                  {"command", "pipeline", "spark", "sweep", "automl", "import"})
        .has_value();
  }

  void read_labels() {
    const auto text = [this](std::string_view key, std::string& into) {
      if (std::optional<std::string> said = reader_.text_at(root_, key)) into = *std::move(said);
    };
    text("display_name", spec_.labels.display_name);
    text("description", spec_.labels.description);
    text("experiment_name", spec_.labels.experiment_name);
    reader_.text_at(root_, "$schema");
    read_text_map("tags", spec_.labels.tags);
    const auto name =
        reader_.value_at(root_, "name", [](std::string_view said) -> Result<std::string> {
          RETURN_IF_ERROR(check_job_name(said));
          return std::string(said);
        });
    if (name) spec_.name = *name;
  }

  void read_inputs() {
    const std::optional<Place> inputs = reader_.at(root_, "inputs");
    if (!inputs) {
      reader_.missing(root_, "inputs");
    } else if (reader_.is_map(*inputs)) {
      for (const Entry& entry : inputs->node->entries) {
        read_input(reader_.child(*inputs, entry), entry.key);
      }
    }
    const std::optional<Place> data = reader_.at(root_, "input_data");
    if (!data) return reader_.missing(root_, "input_data");
    const std::optional<std::string> name = reference(*data, Reference::Kind::kInput);
    if (name) spec_.input_data = {*name};
    if (const auto size = reader_.value_at(root_, "mini_batch_size", parse_batch_size)) {
      spec_.mini_batch_size = *size;
    }
  }

  void read_input(const Place& place, const std::string& name) {
    check_name(place, name);
    inputs_.insert(name);
    if (place.node->kind == Node::Kind::kScalar) {
      return reader_.problem(place, "an input that is a value and no folder is not supported yet");
    }
    if (!reader_.is_map(place)) return;
    reader_.check_keys(place, input_keys());
    choice(place,
           "type",
           {"uri_folder"},
           {"uri_file",
            "mltable",
            "sql",
            "string",
            "number",
            "integer",
            "boolean",
            "custom_model",
            "mlflow_model",
            "triton_model"});
    const auto mode = choice(place,
                             "mode",
                             {"ro_mount", "download"},
                             {"direct", "eval_mount", "eval_download", "rw_mount"});
    if (mode == "download") {
      reader_.notice_at(place, "mode", "has no effect: the folder is read where it is");
    }
    const std::optional<std::string> path = path_at(place, "path");
    if (path) spec_.inputs.push_back({.name = name, .paths = {*path}});
    if (!place.node->find("path")) reader_.missing(place, "path");
  }

  void read_outputs() {
    const std::optional<Place> outputs = reader_.at(root_, "outputs");
    if (!outputs || !reader_.is_map(*outputs)) return;
    for (const Entry& entry : outputs->node->entries) {
      read_output(reader_.child(*outputs, entry), entry.key);
    }
  }

  void read_output(const Place& place, const std::string& name) {
    check_name(place, name);
    outputs_.insert(name);
    OutputSpec output;
    output.name = name;
    if (place.node->kind != Node::Kind::kNull && reader_.is_map(place)) {
      reader_.check_keys(place, output_keys());
      const auto type = choice(place,
                               "type",
                               {"uri_folder", "uri_file"},
                               {"mltable", "custom_model", "mlflow_model", "triton_model"});
      if (type == "uri_file") output.type = OutputType::kFile;
      const auto mode = choice(place, "mode", {"rw_mount", "upload"}, {"direct"});
      if (mode == "upload") {
        reader_.notice_at(place, "mode", "has no effect: files are written where they stay");
      }
      output.path = path_at(place, "path");
    }
    spec_.outputs.push_back(std::move(output));
  }

  void read_task() {
    const std::optional<Place> task = reader_.map_at(root_, "task", task_keys());
    if (!task) {
      if (!root_.node->find("task")) reader_.missing(root_, "task");
      return;
    }
    const std::optional<std::string> type = reader_.text_at(*task, "type");
    if (type == "model") {
      reader_.problem_at(
          *task, "type", "'model' is not a task of a job; models are run by batch deployments");
    } else if (type && type != "run_function" && type != "function") {
      reader_.problem_at(
          *task, "type", in_quotes(*type) + " is not known; allowed is run_function or function");
    }
    read_script(*task);
    read_arguments(*task);
    if (const auto target = reader_.at(*task, "append_row_to")) {
      if (const auto name = reference(*target, Reference::Kind::kOutput)) {
        spec_.append_row_to = {*name};
      }
    }
    if (const auto environment = reader_.at(*task, "environment")) {
      reader_.notice(*environment,
                     "is not used: the script runs with the interpreter that is printed at start");
    }
  }

  void read_script(const Place& task) {
    const std::optional<std::string> script = reader_.text_at(task, "entry_script");
    if (!task.node->find("entry_script")) reader_.missing(task, "entry_script");
    const std::optional<std::string> code = path_at(task, "code");
    if (!script) return;
    if (trimmed(*script).empty()) {
      return reader_.problem_at(task, "entry_script", "is empty");
    }
    spec_.entry_script = join_path("", *script);
    if (code) {
      spec_.code = *code;
    } else if (!task.node->find("code")) {  // the folder of the script is its import root
      const bool module = script->find('/') == std::string::npos && !script->ends_with(".py");
      spec_.code = module ? join_path(folder_, "") : parent_folder(join_path(folder_, *script));
      spec_.entry_script = module ? *script : base_name(*script);
    }
  }

  void read_arguments(const Place& task) {
    const bool twice = task.node->find("args") && task.node->find("program_arguments");
    const char* key = task.node->find("args") ? "args" : "program_arguments";
    if (twice) reader_.problem_at(task, "args", "program_arguments says the same; use one");
    const std::optional<Place> place = reader_.at(task, key);
    if (!place) return;
    if (place->node->kind == Node::Kind::kNull) return;  // `program_arguments:` is none
    const auto arguments = reader_.value_at(task, key, split_arguments);
    if (!arguments) return;
    spec_.arguments = *arguments;
    for (const std::string& argument : *arguments) {
      if (!check_references(*place, argument)) return;  // one problem for one key
    }
  }

  bool check_references(const Place& place, const std::string& argument) {
    const auto references = find_references(argument);
    if (!references) {
      reader_.problem(place, references.error().message);
      return false;
    }
    return std::ranges::all_of(
        *references, [&](const Reference& reference) { return check_declared(place, reference); });
  }

  void read_limits() {
    if (const auto n = number(root_, "error_threshold", -1, kIntMax))
      spec_.limits.error_threshold = *n;
    if (const auto n = number(root_, "mini_batch_error_threshold", -1, kIntMax)) {
      spec_.limits.mini_batch_error_threshold = *n;
    }
    if (const auto n = number(root_, "max_concurrency_per_instance", 1, kWorkersMax)) {
      spec_.worker.count = static_cast<std::uint32_t>(*n);
    }
    if (const auto level = reader_.value_at(root_, "logging_level", parse_logging_level)) {
      spec_.record.logging_level = *level;
    }
    const std::optional<Place> retry = reader_.map_at(root_, "retry_settings", retry_keys());
    if (!retry) return;
    if (const auto n = number(*retry, "max_retries", 0, kIntMax)) {
      spec_.limits.tries_max = static_cast<std::uint32_t>(*n) + 1;
    }
    if (const auto timeout = reader_.value_at(*retry, "timeout", parse_seconds)) {
      spec_.limits.run_timeout = *timeout;
    }
  }

  void read_resources() {
    const std::optional<std::string> compute = reader_.text_at(root_, "compute");
    if (compute && *compute != "local" && *compute != "azureml:local") {
      reader_.notice_at(root_,
                        "compute",
                        in_quotes(*compute) + " is not known here; the job runs on this machine");
    }
    const std::optional<Place> resources = reader_.map_at(root_, "resources", resource_keys());
    if (!resources) return;
    const auto nodes = number(*resources, "instance_count", -1, kIntMax);
    if (nodes == 0) {
      reader_.problem_at(
          *resources,
          "instance_count",
          fmt::format("0 is out of range; allowed is 1 to {}, or -1 for all", kIntMax));
    } else if (nodes && *nodes != 1) {
      reader_.notice_at(
          *resources,
          "instance_count",
          fmt::format("{} nodes are asked for; this machine is the only one", *nodes));
    }
  }

  void read_environment() {
    read_text_map("environment_variables", spec_.environment_variables);
    for (const auto& [name, value] : spec_.environment_variables) {
      if (!name.empty() && name.find('=') == std::string::npos) continue;
      reader_.problem_at(root_,
                         "environment_variables",
                         in_quotes(name) + " is not the name of an environment variable");
    }
  }

  void read_own_keys() {
    if (const auto python = reader_.at(root_, "python")) {
      spec_.python = reader_.text(*python);
      const bool is_path = spec_.python && spec_.python->find('/') != std::string::npos;
      if (is_path) spec_.python = join_path(folder_, *spec_.python);
      if (spec_.python && spec_.python->empty()) reader_.problem(*python, "is empty");
    }
    spec_.job_folder = path_at(root_, "job_dir");
    if (const auto job = reader_.at(root_, "retry_of")) {
      spec_.retry_of = reader_.text(*job);
      if (spec_.retry_of && spec_.retry_of->empty()) reader_.problem(*job, "is empty");
    }
  }

  // ---- Small things that the sections above share.

  std::optional<std::string> choice(const Place& map,
                                    std::string_view key,
                                    Words allowed,
                                    Words not_yet) {
    return reader_.choice_at(
        map, key, {allowed.begin(), allowed.size()}, {not_yet.begin(), not_yet.size()});
  }

  std::optional<std::int64_t> number(const Place& map,
                                     std::string_view key,
                                     std::int64_t min,
                                     std::int64_t max) {
    return reader_.value_at(map, key, integer(min, max));
  }

  std::optional<std::string> path_at(const Place& map, std::string_view key) {
    return reader_.value_at(map, key, [this](std::string_view said) -> Result<std::string> {
      if (said.empty()) return fail(ErrorCode::kInvalid, "is empty; a path is expected");
      if (is_remote_path(said)) {
        return fail(ErrorCode::kInvalid,
                    "{} is not a path of this machine; others are not "
                    "supported yet",
                    in_quotes(said));
      }
      return join_path(folder_, said);
    });
  }

  void read_text_map(std::string_view key, std::map<std::string, std::string>& into) {
    const std::optional<Place> place = reader_.at(root_, key);
    if (!place || !reader_.is_map(*place)) return;
    for (const Entry& entry : place->node->entries) {
      const Place child = reader_.child(*place, entry);
      if (entry.key.size() > kKeyMax) {
        reader_.problem(*place, fmt::format("a name of over {} bytes", kKeyMax));
      } else if (const auto text = reader_.text(child)) {
        into[entry.key] = *text;
      }
    }
  }

  void check_name(const Place& place, const std::string& name) {
    if (const Status valid = check_binding_name(name); !valid) {
      reader_.problem(place, valid.error().message);
    }
  }

  // The name in `${{inputs.name}}`, when it is declared.
  std::optional<std::string> reference(const Place& place, Reference::Kind kind) {
    const std::optional<std::string> said = reader_.text(place);
    if (!said) return std::nullopt;
    const Result<Reference> found = parse_lone_reference(*said);
    if (!found || found->kind != kind) {
      reader_.problem(place,
                      fmt::format("{} is not understood; allowed is ${{{{{}.NAME}}}}",
                                  in_quotes(*said),
                                  kind == Reference::Kind::kInput ? "inputs" : "outputs"));
      return std::nullopt;
    }
    if (!check_declared(place, *found)) return std::nullopt;
    return found->name;
  }

  bool check_declared(const Place& place, const Reference& reference) {
    const bool input = reference.kind == Reference::Kind::kInput;
    const auto& declared = input ? inputs_ : outputs_;
    if (declared.contains(reference.name)) return true;
    const std::vector<std::string_view> names(declared.begin(), declared.end());
    const auto nearest = nearest_name(reference.name, names);
    reader_.problem(place,
                    fmt::format("no {} '{}' is declared{}",
                                input ? "input" : "output",
                                reference.name,
                                nearest ? fmt::format("; did you mean '{}'?", *nearest) : ""));
    return false;
  }

  Place root_;
  std::string_view folder_;
  TreeReader reader_;
  JobSpec spec_;
  std::set<std::string, std::less<>> inputs_;   // declared, also those that have a problem
  std::set<std::string, std::less<>> outputs_;  // likewise
};

}  // namespace

std::expected<JobReading, std::vector<Problem>> read_job_tree(const Node& root,
                                                              std::string_view file,
                                                              std::string_view folder) {
  return JobTree(root, file, folder).read();
}

}  // namespace windrow
