// SPDX-License-Identifier: Apache-2.0
#include "core/spec/job_file.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "core/spec/job_tree.h"
#include "core/spec/node.h"
#include "core/spec/set_values.h"
#include "core/spec/tree_reader.h"
#include "core/spec/v1_config.h"
#include "core/spec/yaml.h"

namespace windrow {
namespace {

// Arguments after -- stand in place of those in the file, not behind them.
void note_replaced_arguments(const Node& root, const JobFlags& flags, TreeReader& reader) {
  const Node* task = root.find("task");
  if (!flags.arguments || task == nullptr) return;
  for (const char* key : {"program_arguments", "args"}) {
    if (task->find(key) == nullptr) continue;
    reader.notice_at({task, "task"}, key, "is not used: the arguments after -- take its place");
  }
}

}  // namespace

std::expected<JobReading, std::vector<Problem>> read_job_file(const JobFileText& input,
                                                              JobReading* rest) {
  std::expected<Node, std::vector<Problem>> tree =
      parse_yaml(input.file, input.text, input.written_by_us ? kOwnYamlMax : kUserYamlMax);
  if (!tree) return std::unexpected(std::move(tree).error());
  const bool v1 = is_v1_config(*tree);
  const auto [before, after] = v1 ? split_v1_sets(input.set) : std::pair(input.set, SetValues());
  std::vector<Problem> flag_problems = apply_sets(*tree, before);
  TreeReader reader(input.file);
  JobFlags flags = input.flags;
  if (v1) {
    if (!input.needs_input && !flags.output) flags.output = ".";  // where it will be is open
    *tree = v1_to_v2(*tree, flags, input.current_folder, reader);
    for (Problem& problem : apply_sets(*tree, after)) flag_problems.push_back(std::move(problem));
    if (flags.input.empty() && !wants_no_input(*tree, flags)) {
      if (input.needs_input) {
        flag_problems.push_back(
            {"--input", "is missing; a parallel_run_config has none of its own"});
      }
      flags.input = {"."};  // so that the rest is checked too
    }
  }
  note_replaced_arguments(*tree, flags, reader);
  lay_flags_over(*tree, flags, input.current_folder);
  if (v1) keep_v1_names(*tree);
  const JobSource source = input.written_by_us ? JobSource::kEffective
                           : v1                ? JobSource::kV1
                                               : JobSource::kV2;
  auto reading = read_job_tree(*tree, std::move(reader), input.folder, source, rest);
  if (flag_problems.empty()) return reading;
  if (reading && rest != nullptr) *rest = *reading;
  std::vector<Problem> problems = reading ? std::vector<Problem>() : std::move(reading).error();
  problems.insert(problems.end(), flag_problems.begin(), flag_problems.end());
  return std::unexpected(std::move(problems));
}

std::string problems_text(const std::vector<Problem>& problems) {
  std::string out;
  for (const Problem& problem : problems) {
    fmt::format_to(
        std::back_inserter(out), "{}: {}\n", escape_bytes(problem.where), problem.message);
  }
  return out;
}

}  // namespace windrow
