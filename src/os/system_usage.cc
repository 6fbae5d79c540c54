// SPDX-License-Identifier: Apache-2.0
#include "os/system_usage.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include <dirent.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "os/descriptor.h"

namespace windrow {

std::vector<int> process_numbers() {
  std::vector<int> out;
  DIR* folder = ::opendir("/proc");
  if (folder == nullptr) return out;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is ours alone
  while (const dirent* entry = ::readdir(folder)) {
    const std::string_view name = entry->d_name;
    int number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc() && end == name.data() + name.size()) out.push_back(number);
  }
  ::closedir(folder);
  return out;
}

DiskSpace disk_space(const std::string& path) {
  struct statvfs status{};
  if (::statvfs(path.c_str(), &status) != 0) return {};
  const std::uint64_t unit = status.f_frsize;
  return {.total = status.f_blocks * unit,
          .used = (status.f_blocks - std::min(status.f_bfree, status.f_blocks)) * unit,
          .available = status.f_bavail * unit};
}

std::uint64_t ticks_per_second() {
  return static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_CLK_TCK)));
}

std::uint64_t page_size() {
  return static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_PAGESIZE)));
}

std::uint64_t descriptors_max() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : UINT64_MAX;
}

bool can_watch_files() { return static_cast<bool>(Descriptor(::inotify_init1(IN_CLOEXEC))); }

}  // namespace windrow
