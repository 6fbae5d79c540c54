// SPDX-License-Identifier: Apache-2.0
//
// Inputs and outputs of a job, and the references to them.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "core/spec/job_keys.h"
#include "core/spec/job_paths.h"
#include "core/spec/job_sections.h"
#include "core/spec/local_path.h"
#include "core/spec/values.h"

namespace windrow {
namespace {

constexpr auto kInputTypes = std::to_array<std::string_view>(
    {"uri_folder", "uri_file", "mltable", "sql", "string", "number", "integer", "boolean"});
constexpr auto kModelTypes =
    std::to_array<std::string_view>({"custom_model", "mlflow_model", "triton_model"});
constexpr auto kInputModes = std::to_array<std::string_view>({"ro_mount", "download"});
constexpr auto kTableModes = std::to_array<std::string_view>(
    {"direct", "eval_mount", "eval_download", "ro_mount", "download"});
constexpr auto kOutputTypes = std::to_array<std::string_view>({"uri_folder", "uri_file"});
constexpr auto kOutputTypesNotYet = std::to_array<std::string_view>({"mltable"});
constexpr auto kOutputModes = std::to_array<std::string_view>({"rw_mount", "upload"});
constexpr auto kOutputModesNotYet = std::to_array<std::string_view>({"direct"});

// `instead`: what to do about a path that is somewhere else.
Status check_local(std::string_view said, std::string_view instead) {
  if (said.empty()) return fail(ErrorCode::kInvalid, "is empty; a path is expected");
  RETURN_IF_ERROR(refuse_parent(said));
  if (is_remote_path(said)) {
    return fail(
        ErrorCode::kInvalid, "{} is not a path of this machine; {}", in_quotes(said), instead);
  }
  return {};
}

bool is_list(std::string_view path) { return path == "-" || path.starts_with('@'); }

// A path of an input: `-` and the `@` of a list of paths stay what they are.
Result<std::string> input_path(std::string_view folder, std::string_view said) {
  if (said == "-") return std::string(said);
  const bool list = said.starts_with('@');
  const std::string path = local_path(said.substr(list ? 1 : 0));
  RETURN_IF_ERROR(check_local(path,
                              "copy what is there to this machine, and give that path here (with "
                              "type uri_folder or uri_file) or by --input"));
  return (list ? "@" : "") + join_path(folder, path);
}

std::vector<std::string> read_paths(JobTree& tree, const Place& input) {
  std::vector<std::string> paths;
  const std::optional<Place> place = tree.reader.at(input, "path");
  if (!place) {
    tree.reader.missing(input, "path");
    return paths;
  }
  for (const Place& one : one_or_many(tree, *place)) {
    const std::optional<std::string> said = tree.reader.text(one);
    if (!said) continue;
    Result<std::string> path = input_path(tree.folder, *said);
    if (path) {
      paths.push_back(*std::move(path));
    } else {
      tree.reader.problem(one, path.error().message);
    }
  }
  return paths;
}

// On a command line a list is JSON text; a glob may begin with a bracket too.
std::vector<std::string> globs_of(const std::string& said) {
  const Result<Json> json = parse_json(said);
  const auto* const list = json ? json->get<Json::Array>() : nullptr;
  if (list == nullptr) return {said};
  std::vector<std::string> globs;
  for (const Json& one : *list) {
    const auto* const glob = one.get<std::string>();
    if (glob == nullptr || glob->empty()) return {said};
    globs.push_back(*glob);
  }
  return globs;
}

std::vector<std::string> read_ignored(JobTree& tree, const Place& input) {
  std::vector<std::string> globs;
  for (const std::string_view key : {"ignore", "input_ignore"}) {
    const std::optional<Place> place = tree.reader.at(input, key);
    if (!place) continue;
    for (const Place& one : one_or_many(tree, *place)) {
      const std::optional<std::string> said = tree.reader.text(one);
      if (said && said->empty()) tree.reader.problem(one, "is empty; a glob is expected");
      if (!said || said->empty()) continue;
      for (std::string& glob : globs_of(*said)) globs.push_back(std::move(glob));
    }
  }
  return globs;
}

Status check_literal(std::string_view type, std::string_view value) {
  if (type == "boolean" && !parse_bool(value)) {
    return fail(ErrorCode::kInvalid, "{} is not true or false", in_quotes(value));
  }
  if (type == "integer" && !parse_integer(value, {INT64_MIN, INT64_MAX})) {
    return fail(ErrorCode::kInvalid, "{} is not a whole number", in_quotes(value));
  }
  if (type == "number" && !is_number(value)) {
    return fail(ErrorCode::kInvalid, "{} is not a number", in_quotes(value));
  }
  return {};
}

void read_literal(JobTree& tree,
                  const Place& place,
                  const std::string& name,
                  std::string_view type) {
  refuse_keys(
      tree,
      place,
      type,
      {"path", "mode", "ignore", "input_ignore", "partition_format", "connection", "query"});
  const std::optional<Place> value = tree.reader.at(place, "default");
  const auto optional = tree.reader.value_at(place, "optional", parse_bool);
  if (!value) {
    if (optional == true) {
      tree.absent.insert(name);
    } else {
      tree.reader.missing(place, "default");
    }
    return;
  }
  const std::optional<std::string> said = tree.reader.text(*value);
  if (!said) return;
  if (const Status valid = check_literal(type, *said); !valid) {
    return tree.reader.problem(*value, valid.error().message);
  }
  tree.spec.inputs.push_back({.name = name, .type = InputType::kLiteral, .paths = {*said}});
}

void read_files(JobTree& tree, const Place& place, const std::string& name, std::string_view type) {
  if (place.node->find("default")) {
    tree.reader.problem_at(place, "default", "is only for values; a folder or file has a path");
  }
  for (const std::string_view key : {"connection", "query"}) {
    if (place.node->find(key)) tree.reader.problem_at(place, key, "is only for type sql");
  }
  const bool table = type == "mltable";
  const std::optional<std::string> mode = tree.reader.text_at(place, "mode");
  if (table && mode) {
    tree.reader.choice_at(place, "mode", kTableModes);
  } else if (mode == "download") {
    tree.reader.notice_at(place, "mode", "has no effect: the data are read where they are");
  } else if (mode == "direct" || mode == "eval_mount" || mode == "eval_download") {
    tree.reader.problem_at(
        place,
        "mode",
        fmt::format("'{}' is for tables; with {} it is ro_mount or download", *mode, type));
  } else if (mode) {
    tree.reader.choice_at(place, "mode", kInputModes);
  }
  const auto optional = tree.reader.value_at(place, "optional", parse_bool);
  if (optional == true && !place.node->find("path")) {
    tree.absent.insert(name);
    return;
  }
  InputSpec input{.name = name,
                  .type = table                ? InputType::kMlTable
                          : type == "uri_file" ? InputType::kFile
                                               : InputType::kFolder,
                  .paths = read_paths(tree, place),
                  .ignore = read_ignored(tree, place),
                  .partition_format = tree.reader.text_at(place, "partition_format").value_or(""),
                  .as_files = table && mode && mode != "direct"};
  if (table && (input.paths.size() > 1 || (!input.paths.empty() && is_list(input.paths[0])))) {
    tree.reader.problem_at(place, "path", "is one folder, the one with the file MLTable");
  }
  if (!input.paths.empty()) tree.spec.inputs.push_back(std::move(input));
}

// A model is read as any folder or file is; the kinds of models are known to a workspace alone.
bool refuse_model(JobTree& tree, const Place& place, std::string_view instead) {
  const Node* type = place.node->find("type");
  if (type == nullptr || std::ranges::find(kModelTypes, type->text) == kModelTypes.end()) {
    return false;
  }
  tree.reader.problem_at(
      place, "type", fmt::format("'{}' is not supported yet; {}", type->text, instead));
  return true;
}

void read_input(JobTree& tree, const Place& place, const std::string& name) {
  check_name(tree, place, name);
  tree.inputs.insert(name);
  if (is_of_parent(tree, place)) return;
  if (place.node->kind == Node::Kind::kScalar) {
    tree.spec.inputs.push_back(
        {.name = name, .type = InputType::kLiteral, .paths = {place.node->text}});
    return;
  }
  if (!tree.reader.is_map(place)) return;
  tree.reader.check_keys(place, input_keys());
  tree.reader.text_at(place, "description");
  if (refuse_model(tree,
                   place,
                   "use uri_folder, or uri_file for a model in one file, with its path on this "
                   "machine")) {
    return;
  }
  const bool typed = place.node->find("type") != nullptr;
  const auto type = tree.reader.choice_at(place, "type", kInputTypes);
  if (typed && !type) return;
  if (!type || type->starts_with("uri_") || *type == "mltable") {
    read_files(tree, place, name, type.value_or("uri_folder"));
  } else if (*type == "sql") {
    read_query(tree, place, name);
  } else {
    read_literal(tree, place, name, *type);
  }
}

void read_output(JobTree& tree, const Place& place, const std::string& name) {
  check_name(tree, place, name);
  tree.outputs.insert(name);
  if (is_of_parent(tree, place)) return;
  OutputSpec output;
  output.name = name;
  if (place.node->kind != Node::Kind::kNull && tree.reader.is_map(place)) {
    tree.reader.check_keys(place, output_keys());
    if (refuse_model(tree, place, "use uri_folder, and register what the script writes there")) {
      return;
    }
    const auto type = tree.reader.choice_at(place, "type", kOutputTypes, kOutputTypesNotYet);
    if (type == "uri_file") output.type = OutputType::kFile;
    const auto mode = tree.reader.choice_at(place, "mode", kOutputModes, kOutputModesNotYet);
    if (mode == "upload") {
      tree.reader.notice_at(place, "mode", "has no effect: files are written where they stay");
    }
    output.path = path_at(tree, place, "path");
  }
  tree.spec.outputs.push_back(std::move(output));
}

// What only an input that is cut into mini-batches may be.
void check_side_inputs(JobTree& tree) {
  const std::optional<Place> inputs = tree.reader.at(tree.root, "inputs");
  for (const InputSpec& input : tree.spec.inputs) {
    const bool cut =
        std::ranges::find(tree.spec.input_data, input.name) != tree.spec.input_data.end();
    const bool many = input.paths.size() > 1 || is_list(input.paths.front());
    if (!cut && input.type == InputType::kSql) {
      tree.reader.problem_at(
          *inputs, input.name, "is not in input_data; a query is only asked for rows");
      continue;
    }
    if (input.type == InputType::kLiteral || cut || !many || tree.spec.input_data.empty()) continue;
    tree.reader.problem_at(
        *inputs, input.name, "is not in input_data, so its path is one folder or file");
  }
}

// What is written where the input is read becomes input.
void note_shared_folders(JobTree& tree) {
  for (const OutputSpec& output : tree.spec.outputs) {
    if (!output.path || output.type == OutputType::kFile) continue;
    const bool shared = std::ranges::any_of(tree.spec.input_data, [&](const std::string& name) {
      const InputSpec* input = find_input(tree.spec, name);
      return input != nullptr &&
             std::ranges::find(input->paths, *output.path) != input->paths.end();
    });
    if (!shared) continue;
    const Node* outputs = tree.root.node->find("outputs");
    tree.reader.notice_at(
        {outputs->find(output.name), "outputs." + output.name},
        "path",
        "is the input folder too: rows are kept apart, but any other file that is written there is "
        "an item of the next run, and in the way of resuming this one; choose another folder");
  }
}

}  // namespace

void read_inputs(JobTree& tree) {
  const std::optional<Place> inputs = tree.reader.at(tree.root, "inputs");
  if (!inputs || !tree.reader.is_map(*inputs)) return;
  for (const Entry& entry : inputs->node->entries) {
    read_input(tree, tree.reader.child(*inputs, entry), entry.key);
  }
}

void read_input_data(JobTree& tree) {
  const bool rank = tree.spec.rank_mini_batch_count.has_value();
  if (!tree.root.node->find("inputs") && !rank) tree.reader.missing(tree.root, "inputs");
  const std::optional<Place> data = tree.reader.at(tree.root, "input_data");
  if (!data) {
    if (!rank) tree.reader.missing(tree.root, "input_data");
    return;
  }
  tree.spec.input_data = reference_names(tree, *data, Reference::Kind::kInput);
  for (const std::string& name : tree.spec.input_data) {
    const InputSpec* input = find_input(tree.spec, name);
    if (input != nullptr && input->type == InputType::kLiteral) {
      tree.reader.problem(*data, fmt::format("input '{}' is a value, not a folder or file", name));
    } else if (tree.absent.contains(name)) {
      tree.reader.problem(*data, fmt::format("input '{}' has no path", name));
    }
  }
  check_side_inputs(tree);
  note_shared_folders(tree);
}

void read_outputs(JobTree& tree) {
  const std::optional<Place> outputs = tree.reader.at(tree.root, "outputs");
  if (!outputs || !tree.reader.is_map(*outputs)) return;
  for (const Entry& entry : outputs->node->entries) {
    read_output(tree, tree.reader.child(*outputs, entry), entry.key);
  }
}

std::optional<std::string> path_at(JobTree& tree, const Place& map, std::string_view key) {
  return tree.reader.value_at(map, key, [&tree](std::string_view said) -> Result<std::string> {
    const std::string path = local_path(said);
    RETURN_IF_ERROR(check_local(path, "give a folder or file on this machine"));
    return join_path(tree.folder, path);
  });
}

const InputSpec* find_input(const JobSpec& spec, std::string_view name) {
  const auto found = std::ranges::find(spec.inputs, name, &InputSpec::name);
  return found == spec.inputs.end() ? nullptr : &*found;
}

void refuse_keys(JobTree& tree,
                 const Place& place,
                 std::string_view type,
                 std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (place.node->find(key) == nullptr) continue;
    tree.reader.problem_at(place, key, fmt::format("does not go with type {}", type));
  }
}

void check_name(JobTree& tree, const Place& place, const std::string& name) {
  if (const Status valid = check_binding_name(name); !valid) {
    tree.reader.problem(place, valid.error().message);
  }
}

}  // namespace windrow
