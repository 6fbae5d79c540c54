// SPDX-License-Identifier: Apache-2.0
//
// Whole folders on the disk: how large they are, who works in them, and gone.
//
// A symbolic link is a name like any other, never a way to what it points to; what is mounted in a
// folder is not part of it.
//
// Thread: any; blocks. Failure: Error names the path and the reason.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace windrow {

// Files with several names, by device and inode.
using SharedFiles = std::set<std::pair<std::uint64_t, std::uint64_t>>;

struct TreeSize {
  std::uint64_t bytes = 0;  // as they lie on the disk
  WallTime newest;          // when something in it was last written to
};

// A file with several names counts when it is not in `seen`, to which it is added. What vanishes
// meanwhile is left out.
Result<TreeSize> measure_tree(const std::string& path, SharedFiles& seen);

// Removes the folder and everything in it. Fine when it, or a part of it, is gone already. A folder
// that may not be written to is made writable first.
Status remove_disk_tree(const std::string& path);

// The folders in a folder, by name, in order; those behind links are left out. Empty when there is
// no such folder.
std::vector<std::string> folders_in(const std::string& path);

// A process, its working folder and its command line, words divided by NUL.
struct ProcessPlace {
  int process = 0;
  std::string folder;
  std::string words;
};

// Every process of this machine that may be looked at.
std::vector<ProcessPlace> process_places();

// One that works in the folder, or was given a path in it. REQUIRES: a path without links.
std::optional<int> process_at(const std::vector<ProcessPlace>& places, const std::string& folder);

}  // namespace windrow
