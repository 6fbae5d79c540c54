// SPDX-License-Identifier: Apache-2.0
//
// Counts every call of the engine that changes a file, and makes one of them the last or a failure.
//
// To be preloaded (LD_PRELOAD), with the settings of fate.h in the environment. Acts in the process
// that loaded it first and only if its program is windrow: not in the zygote and the reapers that
// are forked off it, not in Python.
//
// All calls that count run one at a time, so that their numbers are their order.
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <mutex>
#include <string>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "fate.h"
#include "shadow.h"

namespace crash {
namespace {

std::mutex mutex;

// The function that the engine meant.
template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

// Runs a call that changes `path`: `call(half)` does it, the first half of it when asked and
// possible; `after(result)` looks at what it did.
template <class Call, class After>
auto counted(const char* name, const std::string& path, Call call, After after)
    -> decltype(call(false)) {
  const std::lock_guard<std::mutex> lock(mutex);
  const Fate fate = next_fate(name, path);
  if (fate.fails) {
    errno = settings->error;
    return -1;
  }
  const auto result = call(fate.half);
  const int error = errno;
  if (result >= 0 && !settings->shadow.empty()) after(static_cast<int>(result));
  if (fate.last) die();
  errno = error;
  return result;
}

template <class Call>
auto counted(const char* name, const std::string& path, Call call) -> decltype(call(false)) {
  return counted(name, path, call, [](int) {});
}

int open_counted(const char* name, int folder, const char* path, int flags, mode_t mode) {
  static auto* const kNext = real<int(int, const char*, int, ...)>("openat64");
  const auto call = [&](bool) { return kNext(folder, path, flags, mode); };
  const bool makes = (flags & (O_CREAT | O_TRUNC)) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  if (!makes || !acts_here() || !counts(path_of(folder, path))) return call(false);
  struct stat status{};
  const bool unnamed = (flags & O_TMPFILE) == O_TMPFILE;
  if (unnamed && settings->named) {
    errno = EOPNOTSUPP;
    return -1;
  }
  const bool existed = !unnamed && ::fstatat(folder, path, &status, 0) == 0;
  return counted(name, path_of(folder, path), call, [&](int opened) {
    if (!existed) shadow_forget(settings->shadow, opened);
  });
}

int sync_counted(const char* name, int descriptor) {
  auto* const kNext = real<int(int)>(name);
  const auto call = [&](bool) { return kNext(descriptor); };
  if (!acts_here()) return call(false);
  const std::string path = path_of(descriptor);
  if (!counts(path)) return call(false);
  return counted(name, path, call, [&](int) { shadow_keep(settings->shadow, descriptor); });
}

template <class Call>
auto on_path(const char* name, int folder, const char* path, Call call) -> decltype(call(false)) {
  if (!acts_here()) return call(false);
  const std::string whole = path_of(folder, path);
  if (!counts(whole)) return call(false);
  return counted(name, whole, call);
}

template <class Call>
auto on_file(const char* name, int descriptor, Call call) -> decltype(call(false)) {
  if (!acts_here()) return call(false);
  const std::string path = path_of(descriptor);
  if (!counts(path)) return call(false);
  return counted(name, path, call);
}

int mkdir_counted(const char* name, int folder, const char* path, mode_t mode) {
  static auto* const kNext = real<int(int, const char*, mode_t)>("mkdirat");
  const auto call = [&](bool) { return kNext(folder, path, mode); };
  if (!acts_here() || !counts(path_of(folder, path))) return call(false);
  return counted(name, path_of(folder, path), call, [&](int) {
    const auto made = ::syscall(SYS_openat, folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (made < 0) return;
    shadow_forget(settings->shadow, static_cast<int>(made));
    ::syscall(SYS_close, made);
  });
}

std::size_t halved(std::size_t size, bool half) { return half ? size / 2 : size; }

mode_t mode_of(int flags, va_list arguments) {
  const bool has = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return has ? va_arg(arguments, mode_t) : 0;
}

}  // namespace
}  // namespace crash

// libc's own names from here on. Both spellings of a call have the same body.
using namespace crash;  // NOLINT(google-build-using-namespace)

#define OPEN_BODY(folder)                        \
  va_list arguments;                             \
  va_start(arguments, flags);                    \
  const mode_t mode = mode_of(flags, arguments); \
  va_end(arguments);                             \
  return open_counted("open", folder, path, flags, mode)

extern "C" {

int open(const char* path, int flags, ...) { OPEN_BODY(AT_FDCWD); }
int open64(const char* path, int flags, ...) { OPEN_BODY(AT_FDCWD); }
int openat(int folder, const char* path, int flags, ...) { OPEN_BODY(folder); }
int openat64(int folder, const char* path, int flags, ...) { OPEN_BODY(folder); }
int creat(const char* path, mode_t mode) {
  return open_counted("open", AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}
int creat64(const char* path, mode_t mode) { return creat(path, mode); }

ssize_t write(int file, const void* bytes, std::size_t size) {
  static auto* const kNext = real<ssize_t(int, const void*, std::size_t)>("write");
  return on_file("write", file, [&](bool half) { return kNext(file, bytes, halved(size, half)); });
}

ssize_t pwrite64(int file, const void* bytes, std::size_t size, off64_t at) {
  static auto* const kNext = real<ssize_t(int, const void*, std::size_t, off64_t)>("pwrite64");
  return on_file(
      "write", file, [&](bool half) { return kNext(file, bytes, halved(size, half), at); });
}
ssize_t pwrite(int file, const void* bytes, std::size_t size, off_t at) {
  return pwrite64(file, bytes, size, at);
}

ssize_t writev(int file, const iovec* parts, int n) {
  static auto* const kNext = real<ssize_t(int, const iovec*, int)>("writev");
  return on_file(
      "write", file, [&](bool half) { return kNext(file, parts, half ? (n + 1) / 2 : n); });
}

ssize_t pwritev64(int file, const iovec* parts, int n, off64_t at) {
  static auto* const kNext = real<ssize_t(int, const iovec*, int, off64_t)>("pwritev64");
  return on_file(
      "write", file, [&](bool half) { return kNext(file, parts, half ? (n + 1) / 2 : n, at); });
}
ssize_t pwritev(int file, const iovec* parts, int n, off_t at) {
  return pwritev64(file, parts, n, at);
}

int fsync(int file) { return sync_counted("fsync", file); }
int fdatasync(int file) { return sync_counted("fdatasync", file); }

int linkat(int from_folder, const char* from, int folder, const char* path, int flags) {
  static auto* const kNext = real<int(int, const char*, int, const char*, int)>("linkat");
  return on_path(
      "link", folder, path, [&](bool) { return kNext(from_folder, from, folder, path, flags); });
}
int link(const char* from, const char* path) { return linkat(AT_FDCWD, from, AT_FDCWD, path, 0); }

int renameat2(int from_folder, const char* from, int folder, const char* path, unsigned flags) {
  static auto* const kNext = real<int(int, const char*, int, const char*, unsigned)>("renameat2");
  return on_path(
      "rename", folder, path, [&](bool) { return kNext(from_folder, from, folder, path, flags); });
}
int renameat(int from_folder, const char* from, int folder, const char* path) {
  return renameat2(from_folder, from, folder, path, 0);
}
int rename(const char* from, const char* path) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, path, 0);
}

int unlinkat(int folder, const char* path, int flags) {
  static auto* const kNext = real<int(int, const char*, int)>("unlinkat");
  return on_path("unlink", folder, path, [&](bool) { return kNext(folder, path, flags); });
}
int unlink(const char* path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char* path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char* path) {
  const int removed = unlinkat(AT_FDCWD, path, 0);
  return removed != 0 && errno == EISDIR ? unlinkat(AT_FDCWD, path, AT_REMOVEDIR) : removed;
}

int mkdirat(int folder, const char* path, mode_t mode) {
  return mkdir_counted("mkdir", folder, path, mode);
}
int mkdir(const char* path, mode_t mode) { return mkdir_counted("mkdir", AT_FDCWD, path, mode); }

int ftruncate64(int file, off64_t size) {
  static auto* const kNext = real<int(int, off64_t)>("ftruncate64");
  return on_file("truncate", file, [&](bool) { return kNext(file, size); });
}
int ftruncate(int file, off_t size) { return ftruncate64(file, size); }
int truncate64(const char* path, off64_t size) {
  static auto* const kNext = real<int(const char*, off64_t)>("truncate64");
  return on_path("truncate", AT_FDCWD, path, [&](bool) { return kNext(path, size); });
}
int truncate(const char* path, off_t size) { return truncate64(path, size); }
int fallocate64(int file, int mode, off64_t at, off64_t size) {
  static auto* const kNext = real<int(int, int, off64_t, off64_t)>("fallocate64");
  return on_file("fallocate", file, [&](bool) { return kNext(file, mode, at, size); });
}
int fallocate(int file, int mode, off_t at, off_t size) {
  return fallocate64(file, mode, at, size);
}

int symlinkat(const char* target, int folder, const char* path) {
  static auto* const kNext = real<int(const char*, int, const char*)>("symlinkat");
  return on_path("symlink", folder, path, [&](bool) { return kNext(target, folder, path); });
}
int symlink(const char* target, const char* path) { return symlinkat(target, AT_FDCWD, path); }

// A socket with a name is an entry of a folder.
int bind(int socket, const sockaddr* address, socklen_t size) {
  static auto* const kNext = real<int(int, const sockaddr*, socklen_t)>("bind");
  const auto call = [&](bool) { return kNext(socket, address, size); };
  const auto* const named = reinterpret_cast<const sockaddr_un*>(address);
  if (named->sun_family != AF_UNIX || named->sun_path[0] != '/') return call(false);
  return on_path("bind", AT_FDCWD, named->sun_path, call);
}

// State is never written through a mapping: nobody could say what of it is durable.
void* mmap64(
    void* address, std::size_t size, int protection, int flags, int file, off64_t at) noexcept {
  static auto* const kNext = real<void*(void*, std::size_t, int, int, int, off64_t)>("mmap64");
  const bool writes = (protection & PROT_WRITE) != 0 && (flags & MAP_SHARED) != 0 && file >= 0;
  if (writes && acts_here() && counts(path_of(file))) std::abort();
  return kNext(address, size, protection, flags, file, at);
}
void* mmap(
    void* address, std::size_t size, int protection, int flags, int file, off_t at) noexcept {
  return mmap64(address, size, protection, flags, file, at);
}

}  // extern "C"
