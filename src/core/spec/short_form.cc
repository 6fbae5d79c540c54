// SPDX-License-Identifier: Apache-2.0
#include "core/spec/short_form.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/spec/engine_arguments.h"
#include "core/spec/job_paths.h"
#include "core/spec/job_tree.h"
#include "core/spec/local_path.h"
#include "core/spec/program_arguments.h"

namespace windrow {
namespace {

using Path = std::initializer_list<std::string_view>;

Mark said_by(std::string flag) { return {0, 0, std::move(flag)}; }

// Puts a value into the tree, adding the maps on the way. Does nothing when something that is no
// map stands in the way: the reader of the tree refuses that. What was bound to a pipeline gives
// way.
void put(Node& root, Path path, std::string text, const Mark& mark) {
  Node* node = &root;
  for (const std::string_view key : path) {
    if (node->kind == Node::Kind::kScalar && !refuse_parent(node->text)) *node = Node{.mark = mark};
    if (node->kind != Node::Kind::kMap && node->kind != Node::Kind::kNull) return;
    node = &node->child(key, mark);
  }
  *node = Node::scalar(std::move(text), mark);
}

// As put(), unless something is there already.
void put_default(Node& root, Path path, std::string text, const Mark& mark) {
  const Node* node = &root;
  for (const std::string_view key : path) {
    node = node->find(key);
    if (node == nullptr) return put(root, path, std::move(text), mark);
  }
}

// A path from the command line. One that is empty or no path stays as it is, for the reader to
// refuse.
std::string flag_path(const std::string& folder, const std::string& said) {
  const std::string path = local_path(said);
  return path.empty() || is_remote_path(path) ? path : join_path(folder, path);
}

// The same for an input, where `-` and the `@` of a list are not part of a path.
std::string flag_input(const std::string& folder, const std::string& path) {
  if (path == "-" || path == "@") return path;
  const bool list = path.starts_with('@');
  return (list ? "@" : "") + flag_path(folder, list ? path.substr(1) : path);
}

std::string text_of(const Node* node) { return node == nullptr ? "" : node->text; }

// The names of the inputs that are cut into mini-batches, as far as the tree says them.
std::vector<std::string> input_names(const Node& root) {
  std::vector<std::string> names;
  const Node* data = root.find("input_data");
  if (data != nullptr && data->kind == Node::Kind::kSequence) {
    for (const Node& item : data->items) {
      if (const auto reference = parse_lone_reference(item.text)) names.push_back(reference->name);
    }
  } else if (const auto reference = parse_lone_reference(text_of(data))) {
    names.push_back(reference->name);
  }
  const Node* inputs = root.find("inputs");
  if (names.empty() && inputs != nullptr && inputs->entries.size() == 1) {
    names.push_back(inputs->entries[0].key);
  }
  return names;
}

// The name of the output that gets the rows; empty when there is none.
std::string row_output_name(const Node& root) {
  const Node* task = root.find("task");
  if (task == nullptr) return "";
  const auto reference = parse_lone_reference(text_of(task->find("append_row_to")));
  return reference ? reference->name : "";
}

bool is_file_output(const Node& root, std::string_view name) {
  const Node* outputs = root.find("outputs");
  const Node* output = outputs == nullptr ? nullptr : outputs->find(name);
  return output != nullptr && text_of(output->find("type")) == "uri_file";
}

// The folder that --output means: of the rows, else the first one declared, else a new one.
std::string folder_output_name(const Node& root) {
  std::string rows = row_output_name(root);
  if (!rows.empty() && !is_file_output(root, rows)) return rows;
  if (const Node* outputs = root.find("outputs")) {
    for (const Entry& entry : outputs->entries) {
      if (!is_file_output(root, entry.key)) return entry.key;
    }
  }
  return "output";
}

std::string free_output_name(const Node& root, std::string name) {
  const Node* outputs = root.find("outputs");
  while (outputs != nullptr && outputs->find(name) != nullptr) name += '_';
  return name;
}

// Each --input is the path of one input, those of input_data first. Those that no name is left for
// get one and are added: data, data2, ...
void lay_inputs(Node& root, const std::vector<std::string>& paths, const std::string& folder) {
  const Mark mark = said_by("--input");
  std::vector<std::string> names = input_names(root);
  if (paths.size() > 1 && root.find("input_data") == nullptr) names.clear();
  const bool named = root.find("input_data") != nullptr;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (i == names.size()) names.push_back(i == 0 ? "data" : fmt::format("data{}", i + 1));
    put(root, {"inputs", names[i], "path"}, flag_input(folder, paths[i]), mark);
  }
  if (named && names.size() == input_names(root).size()) return;
  if (paths.size() == 1) {
    return put_default(root, {"input_data"}, "${{inputs." + names[0] + "}}", mark);
  }
  Node list{.kind = Node::Kind::kSequence, .mark = mark};
  for (const std::string& name : names) {
    list.items.push_back(Node::scalar("${{inputs." + name + "}}", mark));
  }
  if (root.kind == Node::Kind::kMap) root.child("input_data", mark) = std::move(list);
}

// A bare file name stands in the folder of --output, when that is given.
void lay_row_file(Node& root,
                  const std::string& file,
                  const std::optional<std::string>& output,
                  const std::string& current_folder) {
  const Mark mark = said_by("--append-row-to");
  const bool bare = file.find('/') == std::string::npos;
  const std::string folder =
      bare ? flag_path(current_folder, output.value_or(".")) : current_folder;
  std::string name = row_output_name(root);
  if (name.empty() || !is_file_output(root, name)) name = free_output_name(root, "rows");
  put(root, {"outputs", name, "type"}, "uri_file", mark);
  put(root, {"outputs", name, "path"}, flag_path(folder, file), mark);
  put(root, {"task", "append_row_to"}, "${{outputs." + name + "}}", mark);
}

// Rows that have a file of their own in the job file keep its name, in the folder of --output.
void lay_output(Node& root, const JobFlags& flags, const std::string& current_folder) {
  const std::string folder = flag_path(current_folder, *flags.output);
  const std::string rows = row_output_name(root);
  if (flags.append_row_to || !is_file_output(root, rows)) {
    return put(root, {"outputs", folder_output_name(root), "path"}, folder, said_by("--output"));
  }
  const std::string file = base_name(text_of(root.find("outputs")->find(rows)->find("path")));
  put(root,
      {"outputs", rows, "path"},
      join_path(folder, file.empty() ? std::string(kDefaultRowFile) : file),
      said_by("--output"));
}

Node short_form_tree(const std::string& script, const std::string& current_folder) {
  Node root;
  const Mark by_script = said_by(script);
  const std::string path = join_path(current_folder, script);
  put(root, {"type"}, "parallel", said_by("default"));
  if (script.ends_with(".py")) {
    put(root, {"task", "code"}, parent_folder(path), by_script);
    put(root, {"task", "entry_script"}, base_name(path), by_script);
  } else {
    const bool is_path = script.find('/') != std::string::npos;
    put(root, {"task", "code"}, join_path(current_folder, ""), by_script);
    put(root, {"task", "command"}, join_arguments({is_path ? path : script}), by_script);
  }
  return root;
}

}  // namespace

void lay_flags_over(Node& root, const JobFlags& flags, const std::string& current_folder) {
  const auto lay = [&root](const std::optional<std::string>& value, Path path, const char* flag) {
    if (value) put(root, path, *value, said_by(flag));
  };
  if (!flags.input.empty()) lay_inputs(root, flags.input, current_folder);
  if (flags.output) lay_output(root, flags, current_folder);
  if (flags.append_row_to) lay_row_file(root, *flags.append_row_to, flags.output, current_folder);
  lay(flags.mini_batch_size, {"mini_batch_size"}, "--mini-batch-size");
  lay(flags.workers, {"max_concurrency_per_instance"}, "--workers");
  lay(flags.timeout, {"retry_settings", "timeout"}, "--timeout");
  lay(flags.max_retries, {"retry_settings", "max_retries"}, "--max-retries");
  lay(flags.error_threshold, {"error_threshold"}, "--error-threshold");
  lay(flags.mini_batch_error_threshold,
      {"mini_batch_error_threshold"},
      "--mini-batch-error-threshold");
  lay(flags.logging_level, {"logging_level"}, "--logging-level");
  lay(flags.input_as, {"input_as"}, "--as");
  lay(flags.command_mode, {"task", "command_mode"}, "--command-mode");
  lay(flags.gpus, {"gpus"}, "--gpus");
  lay(flags.nice, {"nice"}, "--nice");
  lay(flags.name, {"name"}, "--name");
  lay(flags.retry_of, {"retry_of"}, "--retry-of");
  const auto lay_flag = [&root](bool said, Path path, const char* flag) {
    if (said) put(root, path, "true", said_by(flag));
  };
  lay_flag(flags.bisect, {"bisect_failed"}, "--bisect");
  lay_flag(flags.speculate, {"speculate"}, "--speculate");
  if (flags.job_dir) {
    put(root, {"job_dir"}, flag_path(current_folder, *flags.job_dir), said_by("--job-dir"));
  }
  if (flags.python) {
    const bool is_path = flags.python->find('/') != std::string::npos;
    put(root,
        {"python"},
        is_path ? join_path(current_folder, *flags.python) : *flags.python,
        said_by("--python"));
  }
  if (flags.arguments) {
    if (Node* task = root.find("task")) {  // one list of arguments, whatever the file calls it
      std::erase_if(task->entries, [](const Entry& entry) { return entry.key == "args"; });
    }
    put(root,
        {"task", "program_arguments"},
        join_arguments(*flags.arguments),
        said_by("arguments after --"));
  }
}

bool wants_no_input(const Node& root, const JobFlags& flags) {
  if (root.find("rank_mini_batch_count") != nullptr) return true;
  if (!flags.arguments) return false;
  return std::ranges::any_of(
      find_engine_arguments(*flags.arguments).known,
      [](const FoundArgument& found) { return found.known->key == "rank_mini_batch_count"; });
}

std::expected<JobReading, std::vector<Problem>> read_short_form(const std::string& script,
                                                                const JobFlags& flags,
                                                                const std::string& current_folder,
                                                                const SetValues& sets,
                                                                JobReading* rest) {
  std::vector<Problem> problems;
  if (script.empty() || script.ends_with('/') || base_name(script) == ".py") {
    problems.push_back({script.empty() ? "FILE" : script,
                        "is not a Python file (.py), job file (.yml, .yaml) or program"});
  }
  // So that the rest is checked too.
  const bool named = problems.empty();
  Node root = short_form_tree(named ? script : "score.py", current_folder);
  const std::vector<Problem> bad_sets = apply_sets(root, sets);
  problems.insert(problems.end(), bad_sets.begin(), bad_sets.end());
  JobFlags all = flags;
  if (all.input.empty() && input_names(root).empty() && !wants_no_input(root, flags)) {
    problems.push_back({"--input", "is missing; it names the folder to read"});
    all.input = {"."};  // so that the rest is checked too
  }
  lay_flags_over(root, all, current_folder);
  if (!all.append_row_to) {  // without a word about rows they stand in the output folder
    const std::string name = folder_output_name(root);
    put_default(root, {"outputs", name, "type"}, "uri_folder", said_by("default"));
    put_default(root, {"task", "append_row_to"}, "${{outputs." + name + "}}", said_by("default"));
  }
  auto reading = read_job_tree(
      root, TreeReader(script), current_folder, JobSource::kV2, named ? rest : nullptr);
  if (reading && problems.empty()) return reading;
  if (reading && named && rest != nullptr) *rest = *reading;
  if (!reading) {
    problems.insert(problems.end(), reading.error().begin(), reading.error().end());
  }
  return std::unexpected(std::move(problems));
}

}  // namespace windrow
