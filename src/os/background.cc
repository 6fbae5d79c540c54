// SPDX-License-Identifier: Apache-2.0
#include "os/background.h"

#include <array>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace windrow {

Result<Background> Background::split() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail(ErrorCode::kUnavailable, "cannot make a pipe: {}", reason(errno));
  }
  Descriptor reads(ends[0]);
  Descriptor writes(ends[1]);
  const pid_t copy = ::fork();
  if (copy < 0) return fail(ErrorCode::kUnavailable, "cannot fork: {}", reason(errno));
  return Background(copy == 0 ? std::move(writes) : std::move(reads), copy);
}

void Background::detach(std::string_view word) {
  ::setsid();
  const Descriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (null) ::dup2(null.get(), standard);
  }
  while (!word.empty()) {
    const ssize_t written = ::write(pipe_.get(), word.data(), word.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    word.remove_prefix(static_cast<std::size_t>(written));
  }
  pipe_.reset();
}

Background::Ending Background::wait() {
  Ending ending;
  std::array<char, 4096> chunk{};
  for (;;) {
    const ssize_t got = ::read(pipe_.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    ending.word.append(chunk.data(), static_cast<std::size_t>(got));
  }
  if (!ending.word.empty()) return ending;
  int status = 0;
  while (::waitpid(copy_, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int kBySignal = 128;  // as shells say it
  ending.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : kBySignal + WTERMSIG(status);
  return ending;
}

}  // namespace windrow
