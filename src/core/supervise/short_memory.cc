// SPDX-License-Identifier: Apache-2.0
//
// The part of the Supervisor about memory that gets short.
#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/supervise/supervisor.h"

namespace windrow {

void Supervisor::sampled(const std::vector<MemoryRoom>& rooms, TimePoint now, Orders& out) {
  // A worker that is alone is the oldest.
  if (stopping_ || gave_up_ || limits_.slots < 2) return;
  const bool was_low = memory_.low();
  memory_.sampled(rooms, now);
  if (memory_.low() && !was_low) hold_back_all_but_eldest(out);
  if (!memory_.low() && was_low) {
    out.emplace_back(order::Note{fmt::format(
        "memory is fine again ({}); all workers get mini-batches", memory_.room_text())});
  }
  end_youngest(now, out);
  start_workers(now, out);
  dispatch(now, out);
}

void Supervisor::hold_back_all_but_eldest(Orders& out) {
  const std::string what =
      fmt::format("memory is low ({}): until there is more, one worker alone gets new mini-batches",
                  memory_.room_text());
  out.emplace_back(order::Note{fmt::format("{}; {}", what, kMemoryHelp)});
  if (!std::exchange(warned_of_memory_, true)) {
    out.emplace_back(order::Warn{fmt::format("{}; {}", what, kMemoryHelp)});
  }
  const std::optional<ProcessNumber> only = eldest();
  for (const auto& [process, worker] : workers_) {
    if (process == only || worker.sent.empty()) continue;
    out.emplace_back(order::TakeBack{process, static_cast<std::uint32_t>(worker.sent.size())});
  }
}

// One at a time: what one of them held may be enough, and takes a moment to come back.
void Supervisor::end_youngest(TimePoint now, Orders& out) {
  const std::vector<ProcessNumber> living = by_age();
  const bool one_is_dying =
      std::ranges::any_of(workers_, [](const auto& one) { return !one.second.kill_why.empty(); });
  if (living.size() < 2 || one_is_dying || !memory_.should_end_one(now)) return;
  const ProcessNumber youngest = living.back();
  kill(youngest,
       workers_.at(youngest),
       EndReason::kMemory,
       fmt::format("memory is nearly used up ({}) and it is the youngest worker; its mini-batch "
                   "runs again and is charged no try; {}",
                   memory_.room_text(),
                   kMemoryHelp),
       now,
       out);
  memory_.ended_one(static_cast<std::uint32_t>(living.size() - 1), now);
}

std::vector<ProcessNumber> Supervisor::by_age() const {
  std::vector<ProcessNumber> out;
  for (const auto& [process, worker] : workers_) {
    if (worker.state != State::kEnding) out.push_back(process);
  }
  std::ranges::sort(out, {}, [this](ProcessNumber process) {
    const Worker& worker = workers_.at(process);
    return std::tuple(worker.state == State::kStarting, worker.since, process);
  });
  return out;
}

std::optional<ProcessNumber> Supervisor::eldest() const {
  const std::vector<ProcessNumber> living = by_age();
  return living.empty() ? std::nullopt : std::optional(living.front());
}

}  // namespace windrow
