// SPDX-License-Identifier: Apache-2.0
#include "shadow.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace crash {
namespace {

[[noreturn]] void give_up(const char* what) {
  ::syscall(SYS_write, 2, what, std::strlen(what));
  std::abort();
}

int open_raw(const std::string& path, int flags) {
  const auto opened = ::syscall(SYS_openat, AT_FDCWD, path.c_str(), flags | O_CLOEXEC, 0644);
  if (opened < 0) give_up("crash shim: cannot open a shadow\n");
  return static_cast<int>(opened);
}

void write_all(int to, const char* bytes, std::size_t size) {
  while (size > 0) {
    const auto wrote = ::syscall(SYS_write, to, bytes, size);
    if (wrote <= 0) give_up("crash shim: cannot write a shadow\n");
    bytes += wrote;
    size -= static_cast<std::size_t>(wrote);
  }
}

std::string name_of(const std::string& shadow, const struct stat& status) {
  const char* kind = S_ISDIR(status.st_mode) ? "/d." : "/f.";
  return shadow + kind + std::to_string(status.st_ino);
}

void copy_file(int from, const std::string& path) {
  const int to = open_raw(path, O_WRONLY | O_CREAT | O_TRUNC);
  // A second opening, because the engine's own may be for writing only.
  const int again = open_raw("/proc/self/fd/" + std::to_string(from), O_RDONLY);
  char bytes[1U << 16];
  for (;;) {
    const auto got = ::syscall(SYS_read, again, bytes, sizeof(bytes));
    if (got < 0) give_up("crash shim: cannot read what was synced\n");
    if (got == 0) break;
    write_all(to, bytes, static_cast<std::size_t>(got));
  }
  ::syscall(SYS_close, again);
  ::syscall(SYS_close, to);
}

char kind_letter(unsigned char type) {
  switch (type) {
    case DT_REG:
      return 'f';
    case DT_DIR:
      return 'd';
    case DT_LNK:
      return 'l';
    default:
      return 's';
  }
}

void copy_names(int from, const std::string& path) {
  const int again = open_raw("/proc/self/fd/" + std::to_string(from), O_RDONLY | O_DIRECTORY);
  DIR* folder = ::fdopendir(again);
  if (folder == nullptr) give_up("crash shim: cannot list what was synced\n");
  std::string names;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is ours alone
  while (const dirent* entry = ::readdir(folder)) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    names += kind_letter(entry->d_type);
    names += " " + std::to_string(entry->d_ino) + " " + name + "\n";
  }
  ::closedir(folder);
  write_raw(path, O_WRONLY | O_CREAT | O_TRUNC, names);
}

}  // namespace

void shadow_forget(const std::string& shadow, int descriptor) {
  struct stat status{};
  if (::fstat(descriptor, &status) == 0)
    ::syscall(SYS_unlinkat, AT_FDCWD, name_of(shadow, status).c_str(), 0);
}

void shadow_keep(const std::string& shadow, int descriptor) {
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) give_up("crash shim: cannot look at what was synced\n");
  if (S_ISDIR(status.st_mode)) {
    copy_names(descriptor, name_of(shadow, status));
  } else {
    copy_file(descriptor, name_of(shadow, status));
  }
}

void write_raw(const std::string& path, int flags, const std::string& text) {
  const int to = open_raw(path, flags);
  write_all(to, text.data(), text.size());
  ::syscall(SYS_close, to);
}

}  // namespace crash
