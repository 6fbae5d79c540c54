// SPDX-License-Identifier: Apache-2.0
//
// Paths of this machine, as people and other programs write them. Pure string operations.
//
// Thread: any; values in, values out. Failure: none.
#pragma once

#include <string>
#include <string_view>

namespace windrow {

// `file:///data/my%20files` -> `/data/my files`; anything else as it is.
std::string local_path(std::string_view said);

// `~` and `~/data`, also behind the @ of a list -> that place in the home folder; else as it is.
std::string with_home(std::string_view said, std::string_view home);

}  // namespace windrow
