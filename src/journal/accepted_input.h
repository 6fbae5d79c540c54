// SPDX-License-Identifier: Apache-2.0
//
// That a job continued with files which are newer than its plan, because the user said so:
// `state/accepted_input.<epoch>` (docs/formats/job-folder.md).
//
// Thread: any; blocks. Failure: of the file system.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "os/file_system.h"

namespace windrow {

struct AcceptedInput {
  std::uint64_t files = 0;
  std::string first;  // path of the first of them, escaped
  WallTime up_to;     // changes of files up to then are accepted
};

// "2 files are newer than the plan and were accepted, the first: '/in/a'"
std::string accepted_text(const AcceptedInput& accepted);

// Durable when it returns.
Status write_accepted_input(FileSystem& fs,
                            const std::string& state_folder,
                            Epoch epoch,
                            const AcceptedInput& accepted);

// All of a job, in order of epochs. What cannot be read is left out.
std::vector<AcceptedInput> read_accepted_input(FileSystem& fs, const std::string& state_folder);

// Changes of files up to then were accepted.
WallTime accepted_up_to(FileSystem& fs, const std::string& state_folder);

}  // namespace windrow
