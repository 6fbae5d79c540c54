// SPDX-License-Identifier: Apache-2.0
//
// Which control groups this process is in.
//
// Thread: any; text in, values out. Failure: a line that does not look as it should is left out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace windrow {

// The group that /proc/self/cgroup (`text`) names for a controller of version 1, as "/user.slice";
// with "" as the controller, the group of version 2.
std::optional<std::string> control_group(std::string_view text, std::string_view controller);

// The group and those around it up to the root, which is "". In a container the root is the group
// of its own, and the one that /proc/self/cgroup names may not be there.
std::vector<std::string> with_outer_groups(std::string group);

}  // namespace windrow
