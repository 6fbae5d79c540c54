// SPDX-License-Identifier: Apache-2.0
//
// Files of /proc, which are there while a process is.
//
// Thread: any.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace windrow {

// The whole of a file of /proc; nothing when it is not there any more, or may not be read.
std::optional<std::string> read_proc(const std::string& path);

// The numbers among the names in a folder of /proc.
std::vector<pid_t> numbers_in(const std::string& folder);

}  // namespace windrow
