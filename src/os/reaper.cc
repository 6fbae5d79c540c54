// SPDX-License-Identifier: Apache-2.0
#include "os/reaper.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <span>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/process_tree.h"

namespace windrow {
namespace {

constexpr Duration kKillLimit = std::chrono::seconds(10);
constexpr int kFirstSpare = 16;     // above every descriptor the worker inherits
constexpr int kFailureAt = 6;       // where the worker-to-be keeps the pipe that tells of a failure
constexpr int kOomScoreMore = 500;  // than the engine and its like have
constexpr int kOomScoreMax = 1000;

struct StartFailure {
  ReaperReport::Step step = ReaperReport::Step::kFork;
  std::int32_t error = 0;
};

std::uint64_t microseconds(const timeval& time) {
  return (static_cast<std::uint64_t>(time.tv_sec) * 1'000'000) +
         static_cast<std::uint64_t>(time.tv_usec);
}

void reset_signals() {
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &standard, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

// Best effort: without it the kernel chooses by size alone.
void volunteer_for_oom() {
  const Descriptor file(::open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC));
  if (!file) return;
  std::array<char, 16> text{};
  const ssize_t got = ::read(file.get(), text.data(), text.size());
  int score = 0;
  std::from_chars(text.data(), text.data() + std::max<ssize_t>(got, 0), score);
  const std::string wanted = std::to_string(std::min(score + kOomScoreMore, kOomScoreMax));
  [[maybe_unused]] const ssize_t written = ::pwrite(file.get(), wanted.data(), wanted.size(), 0);
}

// Puts the launch's descriptors at 1 to 5 and `failure` at 6; closes all others.
void arrange_descriptors(const WorkerLaunch& launch, int failure) {
  // First out of the way: a descriptor may lie where another one has to go.
  std::array<int, 5> spare{};
  for (std::size_t i = 0; i < spare.size(); ++i) {
    spare[i] = ::fcntl(launch.inherited[i].get(), F_DUPFD_CLOEXEC, kFirstSpare);
  }
  const int spare_failure = ::fcntl(failure, F_DUPFD_CLOEXEC, kFirstSpare);
  for (std::size_t i = 0; i < spare.size(); ++i) ::dup2(spare[i], static_cast<int>(i) + 1);
  ::dup3(spare_failure, kFailureAt, O_CLOEXEC);
  ::closefrom(kFailureAt + 1);
}

[[noreturn]] void fail_start(ReaperReport::Step step) {
  const StartFailure failure{step, errno};
  [[maybe_unused]] const ssize_t written = ::write(kFailureAt, &failure, sizeof failure);
  ::_exit(127);
}

[[noreturn]] void become_worker(const WorkerLaunch& launch, int failure, pid_t reaper) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != reaper) ::_exit(127);  // it died before the line above
  ::setsid();
  reset_signals();
  volunteer_for_oom();
  arrange_descriptors(launch, failure);
  if (::chdir(launch.working_folder.c_str()) != 0) fail_start(ReaperReport::Step::kEnterFolder);
  // NOLINTBEGIN(concurrency-mt-unsafe): this process has one thread
  if (launch.nice > 0) {
    static_cast<void>(::nice(static_cast<int>(launch.nice)));  // more than there is: the most
  }
  for (const std::string& name : launch.unset_environment) ::unsetenv(name.c_str());
  for (const auto& [name, value] : launch.set_environment) {
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  // NOLINTEND(concurrency-mt-unsafe)
  std::vector<char*> argv;
  argv.reserve(launch.argv.size() + 1);
  for (const std::string& argument : launch.argv) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  fail_start(ReaperReport::Step::kExecute);
}

class Reaper {
 public:
  explicit Reaper(WorkerLaunch launch) : launch_(std::move(launch)) {}

  void run() {
    if (!start_worker()) {
      report_.kind = ReaperReport::Kind::kNotStarted;
      report_.error = errno;
      send_report(launch_.control.get(), report_);
      return;
    }
    report_.pid = worker_;
    report_.reaper = ::getpid();
    send_report(launch_.control.get(), report_);
    wait_for_end_or_order();
    report_.kind = ReaperReport::Kind::kEnded;
    report_.status = SIGKILL;  // what a worker that even the kill below cannot end will die of
    if (!worker_has_ended()) {
      kill_asked_ = true;
      ::kill(worker_, SIGKILL);
    }
    // The worker is not waited for yet, so its number still names its group and no other.
    ::kill(-worker_, SIGKILL);
    kill_descendants(kKillLimit,
                     {.spared = nullptr, .reaped = [this](auto... child) { note_end(child...); }});
    note_start_failure();
    send_report(launch_.control.get(), report_);
  }

 private:
  bool start_worker() {
    std::array<int, 2> pipe{-1, -1};
    if (::pipe2(pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) return false;
    failure_ = Descriptor(pipe[0]);
    const Descriptor failure_in(pipe[1]);
    sigset_t child;
    ::sigemptyset(&child);
    ::sigaddset(&child, SIGCHLD);
    child_ended_ = Descriptor(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!child_ended_) return false;
    const pid_t reaper = ::getpid();
    worker_ = ::fork();
    if (worker_ < 0) return false;
    if (worker_ == 0) become_worker(launch_, failure_in.get(), reaper);
    for (Descriptor& descriptor : launch_.inherited) descriptor.reset();
    return true;
  }

  void wait_for_end_or_order() {
    std::array<pollfd, 2> sources{
        {{child_ended_.get(), POLLIN, 0}, {launch_.control.get(), POLLIN, 0}}};
    while (!worker_has_ended()) {
      if (::poll(sources.data(), sources.size(), -1) < 0) continue;
      if (sources[0].revents != 0) {
        signalfd_siginfo info{};
        while (::read(child_ended_.get(), &info, sizeof info) > 0) {
        }
        reap_others();
      }
      if (sources[1].revents != 0 && !asks_for_stack()) return;
    }
  }

  // Any other word from the engine is the order to kill, and so is its silence for ever.
  [[nodiscard]] bool asks_for_stack() const {
    char order = 0;
    const ssize_t got = ::recv(launch_.control.get(), &order, 1, MSG_DONTWAIT);
    if (got != 1 || order != kReaperShowStack) return false;
    ::kill(worker_, kStackSignal);
    return true;
  }

  [[nodiscard]] bool worker_has_ended() const {
    siginfo_t info{};
    const auto id = static_cast<id_t>(worker_);
    return ::waitid(P_PID, id, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == worker_;
  }

  // Orphans that came to us and have ended. The worker stays unreaped.
  void reap_others() const {
    for (;;) {
      siginfo_t info{};
      if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return;
      if (info.si_pid == 0 || info.si_pid == worker_) return;
      ::waitpid(info.si_pid, nullptr, WNOHANG);
    }
  }

  void note_end(pid_t child, int status, const rusage& usage) {
    if (child != worker_) return;
    report_.status = status;
    report_.memory_peak = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    report_.user_us = microseconds(usage.ru_utime);
    report_.system_us = microseconds(usage.ru_stime);
    const bool by_kill = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    report_.killed = kill_asked_ && by_kill ? 1 : 0;
  }

  void note_start_failure() {
    StartFailure failure;
    if (::read(failure_.get(), &failure, sizeof failure) != sizeof failure) return;
    report_.kind = ReaperReport::Kind::kNotStarted;
    report_.step = failure.step;
    report_.error = failure.error;
  }

  WorkerLaunch launch_;
  pid_t worker_ = -1;
  bool kill_asked_ = false;
  Descriptor failure_;      // reading end; empty once the worker's program runs
  Descriptor child_ended_;  // signalfd
  ReaperReport report_;
};

}  // namespace

void send_report(int control, const ReaperReport& report) {
  iovec part{const_cast<ReaperReport*>(&report), sizeof report};
  send_message(control, std::span(&part, 1), {});
}

void run_reaper(WorkerLaunch launch) {
  ::prctl(PR_SET_NAME, "windrow-reaper");
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  Reaper(std::move(launch)).run();
  ::_exit(0);
}

}  // namespace windrow
