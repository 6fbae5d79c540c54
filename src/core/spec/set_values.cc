// SPDX-License-Identifier: Apache-2.0
#include "core/spec/set_values.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/result.h"
#include "base/text.h"

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

std::vector<Problem> apply_sets(Node& root, const SetValues& sets) {
  std::vector<Problem> problems;
  for (const auto& [path, value] : sets) {
    const Mark mark{0, 0, fmt::format("--set {}={}", escape_bytes(path), escape_bytes(value))};
    if (const Status done = apply_set(root, path, value, mark); !done) {
      problems.push_back({mark.flag, done.error().message});
    }
  }
  return problems;
}

}  // namespace windrow
