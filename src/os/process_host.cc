// SPDX-License-Identifier: Apache-2.0
#include "os/process_host.h"

#include <cerrno>
#include <csignal>
#include <span>
#include <utility>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "base/process_name.h"
#include "os/process_tree.h"
#include "os/shared_page.h"
#include "os/stuck_helper.h"

namespace windrow {
namespace {

constexpr mode_t kLogMode = 0666;  // less the umask
constexpr Duration kLookEvery = std::chrono::seconds(1);
constexpr Duration kZygoteCleansUp = std::chrono::seconds(5);  // after a reaper, at most
constexpr const char* kReaperGivenUp =
    "the process that waits for its end did not answer and was killed";
// More than a dead worker's queue can hold, so that one whose tree could not be killed ends too.
constexpr int kDrainRoundsMax = 4096;

Result<Descriptor> open_log(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, kLogMode));
  if (!file) return fail(ErrorCode::kUnavailable, "cannot open {}: {}", path, reason(errno));
  return file;
}

WorkerExit not_started(std::string why) {
  WorkerExit exit;
  exit.started = false;
  exit.why = std::move(why);
  return exit;
}

WorkerExit ended(const ReaperReport& report) {
  WorkerExit exit;
  exit.signal = WIFSIGNALED(report.status) ? WTERMSIG(report.status) : 0;
  exit.exit_code = WIFEXITED(report.status) ? WEXITSTATUS(report.status) : 0;
  exit.killed_by_us = report.killed != 0;
  exit.memory_peak = report.memory_peak;
  exit.user_us = report.user_us;
  exit.system_us = report.system_us;
  return exit;
}

}  // namespace

struct ProcessHost::Worker {
  ProcessNumber process = 0;
  std::string program;         // argv[0], for messages
  std::string working_folder;  // likewise
  PacketPair commands;         // both ends: unread packets are taken back from the receiving one
  Descriptor answers;          // receiving end
  Descriptor control;
  std::optional<SharedPage> page;
  bool running = false;  // the reaper has reported it
  int pid = 0;           // from then on
  bool ended = false;
  pid_t reaper = 0;                     // as `pid`
  bool kill_ordered = false;            // so it owes the end
  std::optional<TimePoint> owed_since;  // a report, by reaper or zygote
  bool woken = false;
  bool given_up = false;  // its reaper was killed
};

ProcessHost::ProcessHost(EpollLoop& loop, Zygote& zygote)
    : loop_(loop), zygote_(zygote), self_(std::make_shared<ProcessHost*>(this)) {}

ProcessHost::~ProcessHost() {
  for (const auto& [process, worker] : workers_) {
    loop_.unwatch(worker->answers.get());
    loop_.unwatch(worker->control.get());
  }
}

ProcessHost::Worker* ProcessHost::find(ProcessNumber process) {
  const auto found = workers_.find(process);
  return found == workers_.end() ? nullptr : found->second.get();
}

void ProcessHost::start(ProcessNumber process, const WorkerCommand& command) {
  CHECK(sink_ != nullptr);
  CHECK(!command.argv.empty());
  auto made = std::make_unique<Worker>();
  Worker& worker = *made;
  worker.process = process;
  worker.program = command.argv.front();
  worker.working_folder = command.working_folder;
  CHECK(workers_.emplace(process, std::move(made)).second);
  const Status launched = launch(command, worker);
  if (launched) return watch_helpers();
  loop_.unwatch(worker.answers.get());
  loop_.unwatch(worker.control.get());
  // Posted: the caller may not expect the end of a worker before start() has returned.
  WorkerExit exit =
      not_started(fmt::format("cannot start {}: {}", worker.program, launched.error().message));
  loop_.post([host = std::weak_ptr(self_), process, exit = std::move(exit)] {
    const auto self = host.lock();
    Worker* failed = self ? (*self)->find(process) : nullptr;
    if (failed != nullptr) (*self)->end(*failed, exit);
  });
}

Status ProcessHost::launch(const WorkerCommand& command, Worker& worker) {
  ASSIGN_OR_RETURN(const Descriptor out, open_log(command.stdout_path));
  ASSIGN_OR_RETURN(const Descriptor err, open_log(command.stderr_path));
  ASSIGN_OR_RETURN(worker.commands, make_packet_pair());
  ASSIGN_OR_RETURN(PacketPair answers, make_packet_pair());
  ASSIGN_OR_RETURN(PacketPair control, make_plain_pair());
  ASSIGN_OR_RETURN(SharedPage page, SharedPage::create());
  worker.page.emplace(std::move(page));
  worker.answers = std::move(answers.receiving);
  worker.control = std::move(control.receiving);
  RETURN_IF_ERROR(loop_.watch(
      worker.answers.get(), EPOLLIN, [this, &worker](std::uint32_t) { read_answers(worker); }));
  RETURN_IF_ERROR(loop_.watch(
      worker.control.get(), EPOLLIN, [this, &worker](std::uint32_t) { read_control(worker); }));
  const std::array<int, 5> inherited = {out.get(),
                                        err.get(),
                                        worker.commands.receiving.get(),
                                        answers.sending.get(),
                                        worker.page->descriptor()};
  RETURN_IF_ERROR(zygote_.start(command, inherited, control.sending.get()));
  worker.page->close_descriptor();
  return {};
}

bool ProcessHost::send(ProcessNumber process,
                       const std::array<char, kPacketHeaderSize>& header,
                       std::string_view payload) {
  Worker* worker = find(process);
  if (worker == nullptr || worker->ended || !worker->commands.sending) return false;
  return send_packet(worker->commands.sending.get(), header, payload);
}

std::optional<Packet> ProcessHost::take_back(ProcessNumber process) {
  Worker* worker = find(process);
  if (worker == nullptr || !worker->commands.receiving) return std::nullopt;
  return reader_.read_one(worker->commands.receiving.get());
}

WorkerPage ProcessHost::page(ProcessNumber process) {
  Worker* worker = find(process);
  if (worker == nullptr || !worker->page) return {};
  return worker->page->read(loop_.clock());
}

std::optional<int> ProcessHost::pid(ProcessNumber process) {
  const Worker* worker = find(process);
  if (worker == nullptr || !worker->running || worker->ended) return std::nullopt;
  return worker->pid;
}

WorkerMemory ProcessHost::memory(ProcessNumber process) {
  const Worker* worker = find(process);
  if (worker == nullptr || worker->ended || !worker->running) return {};
  return memory_of(worker->pid);
}

void ProcessHost::forget_peak(ProcessNumber process) {
  const Worker* worker = find(process);
  if (worker == nullptr || worker->ended || !worker->running) return;
  forget_memory_peak(worker->pid);
}

// To its reaper, which still has the worker's number: here it might be another process's by now.
void ProcessHost::order(ProcessNumber process, char what) {
  Worker* worker = find(process);
  if (worker == nullptr || worker->ended || !worker->control) return;
  iovec part{&what, 1};
  // If nobody is there to read it, the worker is ended already and its report on the way.
  send_message(worker->control.get(), std::span(&part, 1), {});
}

void ProcessHost::kill(ProcessNumber process) {
  order(process, kReaperKill);
  if (Worker* worker = find(process)) worker->kill_ordered = true;
}

void ProcessHost::forget(ProcessNumber process) {
  const auto found = workers_.find(process);
  if (found == workers_.end()) return;
  CHECK(found->second->ended);
  workers_.erase(found);
}

void ProcessHost::read_answers(Worker& worker) {
  const int answers = worker.answers.get();
  const auto after = reader_.read_some(answers, [this, process = worker.process](Packet packet) {
    sink_->on_packet(process, std::move(packet));
  });
  if (after == PacketReader::After::kClosed) loop_.unwatch(answers);
}

void ProcessHost::read_control(Worker& worker) {
  ReaperReport report;
  ssize_t got = 0;
  do {
    got = ::recv(worker.control.get(), &report, sizeof report, MSG_DONTWAIT);
    // ECONNRESET: it left a kill unread. It comes once, before the report that it did send.
  } while (got < 0 && (errno == EINTR || errno == ECONNRESET));
  if (got < 0 && errno == EAGAIN) return;
  if (got != sizeof report) {
    // The reaper is gone and so, says the zygote by closing its own copy, is all it had started.
    WorkerExit killed;
    killed.signal = SIGKILL;
    if (worker.given_up) killed.why = kReaperGivenUp;
    end(worker,
        worker.running
            ? killed
            : not_started(fmt::format("cannot start {}: the process that starts workers has ended",
                                      worker.program)));
    return;
  }
  switch (report.kind) {
    case ReaperReport::Kind::kStarted:
      worker.running = true;
      worker.pid = report.pid;
      worker.reaper = report.reaper;
      return;
    case ReaperReport::Kind::kEnded: {
      WorkerExit exit = ended(report);
      if (exit.signal == SIGKILL && !exit.killed_by_us) exit.out_of_memory = oom_kills_.take();
      end(worker, exit);
      return;
    }
    case ReaperReport::Kind::kNotStarted: {
      const std::string what = report.step == ReaperReport::Step::kEnterFolder
                                   ? "enter " + worker.working_folder
                                   : "start " + worker.program;
      end(worker, not_started(fmt::format("cannot {}: {}", what, reason(report.error))));
      return;
    }
  }
}

void ProcessHost::end(Worker& worker, const WorkerExit& exit) {
  CHECK(!worker.ended);
  drain(worker);
  worker.ended = true;
  loop_.unwatch(worker.answers.get());
  loop_.unwatch(worker.control.get());
  worker.answers.reset();
  worker.control.reset();
  sink_->on_exit(worker.process, exit);  // which may forget the worker
}

void ProcessHost::drain(Worker& worker) {
  if (!worker.answers) return;
  const auto deliver = [this, process = worker.process](Packet packet) {
    sink_->on_packet(process, std::move(packet));
  };
  for (int round = 0; round < kDrainRoundsMax; ++round) {
    if (reader_.read_some(worker.answers.get(), deliver) != PacketReader::After::kMore) return;
  }
}

// While there are workers: whether their helpers do what they owe.
void ProcessHost::watch_helpers() {
  if (std::exchange(watching_, true)) return;
  loop_.at(loop_.now() + kLookEvery, [host = std::weak_ptr(self_)] {
    if (const auto self = host.lock()) (*self)->look_at_helpers();
  });
}

void ProcessHost::look_at_helpers() {
  watching_ = false;
  std::vector<ProcessNumber> alive;
  for (const auto& [process, worker] : workers_) {
    if (!worker->ended) alive.push_back(process);
  }
  if (alive.empty()) return;
  watch_helpers();
  for (const ProcessNumber process : alive) {
    Worker* worker = find(process);  // an end that is told may change which there are
    if (worker != nullptr && !worker->ended) care_for(*worker);
  }
}

// The zygote owes word of a start, the reaper word of an end.
void ProcessHost::care_for(Worker& worker) {
  const ProcessLook itself = look_at(worker.pid);
  const bool over = itself.ended() || itself.parent != worker.reaper;
  if (worker.running && !worker.kill_ordered && !over) {
    worker.owed_since.reset();
    return;
  }
  if (!worker.owed_since) worker.owed_since = loop_.now();
  const Duration owed = loop_.now() - *worker.owed_since;
  const bool stopped =
      look_at(zygote_.pid()).stopped() || (worker.running && look_at(worker.reaper).stopped());
  const HelperCare care = care_for_helper(owed, stopped);
  if (care == HelperCare::kWait) return;
  zygote_.wake();
  if (stopped && !std::exchange(worker.woken, true)) {
    tell(
        fmt::format("a process of Windrow's own was stopped (SIGSTOP) while {} waited for it; it "
                    "was told to continue",
                    process_name(worker.process)));
  }
  if (care == HelperCare::kGiveUp) give_up(worker);
}

void ProcessHost::give_up(Worker& worker) {
  if (!worker.running) {
    zygote_.give_up();
    end(worker,
        not_started(fmt::format("cannot start {}: the process that starts workers did not answer "
                                "and was killed; resume the job",
                                worker.program)));
    return;
  }
  if (!std::exchange(worker.given_up, true)) {
    tell(fmt::format("{}: {}", process_name(worker.process), kReaperGivenUp));
    worker.owed_since = loop_.now() - kHungLimit + kZygoteCleansUp;
    const ProcessLook reaper = look_at(worker.reaper);
    // The kernel kills the worker with it, the zygote what else there is.
    if (reaper.parent == zygote_.pid()) ::kill(worker.reaper, SIGKILL);
    return;
  }
  WorkerExit killed;
  killed.signal = SIGKILL;
  killed.why = kReaperGivenUp;
  end(worker, killed);
}

void ProcessHost::tell(const std::string& trouble) const {
  if (on_trouble) on_trouble(trouble);
}

}  // namespace windrow
