// SPDX-License-Identifier: Apache-2.0
#include "core/supervise/supervisor.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/plant.h"
#include "core/schedule/error_line.h"

namespace windrow {
namespace {

// A worker's queue should last about so long, so that it never waits for us.
constexpr double kQueueMicroseconds = 1000;
constexpr double kTogetherMicroseconds = 200;
constexpr std::size_t kTogetherMax = 16;
// Work for fewer turns than this is no reason to wait, and nothing is a reason to wait longer.
constexpr std::size_t kPatientWith = 4;
constexpr double kPatienceMicroseconds = 500;
// When a worker whose queue was full is tried again.
constexpr Duration kClogged = std::chrono::milliseconds(50);

}  // namespace

Supervisor::Supervisor(SuperviseLimits limits)
    : limits_(std::move(limits)),
      gpus_(limits_.gpus),
      memory_(limits_.slots),
      process_next_(limits_.process_next),
      depth_(std::min(2U, limits_.depth_max)) {}

void Supervisor::begin(TimePoint now, Orders& out) {
  next_check_ = now + limits_.overhead_timeout;
  window_said_ = limits_.slots * (depth_ + 1);
  start_workers(now, out);
}

void Supervisor::give(Work work, TimePoint now, Orders& out) {
  if (stopping_ || gave_up_) {
    hand_back(work.token, out);
    return;
  }
  queue_.push_back(std::move(work));
  dispatch(now, out);
}

// Only what is not with a worker yet goes back: what workers have not read is balanced here.
void Supervisor::take_back(std::uint32_t count, TimePoint /*now*/, Orders& out) {
  while (count > 0 && !queue_.empty()) {
    hand_back(queue_.back().token, out);
    queue_.pop_back();
    --count;
  }
  out.emplace_back(order::ReportTakenBack{});
}

void Supervisor::stop(StopMode mode, TimePoint now, Orders& out) {
  if (stopping_ && *stopping_ >= mode) return;
  stopping_ = mode;
  drain_deadline_ = now + limits_.drain_grace;
  while (!queue_.empty()) {
    hand_back(queue_.front().token, out);
    queue_.pop_front();
  }
  for (auto& [process, worker] : workers_) {
    if (mode == StopMode::kDrain && worker.sent.size() > 1) {
      out.emplace_back(order::TakeBack{process, static_cast<std::uint32_t>(worker.sent.size())});
    }
    retire(process, worker, now, out);
  }
  next_check_ = now;
  give_up_or_end(out);
}

// Moves a worker towards its end, as far as the stop mode allows.
void Supervisor::retire(ProcessNumber process, Worker& worker, TimePoint now, Orders& out) {
  if (*stopping_ == StopMode::kNow || worker.state == State::kStarting) {
    kill(process, worker, EndReason::kStopped, "the job is stopping", now, out);
  } else if (worker.state == State::kReady && worker.sent.empty()) {
    worker.state = State::kEnding;
    worker.since = now;
    worker.reason = EndReason::kShutdown;
    out.emplace_back(order::Shutdown{process});
  }
}

void Supervisor::ready(ProcessNumber process, fact::LoadEnded load, TimePoint now, Orders& out) {
  const auto it = workers_.find(process);
  if (it == workers_.end()) return;
  Worker& worker = it->second;
  if (worker.state != State::kStarting) {
    // No mini-batch is to blame for that.
    if (!worker.kill_why.empty()) return;
    kill(process, worker, EndReason::kMisbehaved, "it reported twice that it is ready", now, out);
    return;
  }
  worker.state = State::kReady;
  worker.since = now;
  worker.load_reported = worker.was_ready = true;
  load_failures_ = 0;
  out.emplace_back(order::ReportLoad{std::move(load)});
  if (stopping_) {
    retire(process, worker, now, out);
  } else {
    start_workers(now, out);  // those that the failures before had held back
    dispatch(now, out);
    look_soon(worker, now);
  }
}

void Supervisor::load_failed(ProcessNumber process,
                             fact::LoadEnded load,
                             TimePoint now,
                             Orders& out) {
  const auto it = workers_.find(process);
  if (it == workers_.end() || it->second.load_reported) return;
  Worker& worker = it->second;
  worker.load_reported = true;
  if (worker.state == State::kStarting) {
    worker.state = State::kEnding;
    worker.since = now;
    next_check_ = std::min(next_check_, now + limits_.shutdown_timeout);
  }
  load_failure(error_line(load.error_type, load.error_message));
  out.emplace_back(order::ReportLoad{std::move(load)});
}

std::optional<std::uint32_t> Supervisor::expects(ProcessNumber process, const Token& token) const {
  const auto it = workers_.find(process);
  if (it == workers_.end() || it->second.sent.empty()) return std::nullopt;
  // Being asked where it is may have cut short what it waited for: its answer would be wrong. And
  // who has answered wrongly is not believed again.
  const EndReason reason = it->second.reason;
  if (is_time_limit(reason) || reason == EndReason::kMisbehaved) return std::nullopt;
  const Sent& first = it->second.sent.front();
  if (first.token != token) return std::nullopt;
  return first.items;
}

void Supervisor::answered(ProcessNumber process, AttemptRecord record, TimePoint now, Orders& out) {
  Worker& worker = workers_.at(process);
  const std::uint32_t items = worker.sent.front().items;
  worker.last_answer = worker.sent.front().token;
  overtaken_.erase(*worker.last_answer);
  worker.sent.pop_front();
  worker.answered_at = now;
  worker.clogged = false;
  idle_deaths_ = 0;
  ++(record.status == AttemptStatus::kRunDone ? worker.succeeded : worker.failed);
  measure(record, out);
  add_memory_hint(record);
  out.emplace_back(order::ReportAttempt{std::move(record), items});
  if (stopping_) {
    retire(process, worker, now, out);
    return;
  }
  recycle_if_worn(process, worker, now, out);
  end_overtaken(process, worker, now, out);
  dispatch(now, out);
  look_soon(worker, now);
}

std::size_t Supervisor::together() const {
  if (elapsed_us_ == 0) return 1;
  return std::clamp<std::size_t>(
      static_cast<std::size_t>(kTogetherMicroseconds / elapsed_us_), 1, kTogetherMax);
}

void Supervisor::weighed(ProcessNumber process, std::uint64_t rss) {
  if (const auto it = workers_.find(process); it != workers_.end()) it->second.rss = rss;
}

// An idle worker beside one with a queue is looked after soon, not only at the next limit.
void Supervisor::look_soon(const Worker& worker, TimePoint now) {
  if (worker.sent.empty()) next_check_ = std::min(next_check_, now + std::chrono::milliseconds(1));
}

void Supervisor::misbehaved(ProcessNumber process,
                            const std::string& what,
                            TimePoint now,
                            Orders& out,
                            const std::optional<Token>& answer) {
  const auto it = workers_.find(process);
  if (it == workers_.end() || !it->second.kill_why.empty()) return;
  Worker& worker = it->second;
  const bool again = answer && answer == worker.last_answer;
  if (!again && !worker.sent.empty()) worker.guilty = worker.sent.front().token;
  kill(process, worker, EndReason::kMisbehaved, what, now, out);
}

// It may have nothing to answer, so the next try is a matter of time, not of its next packet.
void Supervisor::unsent(ProcessNumber process, Work work, TimePoint now) {
  Worker& worker = workers_.at(process);
  std::erase_if(worker.sent, [&](const Sent& one) { return one.token == work.token; });
  worker.clogged = true;
  queue_.push_front(std::move(work));
  next_check_ = std::min(next_check_, now + kClogged);
}

void Supervisor::taken_back(ProcessNumber process,
                            std::vector<Work> works,
                            TimePoint now,
                            Orders& out) {
  const auto it = workers_.find(process);
  CHECK(it != workers_.end());
  Worker& worker = it->second;
  for (Work& work : works) {
    // A worker that lies may have answered for it already.
    if (std::erase_if(worker.sent, [&](const Sent& one) { return one.token == work.token; }) == 0) {
      continue;
    }
    if (overtaken_.erase(work.token) > 0) continue;
    if (stopping_) {
      hand_back(work.token, out);
    } else {
      queue_.push_back(std::move(work));
    }
  }
  if (stopping_) {
    retire(process, worker, now, out);
  } else {
    if (worker.recycling) end_recycled(process, worker, now, out);
    dispatch(now, out);
  }
}

void Supervisor::pause(bool paused, TimePoint now, Orders& out) {
  paused_ = paused;
  if (!paused) dispatch(now, out);
}

std::vector<ProcessNumber> Supervisor::live() const {
  std::vector<ProcessNumber> out;
  out.reserve(workers_.size());
  for (const auto& [process, worker] : workers_) out.push_back(process);
  return out;
}

std::size_t Supervisor::starting() const {
  return static_cast<std::size_t>(std::ranges::count_if(workers_, [](const auto& one) {
    return !one.second.load_reported;  // also those that are being ended for it
  }));
}

bool Supervisor::may_start() const {
  const std::uint32_t max = limits_.load_failures_max();
  return load_failures_ + starting() < max && idle_deaths_ < max;
}

// So many at a time that the failures can never pass the limit: the worker after the last allowed
// failure is never started.
void Supervisor::start_workers(TimePoint now, Orders& out) {
  if (stopping_ || gave_up_) return;
  while (workers_.size() < limits_.slots && by_age().size() < memory_.workers_max() &&
         may_start()) {
    const ProcessNumber process = process_next_++;
    workers_[process].since = workers_[process].started = now;
    next_check_ = std::min(next_check_, now + limits_.init_timeout());
    out.emplace_back(order::StartWorker{process, gpus_.take(process)});
  }
}

// The queue goes to the workers that have least; while memory is low, to the oldest only.
void Supervisor::dispatch(TimePoint now, Orders& out) {
  const std::optional<ProcessNumber> only = memory_.low() ? eldest() : std::nullopt;
  while (!queue_.empty() && !paused_ && !stopping_) {
    ProcessNumber best = 0;
    Worker* least = nullptr;
    for (auto& [process, worker] : workers_) {
      if (!may_take(worker) || (only && process != *only)) continue;
      if (least == nullptr || worker.sent.size() < least->sent.size()) {
        best = process;
        least = &worker;
      }
    }
    if (least == nullptr) return;
    least->sent.push_back({queue_.front().token, queue_.front().items, now});
    const Duration limit = std::min(limits_.run_timeout, limits_.overhead_timeout);
    next_check_ = std::min(next_check_, now + limit);
    out.emplace_back(order::Send{best, std::move(queue_.front())});
    queue_.pop_front();
  }
}

// Half of the shortest queue: the other half covers what the mean does not say.
Duration Supervisor::patience() const {
  if (stopping_ || gave_up_ || workers_.size() < limits_.slots) return {};
  std::size_t shortest = limits_.depth_max;
  for (const auto& [process, worker] : workers_) {
    if (worker.state != State::kReady) return {};
    shortest = std::min(shortest, worker.sent.size());
  }
  if (shortest < kPatientWith) return {};
  const double us = static_cast<double>(shortest) * elapsed_us_ / 2;
  return std::chrono::microseconds(static_cast<int>(std::min(us, kPatienceMicroseconds)));
}

// Follows how long mini-batches take: short ones need a deeper queue.
void Supervisor::measure(const AttemptRecord& record, Orders& out) {
  const double us = std::max(1.0, static_cast<double>(record.elapsed_us));
  elapsed_us_ = elapsed_us_ == 0 ? us : elapsed_us_ + (us - elapsed_us_) / 16;
  const double wanted = kQueueMicroseconds / elapsed_us_;
  depth_ = 1 + std::max(1U, static_cast<std::uint32_t>(std::min(wanted, 1000.0)));
  depth_ = std::min(depth_, limits_.depth_max);
  const std::uint32_t window = limits_.slots * (depth_ + 1);
  if (window * 4 < window_said_ * 3 || window * 3 > window_said_ * 4) {
    window_said_ = window;
    out.emplace_back(order::ReportWindow{window});
  }
}

void Supervisor::hand_back(const Token& token, Orders& out) {
  AttemptRecord record;
  record.token = token;
  record.agent = limits_.agent;
  record.status = AttemptStatus::kReturned;
  out.emplace_back(order::ReportAttempt{std::move(record), 0});
}

void Supervisor::check_invariants() const {
  gpus_.check_invariants();
  CHECK(workers_.size() <= limits_.slots);
  CHECK(load_failures_ + starting() <= limits_.load_failures_max());
  for (const auto& [process, worker] : workers_) {
    CHECK(process < process_next_);
    CHECK(worker.state != State::kStarting || worker.sent.empty());
  }
}

}  // namespace windrow
