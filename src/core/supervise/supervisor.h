// SPDX-License-Identifier: Apache-2.0
//
// One agent's state machine: which worker processes there should be, who gets which mini-batch, who
// has run out of time, and who is to blame when a worker dies.
//
// Like the Scheduler it only decides: the agent tells it what happened and carries out the actions
// it appends, in order. It keeps nothing that outlives the agent.
//
// Memory: when it gets short, only the oldest worker gets more work, and others are ended, the
// youngest first. The oldest never is, so there is always progress.
//
// Blame: a dead worker costs a try of exactly one mini-batch, the one that was inside load, run or
// serialise, or being handed over; what the worker had not read goes to the next worker, uncharged.
//
// Not thread-safe: it lives on the agent's loop. Cannot fail; a worker that lies is ended.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/schedule/facts.h"
#include "core/schedule/stop_mode.h"
#include "core/supervise/gpu_slots.h"
#include "core/supervise/memory_guard.h"
#include "core/supervise/worker_life.h"

namespace windrow {

// A mini-batch on its way to a worker.
struct Work {
  Token token;
  std::uint32_t items = 0;
  std::uint32_t tries = 0;
  std::string payload;
};

struct SuperviseLimits {
  AgentId agent = 0;
  std::uint32_t slots = 1;
  std::uint32_t depth_max = 64;  // mini-batches with one worker at a time, the running one included
  ProcessNumber process_next = 0;
  Duration run_timeout = std::chrono::seconds(60);
  std::string timeout_hint = {};  // behind the message of run_timeout
  Duration overhead_timeout = std::chrono::seconds(30);
  Duration shutdown_timeout = std::chrono::seconds(30);
  Duration drain_grace = std::chrono::seconds(10);
  GpuRules gpus;
  std::optional<Duration> init_limit;
  std::uint32_t failed_max = 10;  // attempts that may fail in one process
  WorkerWear wear;

  [[nodiscard]] Duration init_timeout() const {
    return init_limit.value_or(3 * run_timeout + std::chrono::seconds(30));
  }
  [[nodiscard]] std::uint32_t load_failures_max() const { return 3 * slots; }
};

namespace order {

struct StartWorker {
  ProcessNumber process = 0;
  GpuGrant gpus;
};
struct Send {  // answer with unsent() when the worker cannot take it now
  ProcessNumber process = 0;
  Work work;
};
struct TakeBack {  // answer with taken_back()
  ProcessNumber process = 0;
  std::uint32_t count = 0;
};
struct Shutdown {
  ProcessNumber process = 0;
};
struct ShowStack {  // asks the worker where it is; a Kill follows, whatever it says
  ProcessNumber process = 0;
};
struct Kill {
  ProcessNumber process = 0;
  std::string why;
};
struct NoteDeath {  // of a worker that nobody had told to end, or that had to be ended
  ProcessNumber process = 0;
  WorkerUsage usage;
};
struct ReportAttempt {
  AttemptRecord record;
  std::uint32_t items = 0;
};
struct ReportLoad {
  fact::LoadEnded load;
};
struct ReportWindow {
  std::uint32_t window = 0;
};
struct ReportTakenBack {};
struct ReportGaveUp {
  std::string cause;
};
struct Note {  // a line of the node's log
  std::string text;
};
struct Warn {  // what the user should know at once
  std::string text;
};
struct AllStopped {};

}  // namespace order

using Order = std::variant<order::StartWorker,
                           order::Send,
                           order::TakeBack,
                           order::Shutdown,
                           order::ShowStack,
                           order::Kill,
                           order::NoteDeath,
                           order::ReportAttempt,
                           order::ReportLoad,
                           order::ReportWindow,
                           order::ReportTakenBack,
                           order::ReportGaveUp,
                           order::Note,
                           order::Warn,
                           order::AllStopped>;
using Orders = std::vector<Order>;

class Supervisor {
 public:
  explicit Supervisor(SuperviseLimits limits);

  // Starts the workers. Call once.
  void begin(TimePoint now, Orders& out);

  // From the master.
  void give(Work work, TimePoint now, Orders& out);
  void take_back(std::uint32_t count, TimePoint now, Orders& out);
  // Another attempt at the mini-batch was first: this one is of no use.
  void cancel(const Token& token, TimePoint now, Orders& out);
  void stop(StopMode mode, TimePoint now, Orders& out);

  // From the workers.
  void ready(ProcessNumber process, fact::LoadEnded load, TimePoint now, Orders& out);
  void load_failed(ProcessNumber process, fact::LoadEnded load, TimePoint now, Orders& out);
  // The items of this hand-out if this worker may answer for it now. If not, call misbehaved().
  [[nodiscard]] std::optional<std::uint32_t> expects(ProcessNumber process,
                                                     const Token& token) const;
  // What the worker holds of the machine's memory; call it before an answer when it matters.
  void weighed(ProcessNumber process, std::uint64_t rss);

  // How many mini-batches may go to a worker at once. What it has read nobody can take over, so
  // only as many as take next to no time together.
  [[nodiscard]] std::size_t together() const;
  // REQUIRES: expects(process, record.token).
  void answered(ProcessNumber process, AttemptRecord record, TimePoint now, Orders& out);
  // What it sent is wrong: it is replaced, and the mini-batch that it should have answered for is
  // charged, whatever it has read since. Nobody is when `answer` names the one that it answered
  // last.
  void misbehaved(ProcessNumber process,
                  const std::string& what,
                  TimePoint now,
                  Orders& out,
                  const std::optional<Token>& answer = {});
  void unsent(ProcessNumber process, Work work, TimePoint now);
  void taken_back(ProcessNumber process, std::vector<Work> works, TimePoint now, Orders& out);
  void exited(
      const WorkerEnd& end, std::vector<Work> unread, TimePoint now, WallTime wall, Orders& out);

  // Time limits and idle workers. `page` answers for every process of live().
  void check(const std::map<ProcessNumber, WorkerPage>& pages, TimePoint now, Orders& out);
  // When check() must come at the latest.
  [[nodiscard]] TimePoint next_check() const { return next_check_; }

  // What machine and control groups have left of their memory: so little that all but the oldest
  // worker get nothing more, or that the youngest is ended before the kernel ends one.
  void sampled(const std::vector<MemoryRoom>& rooms, TimePoint now, Orders& out);
  [[nodiscard]] bool memory_low() const { return memory_.low(); }
  // How long until memory should be sampled again.
  [[nodiscard]] Duration sample_again_in() const { return memory_.sample_again_in(); }

  // How long nobody needs to look at answers, because every worker has enough to do; zero when one
  // has not. Looking seldom is cheaper: a turn of the loop takes many answers at once.
  [[nodiscard]] Duration patience() const;

  [[nodiscard]] std::vector<ProcessNumber> live() const;
  // Hold back hand-outs while too much is unsynced.
  void pause(bool paused, TimePoint now, Orders& out);

  void check_invariants() const;

 private:
  enum class State : std::uint8_t { kStarting, kReady, kEnding };
  struct Sent {
    Token token;
    std::uint32_t items = 0;
    TimePoint at;
  };
  struct Moment {  // on both clocks
    TimePoint now;
    WallTime wall;
  };
  struct Worker {
    State state = State::kStarting;
    std::deque<Sent> sent;  // handed over, not answered; the first is the one being worked on
    TimePoint since;        // of the state
    TimePoint started;      // the process
    TimePoint answered_at;  // the last time
    bool load_reported = false;
    bool was_ready = false;
    bool clogged = false;         // its queue was full; clear with its next answer
    bool recycling = false;       // gets nothing more and is replaced when it has nothing left
    std::uint32_t succeeded = 0;  // attempts
    std::uint32_t failed = 0;
    std::uint64_t rss = 0;
    std::string recycle_why;
    EndReason reason = EndReason::kItself;
    std::string kill_why;
    std::optional<TimePoint> kill_at;  // while it may still show its stack
    std::optional<Token> last_answer;
    std::optional<Token> guilty;  // of a time limit or a wrong answer, before we ended it
    WorkerPage overdue_page;      // what it showed when its time was up
  };

  void start_workers(TimePoint now, Orders& out);
  void dispatch(TimePoint now, Orders& out);
  void balance(const std::map<ProcessNumber, WorkerPage>& pages, TimePoint now, Orders& out);
  void measure(const AttemptRecord& record, Orders& out);
  void look_soon(const Worker& worker, TimePoint now);
  void kill(ProcessNumber process,
            Worker& worker,
            EndReason reason,
            std::string why,
            TimePoint now,
            Orders& out);
  void kill_when_shown(ProcessNumber process, Worker& worker, TimePoint now, Orders& out);
  void check_one(
      ProcessNumber process, Worker& worker, const WorkerPage& page, TimePoint now, Orders& out);
  void retire(ProcessNumber process, Worker& worker, TimePoint now, Orders& out);
  [[nodiscard]] std::string worn_out(const Worker& worker) const;
  [[nodiscard]] bool may_take(const Worker& worker) const;
  void recycle_if_worn(ProcessNumber process, Worker& worker, TimePoint now, Orders& out);
  void end_recycled(ProcessNumber process, Worker& worker, TimePoint now, Orders& out);
  void end_overtaken(ProcessNumber process, Worker& worker, TimePoint now, Orders& out);
  // Those that are not on their way out: who has been ready longest first, who still starts last.
  [[nodiscard]] std::vector<ProcessNumber> by_age() const;
  [[nodiscard]] std::optional<ProcessNumber> eldest() const;
  void hold_back_all_but_eldest(Orders& out);
  void end_youngest(TimePoint now, Orders& out);
  void take_unread(Worker& worker, std::vector<Work> unread, Orders& out);
  void end_load(const WorkerEnd& end, const Worker& worker, Moment died, Orders& out);
  void note_end(const WorkerEnd& end, const Worker& worker, Orders& out) const;
  void hand_back(const Token& token, Orders& out);
  static std::optional<Token> inside(const WorkerPage& page, const Worker& worker);
  static std::optional<Token> find_guilty(const WorkerEnd& end, const Worker& worker);
  void charge(const WorkerEnd& end, const Worker& worker, AttemptRecord& record) const;
  static void date(const WorkerPage& page,
                   const Worker& worker,
                   const Sent& sent,
                   Moment died,
                   AttemptRecord& record);
  bool blame(const WorkerEnd& end, const Worker& worker, Moment died, Orders& out);
  void load_failure(const std::string& cause);
  void give_up_or_end(Orders& out);
  [[nodiscard]] std::size_t starting() const;
  [[nodiscard]] bool may_start() const;

  SuperviseLimits limits_;
  GpuSlots gpus_;
  MemoryGuard memory_;
  std::map<ProcessNumber, Worker> workers_;
  std::deque<Work> queue_;
  std::set<Token> overtaken_;  // with a worker, and of no use any more
  ProcessNumber process_next_;
  std::uint32_t load_failures_ = 0;  // continuous
  std::uint32_t idle_deaths_ = 0;    // that nobody paid for, since the last answer
  std::string first_load_failure_;
  std::string last_idle_death_;
  bool gave_up_ = false;
  bool warned_of_memory_ = false;
  bool paused_ = false;
  std::optional<StopMode> stopping_;
  TimePoint drain_deadline_;
  bool stopped_said_ = false;
  double elapsed_us_ = 0;  // running mean of what a mini-batch takes
  std::uint32_t depth_;
  std::uint32_t window_said_ = 0;
  TimePoint next_check_;
};

}  // namespace windrow
