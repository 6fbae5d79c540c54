// SPDX-License-Identifier: Apache-2.0
//
// A line of failed_items.jsonl for people: what failed, and why.
//
// Thread: any; values in, text out.
#pragma once

#include <string>
#include <string_view>

namespace windrow {

// "'/in/a.png': ValueError: no good"; empty when this is not such a line.
std::string failed_item_text(std::string_view line);

}  // namespace windrow
