// SPDX-License-Identifier: Apache-2.0
//
// The part of the Supervisor about time limits, idle workers, ends of workers and who is to blame.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/plant.h"
#include "base/text.h"
#include "core/schedule/error_line.h"
#include "core/supervise/stack_text.h"
#include "core/supervise/supervisor.h"

namespace windrow {
namespace {

// The limit for run() in all the ways a user may have set it.
constexpr const char* kTimeout =
    "--timeout (retry_settings.timeout in a job file, run_invocation_timeout in v1)";

// How long a worker that ran into a time limit has to show where it is.
constexpr Duration kShowFor = std::chrono::milliseconds(100);

bool holds_batch(WorkerPhase phase) {
  return phase == WorkerPhase::kLoad || phase == WorkerPhase::kRun ||
         phase == WorkerPhase::kSerialise;
}

// Whether the worker has this hand-out in its hands.
bool names(const WorkerPage& page, const Token& token) {
  return holds_batch(page.phase) && page.batch == token.batch && page.picked == token.picked;
}

WallTime earlier(WallTime time, Duration by) { return {time.nanoseconds - by.count()}; }

// Of what has happened: at least one.
std::uint32_t microseconds(Duration duration) {
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(duration / std::chrono::microseconds(1), 1, 0xffffffff));
}

// Where it was when its time was up, or else its last words.
std::string traceback_for(const WorkerEnd& end,
                          const std::string& type,
                          const std::string& message) {
  std::string stack = traceback_of(end.stack, type + ": " + message);
  return stack.empty() ? last_words(end) : stack;
}

}  // namespace

void Supervisor::kill(ProcessNumber process,
                      Worker& worker,
                      EndReason reason,
                      std::string why,
                      TimePoint now,
                      Orders& out) {
  const bool killed_before = worker.state == State::kEnding && !worker.kill_why.empty();
  if (killed_before) return;
  worker.state = State::kEnding;
  worker.since = now;
  worker.reason = reason;
  worker.kill_why = why;
  if (is_time_limit(reason)) {
    worker.kill_at = now + kShowFor;
    next_check_ = std::min(next_check_, *worker.kill_at);
    out.emplace_back(order::ShowStack{process});
  } else {
    out.emplace_back(order::Kill{process, std::move(why)});
  }
}

void Supervisor::kill_when_shown(ProcessNumber process,
                                 Worker& worker,
                                 TimePoint now,
                                 Orders& out) {
  if (!worker.kill_at) return;
  if (now < *worker.kill_at) {
    next_check_ = std::min(next_check_, *worker.kill_at);
    return;
  }
  worker.kill_at.reset();
  out.emplace_back(order::Kill{process, worker.kill_why});
}

void Supervisor::check(const std::map<ProcessNumber, WorkerPage>& pages,
                       TimePoint now,
                       Orders& out) {
  next_check_ = now + limits_.init_timeout();
  for (auto& [process, worker] : workers_) {
    const auto page = pages.find(process);
    if (page != pages.end()) check_one(process, worker, page->second, now, out);
    worker.clogged = false;
  }
  if (stopping_ == StopMode::kDrain) {
    if (now >= drain_deadline_) {
      stop(StopMode::kNow, now, out);
    } else {
      next_check_ = std::min(next_check_, drain_deadline_);
    }
  }
  dispatch(now, out);
  if (!stopping_ && !memory_.low()) balance(pages, now, out);
}

void Supervisor::check_one(
    ProcessNumber process, Worker& worker, const WorkerPage& page, TimePoint now, Orders& out) {
  if (planted(Fault::kIgnoreTimeLimit)) return;
  // Each limit: when it began, how long it is, and what it means to pass it.
  TimePoint since = worker.since;
  Duration limit{};
  EndReason reason = EndReason::kOverheadTimeout;
  std::string why;
  if (worker.state == State::kEnding) {
    kill_when_shown(process, worker, now, out);
    if (!worker.kill_why.empty()) return;
    limit = limits_.shutdown_timeout;
    reason = worker.reason;
    why = fmt::format("{} took longer than {}",
                      reason == EndReason::kItself
                          ? "its end"
                          : "shutdown(), or the end of the process after it,",
                      in_seconds(limit));
  } else if (worker.state == State::kStarting) {
    limit = limits_.init_timeout();
    reason = EndReason::kInitTimeout;
    why = fmt::format("init() took longer than {}{}; init_timeout sets that limit",
                      in_seconds(limit),
                      limits_.init_limit ? "" : " (3 x --timeout + 30 s)");
  } else if (worker.sent.empty()) {
    return;
  } else if (page.phase == WorkerPhase::kRun) {
    since = page.since;
    limit = limits_.run_timeout;
    reason = EndReason::kRunTimeout;
    why = fmt::format("run() took longer than {}; {} sets that limit{}",
                      in_seconds(limit),
                      kTimeout,
                      limits_.timeout_hint);
  } else {
    since = std::max(page.since, worker.sent.front().at);
    limit = limits_.overhead_timeout;
    why = fmt::format(
        "handing over the mini-batch took longer than {} ({}); "
        "task_overhead_timeout sets that limit",
        in_seconds(limit),
        describe_phase(page.phase));
  }
  if (now - since > limit) {
    worker.guilty = inside(page, worker);
    worker.overdue_page = page;
    kill(process, worker, reason, std::move(why), now, out);
  } else {
    next_check_ = std::min(next_check_, since + limit + std::chrono::milliseconds(1));
    // It may enter run() at any moment, whose limit may be the shorter one.
    if (!worker.sent.empty()) next_check_ = std::min(next_check_, now + limits_.run_timeout);
  }
}

// An idle worker takes over what a busy one has not read.
void Supervisor::balance(const std::map<ProcessNumber, WorkerPage>& pages,
                         TimePoint now,
                         Orders& out) {
  if (!queue_.empty()) return;
  std::size_t idle = 0;
  for (const auto& [process, worker] : workers_) {
    idle += worker.state == State::kReady && worker.sent.empty() ? 1 : 0;
  }
  bool more = false;
  for (auto& [process, worker] : workers_) {
    if (worker.state != State::kReady || worker.sent.size() < 2) continue;
    const auto page = pages.find(process);
    if (page == pages.end() || page->second.phase == WorkerPhase::kIdle) continue;
    if (idle == 0) continue;
    const auto count = static_cast<std::uint32_t>(std::min(worker.sent.size() - 1, idle));
    idle -= count;
    more = true;
    if (planted(Fault::kTwoWorkersOneToken)) {
      queue_.push_back(Work{worker.sent.back().token, worker.sent.back().items, 0, ""});
      continue;
    }
    out.emplace_back(order::TakeBack{process, count});
  }
  if (more) next_check_ = std::min(next_check_, now + std::chrono::milliseconds(5));
}

void Supervisor::exited(
    const WorkerEnd& end, std::vector<Work> unread, TimePoint now, WallTime wall, Orders& out) {
  const auto it = workers_.find(end.process);
  CHECK(it != workers_.end());
  Worker worker = std::move(it->second);
  workers_.erase(it);
  gpus_.release(end.process);
  note_end(end, worker, out);
  take_unread(worker, std::move(unread), out);
  if (!worker.load_reported) end_load(end, worker, {now, wall}, out);
  const bool paid = blame(end, worker, {now, wall}, out);
  const bool told = worker.reason == EndReason::kStopped || worker.reason == EndReason::kShutdown ||
                    worker.reason == EndReason::kRecycled || worker.reason == EndReason::kOvertaken;
  if (!told)
    out.emplace_back(order::NoteDeath{end.process, {end.memory_peak, end.user_us, end.system_us}});
  if (worker.was_ready && !paid && !told && !is_nobodys_fault(worker.reason)) {
    // Nobody is charged, but workers that always end so must not be replaced for ever.
    ++idle_deaths_;
    last_idle_death_ = worker.kill_why.empty() ? describe_end(end) : worker.kill_why;
  }
  start_workers(now, out);
  dispatch(now, out);
  give_up_or_end(out);
}

// What the worker had not read goes to others, in order.
void Supervisor::take_unread(Worker& worker, std::vector<Work> unread, Orders& out) {
  for (auto work = unread.rbegin(); work != unread.rend(); ++work) {
    const auto sent = std::ranges::find_if(
        worker.sent, [&](const Sent& one) { return one.token == work->token; });
    if (sent == worker.sent.end()) continue;  // a worker that lies has answered for it already
    if (planted(Fault::kChargeBystander) && worker.sent.size() == unread.size() + 1 &&
        work == unread.rbegin() && !stopping_) {
      std::swap(*sent, worker.sent.front());
      continue;
    }
    worker.sent.erase(sent);
    if (planted(Fault::kForgetUnread) || overtaken_.erase(work->token) > 0) continue;
    if (stopping_) {
      hand_back(work->token, out);
    } else {
      queue_.push_front(std::move(*work));
    }
  }
}

// It ended before its init() had.
void Supervisor::end_load(const WorkerEnd& end, const Worker& worker, Moment died, Orders& out) {
  fact::LoadEnded load;
  load.agent = limits_.agent;
  load.process = end.process;
  const bool timeout = worker.reason == EndReason::kInitTimeout;
  load.status = timeout ? LoadStatus::kTimeout : LoadStatus::kDied;
  const TimePoint began = end.page.phase == WorkerPhase::kInit
                              ? std::clamp(end.page.since, worker.started, died.now)
                              : worker.started;
  load.start = earlier(died.wall, died.now - began);
  load.elapsed_us = microseconds(died.now - began);
  load.error_type = timeout ? "TimeoutError" : "ProcessDied";
  load.error_message = worker.kill_why.empty() ? describe_end(end) : worker.kill_why;
  load.traceback = traceback_for(end, load.error_type, load.error_message);
  if (!is_nobodys_fault(worker.reason)) {
    load_failure(error_line(load.error_type, load.error_message));
    out.emplace_back(order::ReportLoad{std::move(load)});
  }
}

// The one that the page names, or when it names none, the one being handed over.
std::optional<Token> Supervisor::inside(const WorkerPage& page, const Worker& worker) {
  if (worker.sent.empty()) return std::nullopt;
  if (!holds_batch(page.phase)) return worker.sent.front().token;
  const auto named =
      std::ranges::find_if(worker.sent, [&](const Sent& one) { return names(page, one.token); });
  if (named == worker.sent.end()) return std::nullopt;  // answered: it is on its way to idle
  return named->token;
}

std::optional<Token> Supervisor::find_guilty(const WorkerEnd& end, const Worker& worker) {
  if (is_nobodys_fault(worker.reason)) return std::nullopt;
  // What it read after it was found guilty is a bystander.
  const bool found = is_time_limit(worker.reason) || worker.reason == EndReason::kMisbehaved;
  return found ? worker.guilty : inside(end.page, worker);
}

// When it began and how long it took, by the page of the worker and what is known beside it. What
// was never begun has neither, unless it is charged: then it was being handed over.
void Supervisor::date(const WorkerPage& page,
                      const Worker& worker,
                      const Sent& sent,
                      Moment died,
                      AttemptRecord& record) {
  const bool named = names(page, sent.token);
  const bool run = named && page.phase != WorkerPhase::kLoad;
  if (!run && record.status == AttemptStatus::kReturned) return;
  TimePoint began = std::max(sent.at, worker.answered_at);
  if (named) {
    const TimePoint since = std::clamp(page.since, sent.at, died.now);
    began = std::min(began, since);
    if (page.phase == WorkerPhase::kRun) record.run_us = microseconds(died.now - since);
    if (page.phase == WorkerPhase::kSerialise) record.run_us = microseconds(since - began);
  }
  record.start = earlier(died.wall, died.now - began);
  record.elapsed_us = microseconds(died.now - began);
}

// The mini-batch that was inside pays for the death; whatever else was read goes back. False when
// nobody was inside.
bool Supervisor::blame(const WorkerEnd& end, const Worker& worker, Moment died, Orders& out) {
  const std::optional<Token> guilty = find_guilty(end, worker);
  bool paid = false;
  for (const Sent& sent : worker.sent) {
    overtaken_.erase(sent.token);
    AttemptRecord record;
    record.token = sent.token;
    record.agent = limits_.agent;
    record.process = end.process;
    record.memory_peak = end.memory_peak;
    record.status = AttemptStatus::kReturned;
    if (guilty == sent.token) {
      charge(end, worker, record);
      paid = true;
    }
    date(is_time_limit(worker.reason) ? worker.overdue_page : end.page, worker, sent, died, record);
    out.emplace_back(order::ReportAttempt{std::move(record), sent.items});
  }
  return paid;
}

void Supervisor::charge(const WorkerEnd& end, const Worker& worker, AttemptRecord& record) const {
  const bool run = worker.reason == EndReason::kRunTimeout;
  const bool overhead = worker.reason == EndReason::kOverheadTimeout;
  record.status = run        ? AttemptStatus::kRunTimeout
                  : overhead ? AttemptStatus::kOverheadTimeout
                             : AttemptStatus::kProcessDied;
  record.error_type = run || overhead ? "TimeoutError" : "ProcessDied";
  if (names(end.page, record.token)) record.items = end.page.items;
  record.error_message = worker.kill_why.empty() ? describe_end(end) : worker.kill_why;
  record.traceback = traceback_for(end, record.error_type, record.error_message);
}

void Supervisor::load_failure(const std::string& cause) {
  if (first_load_failure_.empty()) first_load_failure_ = cause;
  ++load_failures_;
}

void Supervisor::give_up_or_end(Orders& out) {
  if (!workers_.empty()) return;
  if (stopping_) {
    if (!stopped_said_) out.emplace_back(order::AllStopped{});
    stopped_said_ = true;
    return;
  }
  if (!gave_up_ && !may_start()) {
    gave_up_ = true;
    const bool idle = idle_deaths_ >= limits_.load_failures_max();
    out.emplace_back(order::ReportGaveUp{
        idle ? fmt::format("{} workers ended in a row without work, the last one so: {}",
                           idle_deaths_,
                           last_idle_death_)
             : fmt::format("{} worker starts failed in a row, the first with: {}",
                           load_failures_,
                           first_load_failure_)});
    while (!queue_.empty()) {
      hand_back(queue_.front().token, out);
      queue_.pop_front();
    }
  }
}

}  // namespace windrow
