// SPDX-License-Identifier: Apache-2.0
#include "os/zygote.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/words.h"
#include "os/clock_steady.h"
#include "os/packet_socket.h"
#include "os/process_tree.h"
#include "os/reaper.h"
#include "os/stuck_helper.h"

namespace windrow {
namespace {

// A request is one packet of one byte with seven descriptors: a memory file with the text below,
// the worker's 1 to 5, the reaper's end of the control socket.
constexpr std::size_t kRequestDescriptors = 7;
constexpr std::size_t kRequestNumbers = 3;  // that the text begins with
constexpr int kSocketAt = 3;
constexpr Duration kStrayLimit = std::chrono::seconds(1);
constexpr Duration kStrayRetryLimit = std::chrono::milliseconds(50);  // new workers wait meanwhile
constexpr Duration kEndLimit = std::chrono::seconds(15);              // a reaper gives up after 10
constexpr int kRetryMilliseconds = 200;

// Number of arguments, number of variables to unset, nice, arguments, names to unset, folder, then
// name and value of each variable; each ended by NUL.
std::string encode(const WorkerCommand& command) {
  std::string text;
  const auto add = [&text](const std::string& part) {
    text += part;
    text += '\0';
  };
  add(std::to_string(command.argv.size()));
  add(std::to_string(command.unset_environment.size()));
  add(std::to_string(command.nice));
  for (const std::string& argument : command.argv) add(argument);
  for (const std::string& name : command.unset_environment) add(name);
  add(command.working_folder);
  for (const auto& [name, value] : command.set_environment) {
    add(name);
    add(value);
  }
  return text;
}

bool decode(std::string_view request, WorkerLaunch& into) {
  std::vector<std::string> parts = split_at_nul(request);
  if (parts.size() < kRequestNumbers) return false;
  const auto number = [&parts](std::size_t index) {
    std::size_t value = 0;
    const std::string& text = parts[index];
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  };
  const std::size_t arguments = number(0);
  const std::size_t unset = number(1);
  into.nice = static_cast<std::uint32_t>(number(2));
  if (arguments == 0 || parts.size() < kRequestNumbers + arguments + unset + 1) return false;
  auto part = std::make_move_iterator(parts.begin() + kRequestNumbers);
  const auto end = std::make_move_iterator(parts.end());
  for (std::size_t i = 0; i < arguments; ++i) into.argv.push_back(*part++);
  for (std::size_t i = 0; i < unset; ++i) into.unset_environment.push_back(*part++);
  into.working_folder = *part++;
  while (end - part >= 2) {
    std::string name = *part++;
    into.set_environment.emplace_back(std::move(name), *part++);
  }
  return true;
}

// The request is our own engine's, so its memory file is whole and stays so.
std::string read_memory(int file) {
  struct stat status{};
  if (::fstat(file, &status) != 0) return {};
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  const ssize_t got = ::pread(file, text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

// The zygote's own life.
class Starter {
 public:
  explicit Starter(Descriptor socket) : socket_(std::move(socket)) {}

  void run() {
    sigset_t child;
    ::sigemptyset(&child);
    ::sigaddset(&child, SIGCHLD);
    child_ended_ = Descriptor(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
    while (socket_) serve();
    const TimePoint began = monotonic_now();
    for (Duration owed{}; clean_up() && owed < kEndLimit; owed = monotonic_now() - began) {
      for (const Child& reaper : reapers_) care_for(reaper.pid, owed);
      wait(kRetryMilliseconds);
    }
    for (const Child& reaper : reapers_) ::kill(reaper.pid, SIGKILL);
    if (!reapers_.empty()) clean_up();
  }

 private:
  struct Child {
    pid_t pid = -1;
    Descriptor control;  // kept so that the engine sees no end before the strays are gone
  };

  [[nodiscard]] bool is_reaper(pid_t pid) const {
    return std::ranges::any_of(reapers_, [pid](const Child& child) { return child.pid == pid; });
  }

  static void care_for(pid_t reaper, Duration owed) {
    const HelperCare care = care_for_helper(owed, look_at(reaper).stopped());
    if (care == HelperCare::kWake) ::kill(reaper, SIGCONT);
    if (care == HelperCare::kGiveUp) ::kill(reaper, SIGKILL);
  }

  // Waits for an ended child or a request, and sees to it.
  void serve() {
    const short asked = wait(strays_left_ ? kRetryMilliseconds : -1);
    if (child_has_ended_ || strays_left_) clean_up();
    if (asked != 0 && !take_request()) socket_.reset();
  }

  // What poll says of the socket.
  short wait(int milliseconds) {
    std::array<pollfd, 2> sources{
        {{child_ended_.get(), POLLIN, 0}, {socket_.get(), POLLIN, 0}}};  // poll leaves out -1
    if (::poll(sources.data(), sources.size(), milliseconds) < 0) return 0;
    child_has_ended_ = sources[0].revents != 0;
    signalfd_siginfo info{};
    while (child_has_ended_ && ::read(child_ended_.get(), &info, sizeof info) > 0) {
    }
    return sources[1].revents;
  }

  // Kills what is not a reaper. False when there is no child left.
  bool clean_up() {
    std::vector<Descriptor> ended;
    const TreeCallbacks callbacks{
        .spared = [this](pid_t child) { return is_reaper(child); },
        .reaped = [this, &ended](pid_t child, int, const rusage&) { forget(child, ended); }};
    strays_left_ = !kill_descendants(strays_left_ ? kStrayRetryLimit : kStrayLimit, callbacks);
    return strays_left_ || !reapers_.empty();
  }

  void forget(pid_t pid, std::vector<Descriptor>& ended) {
    const auto found = std::ranges::find(reapers_, pid, &Child::pid);
    if (found == reapers_.end()) return;
    ended.push_back(std::move(found->control));
    reapers_.erase(found);
  }

  // False when the engine is gone.
  bool take_request() {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kDescriptorsMax)> control{};
    char byte = 0;
    iovec part{&byte, 1};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t got = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    std::vector<Descriptor> received = descriptors_of(message);
    // Fewer: this process is out of descriptors. Closing what came tells the engine.
    if (received.size() == kRequestDescriptors) start_reaper(std::move(received));
    return true;
  }

  void start_reaper(std::vector<Descriptor> received) {
    WorkerLaunch launch;
    for (std::size_t i = 0; i < launch.inherited.size(); ++i) {
      launch.inherited[i] = std::move(received[i + 1]);
    }
    launch.control = std::move(received.back());
    if (!decode(read_memory(received.front().get()), launch)) return;
    const pid_t pid = ::fork();
    if (pid < 0) {
      ReaperReport report;
      report.kind = ReaperReport::Kind::kNotStarted;
      report.error = errno;
      send_report(launch.control.get(), report);
      return;
    }
    if (pid == 0) {
      received.clear();
      become_reaper(std::move(launch));
    }
    reapers_.push_back({pid, std::move(launch.control)});
  }

  [[noreturn]] void become_reaper(WorkerLaunch launch) {
    socket_.reset();
    child_ended_.reset();
    reapers_.clear();  // the others' control sockets
    run_reaper(std::move(launch));
  }

  Descriptor socket_;
  Descriptor child_ended_;  // signalfd
  bool child_has_ended_ = false;
  std::vector<Child> reapers_;
  bool strays_left_ = false;
};

void set_signals() {
  struct sigaction action{};
  action.sa_handler = SIG_IGN;
  // Whoever ends us ends the engine too, and that we see; until then there is cleaning up to do.
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGUSR1, SIGUSR2}) {
    ::sigaction(signal, &action, nullptr);
  }
  action.sa_handler = SIG_DFL;  // the engine may have been started with SIGCHLD ignored
  ::sigaction(SIGCHLD, &action, nullptr);
  sigset_t child;
  ::sigemptyset(&child);
  ::sigaddset(&child, SIGCHLD);
  ::pthread_sigmask(SIG_SETMASK, &child, nullptr);
}

// Keeps the socket, at 3, and nothing else that was open: a pipe of the engine's closes with it.
void set_descriptors(int socket) {
  const int spare = ::fcntl(socket, F_DUPFD_CLOEXEC, kSocketAt + 1);
  const int null = ::open("/dev/null", O_RDWR);
  for (int standard = 0; null >= 0 && standard < 3; ++standard) ::dup2(null, standard);
  ::dup3(spare, kSocketAt, O_CLOEXEC);
  ::closefrom(kSocketAt + 1);
}

[[noreturn]] void run_zygote(int socket) {
  ::prctl(PR_SET_NAME, "windrow-zygote");
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::setsid();
  set_signals();
  set_descriptors(socket);
  Starter(Descriptor(kSocketAt)).run();
  ::_exit(0);
}

}  // namespace

Result<Zygote> Zygote::fork_off() {
  ASSIGN_OR_RETURN(PacketPair pair, make_plain_pair());
  const pid_t pid = ::fork();
  if (pid < 0) {
    return fail(ErrorCode::kUnavailable, "cannot fork the zygote: {}", reason(errno));
  }
  if (pid == 0) run_zygote(pair.receiving.get());
  return Zygote(std::move(pair.sending), pid);
}

Zygote::Zygote(Zygote&& other) noexcept
    : socket_(std::move(other.socket_)), pid_(std::exchange(other.pid_, -1)) {}

Zygote::~Zygote() {
  socket_.reset();
  if (pid_ < 0) return;
  const Descriptor its_end(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  const TimePoint began = monotonic_now();
  // Zero: it lives.
  while (::waitpid(pid_, nullptr, WNOHANG) == 0) {
    const Duration owed = monotonic_now() - began;
    const HelperCare care = care_for_helper(owed, look_at(pid_).stopped());
    if (care == HelperCare::kWake) wake();
    if (care == HelperCare::kGiveUp) kill_tree(pid_);
    pollfd end{its_end.get(), POLLIN, 0};  // poll leaves out -1
    ::poll(&end, 1, its_end ? kRetryMilliseconds : 1);
  }
}

void Zygote::wake() const {
  if (pid_ < 0) return;
  ::kill(pid_, SIGCONT);
  for (const pid_t reaper : children_of(pid_)) ::kill(reaper, SIGCONT);
}

void Zygote::give_up() const {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
}

Status Zygote::start(const WorkerCommand& command, std::span<const int, 5> inherited, int control) {
  const std::string text = encode(command);
  const Descriptor file(::memfd_create("windrow-request", MFD_CLOEXEC));
  if (!file || std::cmp_not_equal(::write(file.get(), text.data(), text.size()), text.size())) {
    return fail(ErrorCode::kUnavailable, "cannot write a memfd: {}", reason(errno));
  }
  std::array<int, kRequestDescriptors> descriptors{};
  descriptors.front() = file.get();
  std::ranges::copy(inherited, descriptors.begin() + 1);
  descriptors.back() = control;
  char byte = 0;
  iovec part{&byte, 1};
  if (send_message(socket_.get(), std::span(&part, 1), descriptors) < 0) {
    const bool gone = errno == EPIPE || errno == ECONNRESET || errno == ENOTCONN;
    return fail(ErrorCode::kUnavailable,
                "{}",
                gone ? "the process that starts workers has ended" : reason(errno));
  }
  return {};
}

}  // namespace windrow
