// SPDX-License-Identifier: Apache-2.0
#include "core/spec/node.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace windrow {

const Node* Node::find(std::string_view key) const {
  const auto found = std::ranges::find(entries, key, &Entry::key);
  return found == entries.end() ? nullptr : &found->value;
}

Node* Node::find(std::string_view key) { return const_cast<Node*>(std::as_const(*this).find(key)); }

Node& Node::child(std::string_view key, const Mark& said) {
  const bool may_have_keys = kind == Kind::kMap || kind == Kind::kNull;
  CHECK(may_have_keys);
  if (kind == Kind::kNull) {
    kind = Kind::kMap;
    mark = said;
  }
  if (Node* present = find(key)) return *present;
  entries.push_back({std::string(key), said, {}});
  entries.back().value.mark = said;
  return entries.back().value;
}

Node Node::scalar(std::string text, Mark said) {
  Node node;
  node.kind = Kind::kScalar;
  node.mark = std::move(said);
  node.text = std::move(text);
  return node;
}

}  // namespace windrow
