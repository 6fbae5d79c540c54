// SPDX-License-Identifier: Apache-2.0
#include "os/disk_tree.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <functional>
#include <memory>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/words.h"
#include "os/descriptor.h"
#include "os/machine.h"

namespace windrow {
namespace {

constexpr std::uint64_t kBlock = 512;  // the unit of st_blocks, whatever the file system
constexpr std::uint64_t kWordsMax = 1U << 20;

std::unexpected<Error> cannot(std::string_view what, const std::string& path, int error) {
  return fail(ErrorCode::kUnavailable, "cannot {} {}: {}", what, path, reason(error));
}

std::int64_t written_ns(const struct stat& status) {
  return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

// An open folder, and all names in it.
struct OpenFolder {
  Descriptor descriptor;
  std::vector<std::string> names;
};

Result<OpenFolder> open_folder(int above, const char* name, const std::string& path) {
  OpenFolder folder;
  folder.descriptor.reset(::openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.descriptor && errno == ENOENT) return folder;
  if (!folder.descriptor) return cannot("open", path, errno);
  const int copy = ::fcntl(folder.descriptor.get(), F_DUPFD_CLOEXEC, 0);
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(copy), ::closedir);
  if (!entries) return cannot("list", path, errno);
  // NOLINTNEXTLINE(concurrency-mt-unsafe): only one thread reads this stream
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string_view one = entry->d_name;
    if (one != "." && one != "..") folder.names.emplace_back(one);
  }
  return folder;
}

// What is done with each name. `folder` is the one that holds it.
struct Visit {
  // Before its content, if it is a folder.
  std::function<void(int folder, const char* name, const struct stat&)> before;
  // After it.
  std::function<Status(int folder, const char* name, const struct stat&, const std::string& path)>
      after;
};

Status walk(
    int above, const char* name, const std::string& path, dev_t device, const Visit& visit) {
  struct stat status{};
  if (::fstatat(above, name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return errno == ENOENT ? Status() : cannot("look at", path, errno);
  }
  if (S_ISDIR(status.st_mode) && device != 0 && status.st_dev != device) {
    return fail(ErrorCode::kConflict, "{} is another file system; unmount it first", path);
  }
  visit.before(above, name, status);
  if (S_ISDIR(status.st_mode)) {
    ASSIGN_OR_RETURN(const OpenFolder folder, open_folder(above, name, path));
    for (const std::string& below : folder.names) {
      const std::string at = fmt::format("{}/{}", path, below);
      RETURN_IF_ERROR(walk(folder.descriptor.get(), below.c_str(), at, status.st_dev, visit));
    }
  }
  return visit.after(above, name, status, path);
}

bool lies_in(std::string_view path, const std::string& folder) {
  return path == folder || path.starts_with(folder + "/");
}

}  // namespace

Result<TreeSize> measure_tree(const std::string& path, SharedFiles& seen) {
  TreeSize size;
  const Visit visit{
      .before =
          [&](int, const char*, const struct stat& status) {
            size.newest.nanoseconds = std::max(size.newest.nanoseconds, written_ns(status));
            const bool shared = S_ISREG(status.st_mode) && status.st_nlink > 1;
            if (shared && !seen.emplace(status.st_dev, status.st_ino).second) return;
            size.bytes += static_cast<std::uint64_t>(status.st_blocks) * kBlock;
          },
      .after = [](int, const char*, const struct stat&, const std::string&) { return Status(); }};
  RETURN_IF_ERROR(walk(AT_FDCWD, path.c_str(), path, 0, visit));
  return size;
}

Status remove_disk_tree(const std::string& path) {
  const Visit visit{
      .before =
          [](int folder, const char* name, const struct stat& status) {
            if (!S_ISDIR(status.st_mode) || (status.st_mode & S_IRWXU) == S_IRWXU) return;
            static_cast<void>(::fchmodat(folder, name, S_IRWXU, 0));  // else the removal says why
          },
      .after =
          [](int folder, const char* name, const struct stat& status, const std::string& at) {
            const int flags = S_ISDIR(status.st_mode) ? AT_REMOVEDIR : 0;
            if (::unlinkat(folder, name, flags) == 0 || errno == ENOENT) return Status();
            return Status(cannot("remove", at, errno));
          }};
  return walk(AT_FDCWD, path.c_str(), path, 0, visit);
}

std::vector<std::string> folders_in(const std::string& path) {
  const Descriptor opened(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const auto folder = open_folder(opened.get(), ".", path);
  std::vector<std::string> out;
  if (!opened || !folder) return out;
  for (const std::string& name : folder->names) {
    struct stat status{};
    const bool there = ::fstatat(opened.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
    if (there && S_ISDIR(status.st_mode)) out.push_back(name);
  }
  std::ranges::sort(out);
  return out;
}

std::vector<ProcessPlace> process_places() {
  std::vector<ProcessPlace> out;
  for (const std::string& name : folders_in("/proc")) {
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    ProcessPlace place{.process = std::stoi(name)};
    std::array<char, PATH_MAX> text{};
    const ssize_t length =
        ::readlink(fmt::format("/proc/{}/cwd", name).c_str(), text.data(), text.size());
    if (length > 0) place.folder.assign(text.data(), static_cast<std::size_t>(length));
    place.words = read_whole_file(fmt::format("/proc/{}/cmdline", name), kWordsMax).value_or("");
    out.push_back(std::move(place));
  }
  return out;
}

std::optional<int> process_at(const std::vector<ProcessPlace>& places, const std::string& folder) {
  for (const ProcessPlace& place : places) {
    if (lies_in(place.folder, folder)) return place.process;
    for (const std::string& word : split_at_nul(place.words)) {
      if (lies_in(word, folder)) return place.process;
    }
  }
  return std::nullopt;
}

}  // namespace windrow
