// SPDX-License-Identifier: Apache-2.0
#include "os/file_lock.h"

#include <cerrno>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>

#include "os/clock_steady.h"

namespace windrow {

Result<FileLock> FileLock::take(const std::string& path, Duration limit) {
  constexpr Duration kPause = std::chrono::milliseconds(2);
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file) return fail(ErrorCode::kUnavailable, "cannot open {}: {}", path, reason(errno));
  const TimePoint until = monotonic_now() + limit;
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return fail(ErrorCode::kUnavailable, "cannot lock {}: {}", path, reason(errno));
    }
    if (monotonic_now() >= until) {
      return fail(ErrorCode::kUnavailable,
                  "another windrow has been holding {} for too long; if it is stuck, end it",
                  path);
    }
    std::this_thread::sleep_for(kPause);
  }
  return FileLock(std::move(file));
}

}  // namespace windrow
