// SPDX-License-Identifier: Apache-2.0
#include "os/run_program.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/clock_steady.h"
#include "os/descriptor.h"
#include "os/machine.h"

namespace windrow {
namespace {

// What posix_spawn does in the child: descriptors, and signals as a program expects them.
class SpawnPlan {
 public:
  explicit SpawnPlan(int output) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, output, 1);
    ::posix_spawn_file_actions_addopen(&actions_, 2, "/dev/null", O_WRONLY, 0);
    ::posix_spawnattr_init(&attributes_);
    sigset_t signals;
    ::sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes_, &signals);
    ::sigfillset(&signals);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  int start(const std::string& program, const std::vector<std::string>& argv, pid_t& pid) {
    std::vector<char*> arguments;
    arguments.reserve(argv.size() + 1);
    for (const std::string& one : argv) arguments.push_back(const_cast<char*>(one.c_str()));
    arguments.push_back(nullptr);
    return ::posix_spawn(&pid, program.c_str(), &actions_, &attributes_, arguments.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// False when the time was up before its end.
bool read_until_end(int from, TimePoint end, std::uint64_t max, std::string& into) {
  std::array<char, 16384> part{};
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - monotonic_now()).count();
    if (left <= 0) return false;
    pollfd source{from, POLLIN, 0};
    const int ready = ::poll(&source, 1, static_cast<int>(std::min<std::int64_t>(left, 60000)));
    if (ready < 0 && errno != EINTR) return false;
    if (ready <= 0) continue;
    const ssize_t got = ::read(from, part.data(), part.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return got == 0;
    const std::uint64_t room = max - std::min<std::uint64_t>(max, into.size());
    into.append(part.data(), std::min(static_cast<std::uint64_t>(got), room));
  }
}

}  // namespace

Result<std::string> run_program(const std::vector<std::string>& argv,
                                Duration limit,
                                std::uint64_t max) {
  const std::optional<std::string> program = find_program(argv.front());
  if (!program) return fail(ErrorCode::kNotFound, "{}: no such program in PATH", argv.front());
  std::array<int, 2> pipe{-1, -1};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
    return fail(ErrorCode::kUnavailable, "cannot make a pipe: {}", reason(errno));
  }
  const Descriptor output(pipe[0]);
  Descriptor input(pipe[1]);
  pid_t pid = -1;
  const int error = SpawnPlan(input.get()).start(*program, argv, pid);
  if (error != 0) {
    return fail(ErrorCode::kUnavailable, "cannot start {}: {}", *program, reason(error));
  }
  input.reset();
  std::string text;
  const bool in_time = read_until_end(output.get(), monotonic_now() + limit, max, text);
  if (!in_time) ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) return fail(ErrorCode::kUnavailable, "{} took too long", *program);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return fail(ErrorCode::kUnavailable, "{} failed", *program);
  }
  return text;
}

}  // namespace windrow
