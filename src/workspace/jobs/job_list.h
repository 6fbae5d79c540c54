// SPDX-License-Identifier: Apache-2.0
//
// The jobs in $WINDROW_HOME/jobs, each in a few words, for `windrow job list`.
//
// Quick for hundreds: of a job that is over its index is read, not its journals, and a job that is
// running is not asked. Changes nothing.
//
// Thread: any; blocks. Failure: what cannot be read is listed as such.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "os/file_system.h"
#include "workspace/jobs/caller.h"

namespace windrow {

struct ListedJob {
  std::string name;
  std::string folder;
  std::string state;  // running, completed, failed, canceled, unfinished or unreadable
  std::uint64_t batches = 0;
  std::uint64_t batches_done = 0;
  std::uint64_t items_failed = 0;
  WallTime began;                    // 0: it has not begun, or cannot be read
  std::string script;                // or the program in its place
  std::vector<std::string> results;  // of a completed job
};

// The newest first.
std::vector<ListedJob> list_jobs(FileSystem& fs, const Caller& caller);

}  // namespace windrow
