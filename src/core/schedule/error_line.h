// SPDX-License-Identifier: Apache-2.0
//
// A failure in one line, for people.
//
// Thread: any; values in, text out.
#pragma once

#include <string>
#include <string_view>

namespace windrow {

// "ValueError: the first line of its message"; the death of a process is a sentence of its own.
std::string error_line(std::string_view type, std::string_view message);

}  // namespace windrow
