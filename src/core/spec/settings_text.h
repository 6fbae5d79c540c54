// SPDX-License-Identifier: Apache-2.0
//
// The table of settings for people: `windrow help settings`, and docs/manual/settings.md.
//
// Thread: any; values in, values out.
#pragma once

#include <string>
#include <string_view>

namespace windrow {

// Every key with its range, default, argument and meaning, in paragraphs.
std::string settings_text();

// The rows as a Markdown table.
std::string settings_markdown();

// [{"key": ..., "argument": ..., "allowed": ..., "default": ..., "meaning": ...}, ...]
std::string settings_json();

}  // namespace windrow
