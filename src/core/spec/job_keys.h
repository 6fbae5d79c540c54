// SPDX-License-Identifier: Apache-2.0
//
// The keys of a job file: which are built (settings.h has the table), which are known and not built
// yet, which mean nothing here, and where a key that stands in the wrong place belongs.
#pragma once

#include <span>
#include <string_view>

namespace windrow {

// A key that is written elsewhere, or under another name, in the same kind of file.
struct MovedKey {
  std::string_view key;
  std::string_view right;  // its full path
};

struct KeySet {
  std::span<const std::string_view> known;
  std::span<const std::string_view> not_yet;
  std::span<const std::string_view> idle;  // accepted with a notice
  std::span<const MovedKey> moved;
};

KeySet root_keys();
KeySet task_keys();
KeySet input_keys();
KeySet output_keys();
// Of one of setting_groups(): `retry_settings`.
KeySet group_keys(std::string_view group);

// What to do instead of a key that is not supported yet; empty when there is nothing to say.
std::string_view why_not_yet(std::string_view key);

}  // namespace windrow
