// SPDX-License-Identifier: Apache-2.0
#include "core/spec/job_file.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/result.h"
#include "base/text.h"
#include "core/spec/job_tree.h"
#include "core/spec/node.h"
#include "core/spec/tree_reader.h"
#include "core/spec/v1_config.h"
#include "core/spec/yaml.h"

namespace windrow {
namespace {

constexpr std::size_t kSetDepthMax = 16;

// "a.b.c" -> a, b, c; empty when a key is empty or there are too many.
std::vector<std::string> keys_of(const std::string& path) {
  std::vector<std::string> keys;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('.', at), path.size());
    keys.push_back(path.substr(at, end - at));
    at = end + 1;
    if (keys.back().empty() || keys.size() > kSetDepthMax) return {};
  }
  return keys;
}

// Puts the value of one --set into the tree; the reason when it has no place there.
Status apply_set(Node& root, const std::string& path, const std::string& value, const Mark& mark) {
  const std::vector<std::string> keys = keys_of(path);
  if (keys.empty()) {
    return fail(ErrorCode::kInvalid,
                "{} is not a path of keys, as in retry_settings.timeout",
                in_quotes(path));
  }
  Node* node = &root;
  for (const std::string& key : keys) {
    if (node->kind != Node::Kind::kMap && node->kind != Node::Kind::kNull) {
      return fail(ErrorCode::kInvalid,
                  "{} has no place: a value stands where keys are expected",
                  in_quotes(key));
    }
    node = &node->child(key, mark);
  }
  *node = Node::scalar(value, mark);
  return {};
}

}  // namespace

std::expected<JobReading, std::vector<Problem>> read_job_file(const JobFileText& input) {
  std::expected<Node, std::vector<Problem>> tree =
      parse_yaml(input.file, input.text, input.written_by_us ? kOwnYamlMax : kUserYamlMax);
  if (!tree) return std::unexpected(std::move(tree).error());
  std::vector<Problem> flag_problems;
  for (const auto& [path, value] : input.set) {
    const Mark mark{0, 0, fmt::format("--set {}={}", escape_bytes(path), escape_bytes(value))};
    if (const Status done = apply_set(*tree, path, value, mark); !done) {
      flag_problems.push_back({mark.flag, done.error().message});
    }
  }
  TreeReader reader(input.file);
  JobFlags flags = input.flags;
  const bool v1 = is_v1_config(*tree);
  if (v1) {
    *tree = v1_to_v2(*tree, flags, input.current_folder, reader);
    if (!flags.input) {
      flag_problems.push_back({"--input", "is missing; a parallel_run_config has none of its own"});
      flags.input = ".";  // so that the rest is checked too
    }
  }
  lay_flags_over(*tree, flags, input.current_folder);
  const JobSource source = input.written_by_us ? JobSource::kEffective
                           : v1                ? JobSource::kV1
                                               : JobSource::kV2;
  auto reading = read_job_tree(*tree, std::move(reader), input.folder, source);
  if (flag_problems.empty()) return reading;
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
