// SPDX-License-Identifier: Apache-2.0
//
// Every key of a job file, in one table: what it means, what it may be, which argument of the
// script sets it too, and how its text becomes a field of JobSpec and text again. The reader of job
// files, the effective job, `windrow help settings` and the manual all go by it.
//
// Thread: any; a constant. Failure: read() refuses with what is allowed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/spec/job_spec.h"

namespace windrow {

// A value of a job file: as it stands there (a number, true, a word), text to be quoted, or a list.
struct SettingValue {
  enum class Kind { kUnset, kBare, kText, kList };
  Kind kind = Kind::kUnset;
  std::string text;                // of kBare and kText
  std::vector<std::string> items;  // of kList
  friend bool operator==(const SettingValue&, const SettingValue&) = default;
};

struct Setting {
  std::string_view key;       // `retry_settings.timeout`; `inputs.<n>.path` below a user's name
  std::string_view argument;  // the argument of the script that sets it too; without dashes
  std::string_view allowed;   // also part of every refusal of read()
  std::string_view unset;     // what it means not to be set; empty when it always is
  std::string_view meaning;
  // Null for keys that are more than one value: job_tree.cc reads them.
  Status (*read)(JobSpec& spec, std::string_view said);
  SettingValue (*write)(const JobSpec& spec);
};

// In the order of an effective job file: keys of one map stand together.
std::span<const Setting> settings();

// The last part of its key: `timeout`.
std::string_view leaf_of(const Setting& setting);

// The part before it: `retry_settings`; empty for a key of the root.
std::string_view group_of(const Setting& setting);

// The maps that hold settings, each once and before those inside it: `retry_settings`. The root,
// the task, inputs and outputs are not among them.
std::vector<std::string_view> setting_groups();

// The keys that may stand in the map `group` ("" for the root), each once.
std::vector<std::string_view> keys_in(std::string_view group);

}  // namespace windrow
