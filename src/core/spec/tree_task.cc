// SPDX-License-Identifier: Apache-2.0
//
// The task of a job: its script, its arguments, and the settings among them.
#include <algorithm>
#include <ranges>

#include <fmt/format.h>

#include "base/text.h"
#include "core/spec/engine_arguments.h"
#include "core/spec/job_keys.h"
#include "core/spec/job_paths.h"
#include "core/spec/job_sections.h"
#include "core/spec/v1_config.h"
#include "core/spec/yaml.h"

namespace windrow {
namespace {

bool check_references(JobTree& tree, const Place& place, const std::string& argument) {
  const auto references = find_references(argument);
  if (!references) {
    tree.reader.problem(place, references.error().message);
    return false;
  }
  return std::ranges::all_of(*references, [&](const Reference& reference) {
    if (!check_declared(tree, place, reference)) return false;
    if (reference.kind == Reference::Kind::kOutput || !tree.absent.contains(reference.name)) {
      return true;
    }
    tree.reader.problem(
        place,
        fmt::format("input '{}' has no value; write $[[--flag ${{{{inputs.{}}}}}]] so that the "
                    "argument goes with it",
                    reference.name,
                    reference.name));
    return false;
  });
}

// Words of a task, with the parts that go without an input that is not given left out.
std::optional<std::vector<std::string>> read_words(JobTree& tree,
                                                   const Place& task,
                                                   std::string_view key) {
  return tree.reader.value_at(
      task, key, [&tree](std::string_view said) -> Result<std::vector<std::string>> {
        ASSIGN_OR_RETURN(const std::string text,
                         resolve_optional_parts(said, [&tree](const Reference& reference) {
                           return !tree.absent.contains(reference.name);
                         }));
        return split_arguments(text);
      });
}

void read_command_mode(JobTree& tree, const Place& task) {
  constexpr std::string_view kModes[] = {"protocol", "lines", "filter"};
  const std::optional<std::string> mode = tree.reader.choice_at(task, "command_mode", kModes);
  if (mode == "lines") tree.spec.command_mode = CommandMode::kLines;
  if (mode == "filter") tree.spec.command_mode = CommandMode::kFilter;
}

// A program in place of a script. Its own words come before those of program_arguments.
void read_command(JobTree& tree, const Place& task) {
  read_command_mode(tree, task);
  if (task.node->find("entry_script")) {
    return tree.reader.problem_at(
        task, "command", "stands in place of entry_script; use one of the two");
  }
  const std::optional<std::string> code = path_at(tree, task, "code");
  tree.spec.code = code.value_or(join_path(tree.folder, ""));
  const auto words = read_words(tree, task, "command");
  if (!words) return;
  if (words->empty() || trimmed(words->front()).empty()) {
    return tree.reader.problem_at(task, "command", "is empty; it begins with a program");
  }
  const bool is_path = words->front().find('/') != std::string::npos;
  tree.spec.command = is_path ? join_path(tree.spec.code, words->front()) : words->front();
  tree.spec.arguments.assign(words->begin() + 1, words->end());
  for (const std::string& word : tree.spec.arguments) {
    if (!check_references(tree, *tree.reader.at(task, "command"), word)) return;
  }
}

void read_script(JobTree& tree, const Place& task) {
  const std::optional<std::string> script = tree.reader.text_at(task, "entry_script");
  if (!task.node->find("entry_script")) tree.reader.missing(task, "entry_script");
  if (task.node->find("command_mode")) {
    tree.reader.problem_at(task, "command_mode", "needs task.command, and there is none");
  }
  const std::optional<std::string> code = path_at(tree, task, "code");
  if (!script) return;
  if (trimmed(*script).empty()) {
    return tree.reader.problem_at(task, "entry_script", "is empty");
  }
  tree.spec.entry_script = join_path("", *script);
  if (code) {
    tree.spec.code = *code;
  } else if (!task.node->find("code")) {  // the folder of the script is its import root
    const bool module = script->find('/') == std::string::npos && !script->ends_with(".py");
    tree.spec.code =
        module ? join_path(tree.folder, "") : parent_folder(join_path(tree.folder, *script));
    tree.spec.entry_script = module ? *script : base_name(*script);
  }
}

// The key under which the file has the arguments of the script.
const char* arguments_key(const Place& task) {
  return task.node->find("args") ? "args" : "program_arguments";
}

// Words of task.command behind the program are arguments, and stand before the others.
void note_command_words(JobTree& tree, const Place& task, bool more) {
  const std::string words = tree.reader.where_is(*tree.reader.at(task, "command"));
  const std::optional<Place> place = tree.reader.at(task, arguments_key(task));
  tree.reader.set_origin(
      "task.program_arguments",
      more ? fmt::format("{} and {}", words, tree.reader.where_is(*place)) : words);
}

void read_arguments(JobTree& tree, const Place& task) {
  const bool twice = task.node->find("args") && task.node->find("program_arguments");
  if (twice) tree.reader.problem_at(task, "args", "program_arguments says the same; use one");
  const char* key = arguments_key(task);
  const std::optional<Place> place = tree.reader.at(task, key);
  if (!place || place->node->kind == Node::Kind::kNull) return;  // `program_arguments:` is none
  const auto arguments = read_words(tree, task, key);
  if (!arguments) return;
  tree.spec.arguments.insert(tree.spec.arguments.end(), arguments->begin(), arguments->end());
  for (const std::string& argument : *arguments) {
    if (!check_references(tree, *place, argument)) return;  // one problem for one key
  }
}

// Whether a path without a trailing slash is inside a folder, `..` taken by its word.
bool is_below(std::string_view folder, std::string_view path) {
  const auto parts = [](std::string_view text) {
    std::vector<std::string_view> out;
    for (const auto part : std::views::split(text, '/')) {
      const std::string_view word(part.begin(), part.end());
      if (word.empty() || word == ".") continue;
      if (word == ".." && !out.empty()) {
        out.pop_back();
      } else {
        out.push_back(word);
      }
    }
    return out;
  };
  const std::vector<std::string_view> above = parts(folder);
  const std::vector<std::string_view> whole = parts(path);
  return whole.size() > above.size() &&
         std::ranges::equal(above, whole | std::views::take(above.size()));
}

// The place of a setting in the tree; nothing when the job file does not say it.
std::optional<Place> place_of(JobTree& tree, const Setting& setting) {
  const std::optional<Place> map = group_at(tree, group_of(setting));
  return map ? tree.reader.at(*map, leaf_of(setting)) : std::nullopt;
}

void apply_argument(JobTree& tree, const Place& place, const FoundArgument& found) {
  const EngineArgument& argument = *found.known;
  const auto refuse = [&](std::string_view why) {
    tree.reader.problem(place, fmt::format("--{}: {}", argument.name, why));
  };
  if (argument.effect == EngineArgument::Effect::kNothing) return;
  if (!found.value) return refuse("a value is expected after it");
  if (argument.effect == EngineArgument::Effect::kRefused) {
    const std::string value = lower_case(*found.value);
    if (value != "false" && value != "0") refuse(argument.why);
    return;
  }
  const auto setting = std::ranges::find(settings(), argument.key, &Setting::key);
  const std::optional<Place> said = place_of(tree, *setting);
  const SettingValue before = setting->write(tree.spec);
  JobSpec changed = tree.spec;
  if (const Status done = setting->read(changed, engine_value(argument, *found.value)); !done) {
    return refuse(done.error().message);
  }
  const bool differs = said && setting->write(changed) != before;
  // A flag or --set is given for this one run, so it takes precedence over the file.
  if (said && said->node->mark.line == 0) {
    if (differs) {
      tree.reader.notice(place,
                         fmt::format("--{} is given to the script only: {} takes its place",
                                     argument.name,
                                     said->node->mark.flag));
    }
    return;
  }
  if (differs) {
    tree.reader.contradiction(
        *said,
        fmt::format("is not used: --{} among the arguments takes its place", argument.name),
        tree.spec.strict);
  }
  tree.spec = std::move(changed);
  tree.reader.set_origin(setting->key,
                         fmt::format("--{} in {}", argument.name, tree.reader.where_is(place)));
}

}  // namespace

void read_task(JobTree& tree) {
  const std::optional<Place> task = tree.reader.map_at(tree.root, "task", task_keys());
  if (!task) {
    if (!tree.root.node->find("task")) tree.reader.missing(tree.root, "task");
    return;
  }
  const std::optional<std::string> type = tree.reader.text_at(*task, "type");
  if (type == "model") {
    tree.reader.problem_at(
        *task, "type", "'model' is not a task of a job; models are run by batch deployments");
  } else if (type && type != "run_function" && type != "function") {
    tree.reader.problem_at(
        *task, "type", in_quotes(*type) + " is not known; allowed is run_function or function");
  }
  if (task->node->find("command")) {
    read_command(tree, *task);
  } else {
    read_script(tree, *task);
  }
  const std::size_t words = tree.spec.arguments.size();
  read_arguments(tree, *task);
  if (words > 0) note_command_words(tree, *task, tree.spec.arguments.size() > words);
  if (const auto target = tree.reader.at(*task, "append_row_to")) {
    tree.spec.append_row_to = reference_names(tree, *target, Reference::Kind::kOutput);
  }
  if (const auto environment = tree.reader.at(*task, "environment")) {
    tree.reader.notice(
        *environment, "is not used: the script runs with the interpreter that is printed at start");
  }
}

void check_v1(JobTree& tree) {
  const Place task_place{tree.root.node->find("task"), "task"};
  const JobSpec& read = tree.spec;
  const bool folder = task_place.node != nullptr && task_place.node->find("code") != nullptr;
  if (folder && !read.code.empty() && !read.entry_script.empty() &&
      !is_below(read.code, script_path(read))) {
    tree.reader.problem_at(
        task_place,
        "entry_script",
        fmt::format(
            "{} does not lie in source_directory, {}; move it there, or name a folder above "
            "it",
            in_quotes(read.entry_script),
            path_in_quotes(read.code)));
  }
  const std::string message = v1_arguments_problem(tree.spec.arguments);
  if (message.empty()) return;
  const Node* task = tree.root.node->find("task");
  tree.reader.problem_at({task, "task"}, arguments_key({task, "task"}), message);
}

void read_engine_arguments(JobTree& tree) {
  // The arguments of a program that is not an entry script are its own.
  if (tree.spec.arguments.empty() || !tree.spec.command.empty()) return;
  const Node* task = tree.root.node->find("task");
  const std::optional<Place> place =
      task == nullptr ? std::nullopt
                      : tree.reader.at({task, "task"}, arguments_key({task, "task"}));
  if (!place) return;
  std::vector<std::string> resolved;
  for (const std::string& argument : tree.spec.arguments) {
    resolved.push_back(replace_references(argument, [&tree](const Reference& reference) {
      const InputSpec* input = find_input(tree.spec, reference.name);
      const bool literal = reference.kind == Reference::Kind::kInput && input != nullptr &&
                           input->type == InputType::kLiteral;
      return literal ? input->paths.front() : "${{" + reference.name + "}}";
    }));
  }
  const FoundArguments found = find_engine_arguments(resolved);
  for (const std::string& sentence : found.misspelt) tree.reader.notice(*place, sentence);
  for (const FoundArgument& one : found.known) apply_argument(tree, *place, one);
}

}  // namespace windrow
