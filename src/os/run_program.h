// SPDX-License-Identifier: Apache-2.0
//
// The output of a small program of the system's, such as ps.
//
// Thread: any; blocks until the program ends or its time is up. The engine never forks once it has
// threads: this starts the program as vfork does, in a child that copies nothing and takes no lock.
// Ownership: nothing is left running. Failure: kNotFound without such a program, kUnavailable when
// it could not be started, ended otherwise than with 0 or took too long.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace windrow {

// Standard output of argv, at most `max` bytes of it; argv[0] is looked up in PATH. Its input and
// standard error are /dev/null. REQUIRES: argv is not empty.
Result<std::string> run_program(const std::vector<std::string>& argv,
                                Duration limit,
                                std::uint64_t max);

}  // namespace windrow
