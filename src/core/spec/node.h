// SPDX-License-Identifier: Apache-2.0
//
// A job file as a tree, before anyone has decided what its keys mean. Text, --set and flags all
// become this one tree, so that one reader understands them and words the refusals.
//
// Thread: plain values. Ownership: a node owns what is below it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace windrow {

// Where a node was given: a place in the file, or (line 0) the flag or --set that gave it.
struct Mark {
  std::uint32_t line = 0;  // from 1
  std::uint32_t column = 0;
  std::string flag;
};

struct Node;

struct Entry;

struct Node {
  enum class Kind { kNull, kScalar, kSequence, kMap };

  Kind kind = Kind::kNull;
  Mark mark;
  std::string text;            // of a scalar; bytes
  std::vector<Node> items;     // of a sequence
  std::vector<Entry> entries;  // of a map, in order; keys are unique

  // The value behind a key; nullptr when there is none or this is not a map.
  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);

  // The value behind a key of this map, added (null) at the end when it is missing; a null node
  // becomes a map first. REQUIRES: a map or null.
  Node& child(std::string_view key, const Mark& said);

  static Node scalar(std::string text, Mark said);
};

struct Entry {
  std::string key;
  Mark mark;  // of the key
  Node value;
};

}  // namespace windrow
