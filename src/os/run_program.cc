// SPDX-License-Identifier: Apache-2.0
#include "os/run_program.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/clock_steady.h"
#include "os/machine.h"
#include "os/spawn.h"

namespace windrow {
namespace {

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

std::string ended_by(const ProgramEnd& end) {
  return WIFSIGNALED(end.status) ? fmt::format("signal {}", WTERMSIG(end.status))
                                 : fmt::format("exit code {}", WEXITSTATUS(end.status));
}

Result<ProgramEnd> run_to_end(const std::vector<std::string>& argv,
                              Duration limit,
                              std::uint64_t max,
                              const std::string& errors) {
  const std::optional<std::string> program = find_program(argv.front());
  if (!program) return fail(ErrorCode::kNotFound, "{}: no such program in PATH", argv.front());
  const Descriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  Descriptor log;
  if (!errors.empty()) {
    log = Descriptor(::open(errors.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  }
  const int second = log.get() >= 0 ? log.get() : null.get();
  ASSIGN_OR_RETURN(Pipe output, make_pipe());
  ASSIGN_OR_RETURN(const pid_t pid,
                   spawn(*program, argv, {null.get(), output.writing.get(), second}));
  output.writing.reset();
  ProgramEnd end;
  const bool in_time =
      read_until_end(output.reading.get(), monotonic_now() + limit, max, end.output);
  if (!in_time) ::kill(pid, SIGKILL);
  end.status = wait_for_end(pid);
  if (!in_time) return fail(ErrorCode::kUnavailable, "{} took too long", *program);
  return end;
}

Result<std::string> run_program(const std::vector<std::string>& argv,
                                Duration limit,
                                std::uint64_t max) {
  ASSIGN_OR_RETURN(ProgramEnd end, run_to_end(argv, limit, max));
  if (!WIFEXITED(end.status) || WEXITSTATUS(end.status) != 0) {
    return fail(ErrorCode::kUnavailable, "{} failed", argv.front());
  }
  return std::move(end.output);
}

}  // namespace windrow
