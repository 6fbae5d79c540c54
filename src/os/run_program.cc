// SPDX-License-Identifier: Apache-2.0
#include "os/run_program.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/clock_steady.h"
#include "os/machine.h"
#include "os/process_tree.h"
#include "os/spawn.h"
#include "os/stuck_helper.h"

namespace windrow {
namespace {

constexpr std::chrono::milliseconds kLookEvery{1000};
constexpr std::chrono::milliseconds kExitLookEvery{1};  // its output has ended, so it will soon

// A program that runs, until it has ended and its output with it.
class Running {
 public:
  Running(pid_t pid, Descriptor output, TimePoint end)
      : pid_(pid), output_(std::move(output)), end_(end) {}

  // Empty when it has ended by itself; else why it must be killed.
  std::string run(std::uint64_t max, std::string& into) {
    for (;;) {
      const TimePoint now = monotonic_now();
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - now);
      if (left.count() <= 0) return "took too long";
      const ProcessLook look = look_at(pid_);
      const bool ended = look.ended();
      if (ended && (!output_ || waited(ended_since_, now) >= kWakeAfter)) return "";
      if (!output_ && !ended && waited(closed_since_, now) >= kHungLimit) return "does not end";
      if (!look.stopped()) stopped_since_.reset();
      if (look.stopped()) {
        const HelperCare care = care_for_helper(waited(stopped_since_, now), true);
        if (care == HelperCare::kGiveUp) return "was stopped (SIGSTOP) and does not continue";
        if (care == HelperCare::kWake) ::kill(pid_, SIGCONT);
      }
      pollfd source{output_.get(), POLLIN, 0};  // poll leaves out -1
      const auto pause = std::min(left, output_ ? kLookEvery : kExitLookEvery);
      if (::poll(&source, 1, static_cast<int>(pause.count())) > 0) read_some(max, into);
    }
  }

 private:
  static Duration waited(std::optional<TimePoint>& since, TimePoint now) {
    if (!since) since = now;
    return now - *since;
  }

  void read_some(std::uint64_t max, std::string& into) {
    const ssize_t got = ::read(output_.get(), part_.data(), part_.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got <= 0) return output_.reset();
    const std::uint64_t room = max - std::min<std::uint64_t>(max, into.size());
    into.append(part_.data(), std::min(static_cast<std::uint64_t>(got), room));
  }

  pid_t pid_;
  Descriptor output_;
  TimePoint end_;
  std::optional<TimePoint> stopped_since_;
  std::optional<TimePoint> ended_since_;   // while somebody else still has its output
  std::optional<TimePoint> closed_since_;  // while it has not ended
  std::array<char, 16384> part_{};
};

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
  Running running(pid, std::move(output.reading), monotonic_now() + limit);
  const std::string trouble = running.run(max, end.output);
  if (!trouble.empty()) kill_tree(pid);
  end.status = wait_for_end(pid);
  if (trouble.empty()) return end;
  return fail(ErrorCode::kUnavailable, "{} {}: it was killed", *program, trouble);
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
