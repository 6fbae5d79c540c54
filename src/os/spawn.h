// SPDX-License-Identifier: Apache-2.0
//
// Other programs, started beside this one.
//
// Thread: any. Ownership: whoever starts a program waits for it. Failure: kUnavailable.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "os/descriptor.h"

namespace windrow {

struct Pipe {
  Descriptor reading;
  Descriptor writing;
};
Result<Pipe> make_pipe();

// Starts `program` with these descriptors as its 0, 1 and 2, and signals as a program expects them.
Result<pid_t> spawn(const std::string& program,
                    const std::vector<std::string>& argv,
                    const std::array<int, 3>& ends);

// Waits for the end of a program; gives its status as waitpid(2) does.
int wait_for_end(pid_t pid);

}  // namespace windrow
