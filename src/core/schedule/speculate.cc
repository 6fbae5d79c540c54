// SPDX-License-Identifier: Apache-2.0
//
// The part of the Scheduler that beats stragglers: when workers are idle and nothing waits, what
// runs for much longer than usual is handed out a second time. The first attempt that succeeds
// counts and the other is ended; a failure of one is not charged while the other runs. The two
// are one try: there is no third before that is decided, or something that hangs would do so
// for ever.
#include <algorithm>
#include <utility>

#include "base/plant.h"
#include "core/schedule/scheduler.h"

namespace windrow {
namespace {

constexpr std::size_t kKnownMin = 20;  // before so many have ended nobody knows what is usual

}  // namespace

bool Scheduler::may_speculate() const {
  return may_assign() && durations_.count() >= kKnownMin && returned_.empty() &&
         next_new_ >= state_.batches().size();
}

void Scheduler::note_duration(const AttemptRecord& record) {
  if (limits_.speculate) durations_.add(std::chrono::microseconds(record.elapsed_us));
}

// Of those that are out once, the one that has been with a worker for longest.
std::optional<Scheduler::Held> Scheduler::longest_running() const {
  std::optional<Held> longest;
  for (const auto& [id, agent] : agents_) {
    const std::size_t running = std::min<std::size_t>(agent.held.size(), agent.slots);
    for (std::size_t i = 0; i < running; ++i) {
      const Held& held = agent.held[i];
      if (seconds_.contains(held.batch)) continue;
      if (!longest || held.since < longest->since) longest = held;
    }
  }
  return longest;
}

std::map<AgentId, Scheduler::Agent>::iterator Scheduler::idle_agent() {
  return std::ranges::find_if(agents_, [](const auto& one) {
    const Agent& agent = one.second;
    return agent.ready && !agent.gave_up && !agent.stopping && agent.held.size() < agent.slots;
  });
}

void Scheduler::speculate() {
  while (limits_.speculate && may_speculate()) {
    const auto agent = idle_agent();
    const std::optional<Held> late = longest_running();
    if (agent == agents_.end() || !late || now_ - late->since <= late_after()) return;
    Hand& hand = hands_[late->batch];
    Hand& second = seconds_[late->batch];
    second.holder = agent->first;
    second.picked = planted(Fault::kSecondSameToken) ? hand.picked : ++hand.highest;
    const ItemRange piece = piece_out(late->batch);
    const ItemRange all{0, state_.batches()[late->batch].items};
    hand_out(agent->first,
             agent->second,
             {state_.epoch(), late->batch, second.picked},
             piece.count > 0 ? piece : all);
  }
}

// What becomes of the mini-batch is decided: a second attempt that still runs need not.
void Scheduler::overtake(BatchId batch) {
  const auto second = seconds_.find(batch);
  if (second == seconds_.end()) return;
  const auto end = [this, batch](Hand& hand) {
    if (hand.holder == kNobody) return;
    out_->actions.emplace_back(
        action::Cancel{hand.holder, Token{state_.epoch(), batch, hand.picked}});
    overtaken_[{state_.epoch(), batch, hand.picked}] = piece_out(batch);
    drop(agents_.at(hand.holder), batch);
    hand.holder = kNobody;
  };
  end(hands_[batch]);
  end(second->second);
  seconds_.erase(second);
}

// Nothing depends on it any more; it is kept for those who ask what the worker did meanwhile.
void Scheduler::end_overtaken(const AttemptRecord& record) {
  AttemptRecord kept{.token = record.token, .piece = overtaken_.extract(record.token).mapped()};
  if (!is_attempt(record)) return;
  kept.agent = record.agent;
  kept.process = record.process;
  kept.status = AttemptStatus::kReturned;  // however it ended: nobody asked for it any more
  kept.start = record.start;
  kept.elapsed_us = std::max(1U, record.elapsed_us);
  kept.run_us = record.run_us;
  kept.cpu_us = record.cpu_us;
  kept.memory_peak = record.memory_peak;
  emit(fact::AttemptEnded{std::move(kept), Verdict::kOvertaken});
}

// An agent goes: of what was handed out twice it has nothing any more, or the only attempt.
void Scheduler::forget_seconds_of(AgentId id, Agent& agent) {
  for (auto& [batch, second] : seconds_) {
    Hand& hand = hands_[batch];
    if (second.holder == id) {
      drop(agent, batch);
      second.holder = kNobody;
    } else if (hand.holder == id && second.holder != kNobody) {
      drop(agent, batch);
      hand.holder = std::exchange(second.holder, kNobody);
      hand.picked = second.picked;
    }
  }
  std::erase_if(seconds_, [this, id](const auto& one) { return hands_[one.first].holder == id; });
}

}  // namespace windrow
