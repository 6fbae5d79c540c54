// SPDX-License-Identifier: Apache-2.0
//
// What the kernel tells of processes and disks beside the text of /proc.
//
// Thread: any. disk_space() blocks as long as the file system does. Failure: nothing, or zeros.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace windrow {

// The processes of this machine that /proc shows, in no order.
std::vector<int> process_numbers();

struct DiskSpace {
  std::uint64_t total = 0;  // bytes
  std::uint64_t used = 0;
  std::uint64_t available = 0;  // to a process without privileges
};
DiskSpace disk_space(const std::string& path);

// The units of /proc: clock ticks in a second, bytes in a page.
std::uint64_t ticks_per_second();
std::uint64_t page_size();

// Files that this process may have open at a time.
std::uint64_t descriptors_max();

// Whether this user may have one more watcher of files (inotify).
bool can_watch_files();

}  // namespace windrow
