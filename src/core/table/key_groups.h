// SPDX-License-Identifier: Apache-2.0
//
// Which files belong together: those with the same values of some keys in their paths.
//
// Thread: one at a time. Failure: a format or a key that cannot be, and a path without the keys,
// each with what is allowed. Memory is that of all names.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/table/partition_format.h"

namespace windrow {

struct KeyRules {
  std::string format;             // see partition_format.h; empty: folders called key=value
  std::vector<std::string> keys;  // those that count, in this order; none: all belong together
  friend bool operator==(const KeyRules&, const KeyRules&) = default;
};

class KeyGroups {
 public:
  static Result<KeyGroups> of(const KeyRules& rules);

  // `path`: what the keys are looked for in; `name`: what is kept.
  Status add(std::string_view path, std::string name);

  // The names of each group, groups in order of their values, names as they came. Starts over.
  std::vector<std::vector<std::string>> take();

 private:
  explicit KeyGroups(KeyRules rules) : rules_(std::move(rules)) {}
  [[nodiscard]] Result<std::vector<std::string>> values_of(std::string_view path) const;

  KeyRules rules_;
  std::optional<PartitionFormat> format_;
  std::vector<std::size_t> places_;  // of the keys in the format
  std::map<std::vector<std::string>, std::vector<std::string>> groups_;
};

}  // namespace windrow
