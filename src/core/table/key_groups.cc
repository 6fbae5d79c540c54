// SPDX-License-Identifier: Apache-2.0
#include "core/table/key_groups.h"

#include <algorithm>
#include <utility>

#include <fmt/ranges.h>

#include "base/text.h"

namespace windrow {
namespace {

std::unexpected<Error> unknown_key(std::string_view key, const std::vector<std::string>& known) {
  return fail(ErrorCode::kInvalid,
              "there is no partition key '{}'; there {}",
              key,
              known.empty() ? std::string("is none (partition_by goes by columns of a table)")
                            : fmt::format("are {}", fmt::join(known, ", ")));
}

}  // namespace

Result<KeyGroups> KeyGroups::of(const KeyRules& rules) {
  KeyGroups out(rules);
  if (rules.format.empty()) return out;
  ASSIGN_OR_RETURN(out.format_, PartitionFormat::parse(rules.format));
  const std::vector<std::string>& known = out.format_->keys();
  for (const std::string& key : rules.keys) {
    const auto found = std::ranges::find(known, key);
    if (found == known.end()) return unknown_key(key, known);
    out.places_.push_back(static_cast<std::size_t>(found - known.begin()));
  }
  return out;
}

Result<std::vector<std::string>> KeyGroups::values_of(std::string_view path) const {
  std::vector<std::string> out;
  if (rules_.keys.empty()) return out;
  if (format_) {
    ASSIGN_OR_RETURN(std::vector<std::string> all, format_->match(path));
    for (const std::size_t place : places_) out.push_back(std::move(all[place]));
    return out;
  }
  ASSIGN_OR_RETURN(const auto all, match_hive(path));
  for (const std::string& key : rules_.keys) {
    const auto found = std::ranges::find(all, key, &std::pair<std::string, std::string>::first);
    if (found == all.end()) {
      std::vector<std::string> known;
      for (const auto& [name, value] : all) known.push_back(name);
      return fail(ErrorCode::kInvalid,
                  "{}: {} (keys are folders called {}=VALUE, or stand in a partition_format)",
                  path_in_quotes(path),
                  unknown_key(key, known).error().message,
                  key);
    }
    out.push_back(found->second);
  }
  return out;
}

Status KeyGroups::add(std::string_view path, std::string name) {
  ASSIGN_OR_RETURN(std::vector<std::string> values, values_of(path));
  groups_[std::move(values)].push_back(std::move(name));
  return {};
}

std::vector<std::vector<std::string>> KeyGroups::take() {
  std::vector<std::vector<std::string>> out;
  out.reserve(groups_.size());
  for (auto& [values, names] : groups_) out.push_back(std::move(names));
  groups_.clear();
  return out;
}

}  // namespace windrow
