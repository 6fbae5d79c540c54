// SPDX-License-Identifier: Apache-2.0
#include "os/piped_program.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <limits>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/time.h"
#include "os/machine.h"
#include "os/pipe_reader.h"
#include "os/spawn.h"

namespace windrow {
namespace {

constexpr std::size_t kErrorsMax = 16U << 10;
constexpr std::size_t kChunk = 64U << 10;

// How often to look whether a program waits, and how long none may say anything that cannot be seen
// to.
constexpr Duration kPauseMin = std::chrono::microseconds(20);
constexpr Duration kPauseMax = std::chrono::milliseconds(5);
constexpr Duration kQuietFor = std::chrono::milliseconds(50);

std::uint64_t lines_in(std::string_view text) {
  return static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
}

}  // namespace

Result<std::unique_ptr<PipedProgram>> PipedProgram::start(const std::vector<std::string>& argv) {
  const std::optional<std::string> program = find_program(argv.front());
  if (!program) {
    return fail(ErrorCode::kUnavailable, "there is no program {} to execute", argv.front());
  }
  ASSIGN_OR_RETURN(Pipe input, make_pipe());
  ASSIGN_OR_RETURN(Pipe output, make_pipe());
  ASSIGN_OR_RETURN(Pipe errors, make_pipe());
  const std::array ends{input.reading.get(), output.writing.get(), errors.writing.get()};
  ASSIGN_OR_RETURN(const pid_t pid, spawn(*program, argv, ends));
  ::fcntl(input.writing.get(), F_SETFL, O_NONBLOCK);
  return std::unique_ptr<PipedProgram>(new PipedProgram(
      pid, std::move(input.writing), std::move(output.reading), std::move(errors.reading)));
}

PipedProgram::PipedProgram(pid_t pid, Descriptor input, Descriptor output, Descriptor errors)
    : pid_(pid), input_(std::move(input)), output_(std::move(output)), error_(std::move(errors)) {}

PipedProgram::~PipedProgram() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  wait_for_end(pid_);
}

std::string PipedProgram::quiet() {
  std::string out;
  Duration pause = kPauseMin;
  Duration waited{};
  while (output_ && out.empty()) {
    // Asked first: what it wrote before it began to wait is in the pipe then.
    const PipeReader reader = pipe_reader(pid_, input_.get());
    const bool over =
        reader == PipeReader::kWaits || (reader == PipeReader::kUnknown && waited >= kQuietFor);
    std::array<pollfd, 2> ends{{{output_.get(), POLLIN, 0}, {error_.get(), POLLIN, 0}}};
    const timespec limit{.tv_sec = 0, .tv_nsec = over ? 0 : pause.count()};
    if (::ppoll(ends.data(), ends.size(), &limit, nullptr) < 0) continue;
    if (ends[1].revents != 0) pass_on_errors();
    if (ends[0].revents != 0) {
      read_some(output_, out);
    } else if (over) {
      break;
    }
    waited += pause;
    pause = std::min(2 * pause, kPauseMax);
  }
  return out;
}

std::string PipedProgram::exchange(std::string_view input, std::uint64_t lines) {
  std::string out = pump(input, lines, false);
  if (lines_in(out) == lines && out.ends_with('\n')) out += quiet();
  return out;
}

std::string PipedProgram::exchange_last(std::string_view input) {
  return pump(input, std::numeric_limits<std::uint64_t>::max(), true);
}

std::string PipedProgram::wait() {
  pump("", std::numeric_limits<std::uint64_t>::max(), true);
  const int status = wait_for_end(pid_);
  pid_ = -1;
  while (error_) pass_on_errors();
  if (WIFSIGNALED(status)) return fmt::format("was killed by signal {}", WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : fmt::format("exited with {}", WEXITSTATUS(status));
}

std::string PipedProgram::pump(std::string_view input, std::uint64_t lines, bool last) {
  std::string out;
  std::uint64_t have = 0;
  if (last && input.empty()) input_.reset();
  while (output_ && have < lines) {
    std::array<pollfd, 3> ends{{{output_.get(), POLLIN, 0},
                                {error_.get(), POLLIN, 0},
                                {input.empty() ? -1 : input_.get(), POLLOUT, 0}}};
    if (::poll(ends.data(), ends.size(), -1) < 0) continue;
    if (ends[1].revents != 0) pass_on_errors();
    if (ends[2].revents != 0) {
      write_some(input);
      if (last && input.empty()) input_.reset();
    }
    if (ends[0].revents != 0) {
      const std::size_t before = out.size();
      read_some(output_, out);
      have += lines_in(std::string_view(out).substr(before));
    }
  }
  return out;
}

// False at the end of the pipe, which is closed then.
bool PipedProgram::read_some(Descriptor& from, std::string& into) const {
  const std::size_t before = into.size();
  into.resize(before + kChunk);
  const ssize_t got = ::read(from.get(), into.data() + before, kChunk);
  into.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (got == 0 || (got < 0 && errno != EINTR)) from.reset();
  return got != 0;
}

void PipedProgram::write_some(std::string_view& rest) {
  const ssize_t written = ::write(input_.get(), rest.data(), rest.size());
  if (written >= 0) {
    rest.remove_prefix(static_cast<std::size_t>(written));
  } else if (errno != EINTR && errno != EAGAIN) {  // it has closed its input
    rest = {};
    input_.reset();
  }
}

void PipedProgram::pass_on_errors() {
  std::string news;
  read_some(error_, news);
  write_out(2, news);
  errors_ += news;
  if (errors_.size() > kErrorsMax) errors_.erase(0, errors_.size() - kErrorsMax);
}

}  // namespace windrow
