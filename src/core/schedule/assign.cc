// SPDX-License-Identifier: Apache-2.0
//
// The part of the Scheduler that hands out work and ends the job.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/plant.h"
#include "core/schedule/scheduler.h"

namespace windrow {

bool Scheduler::may_assign() const { return !state_.stopped() && !merging_ && !finish_said_; }

std::optional<BatchId> Scheduler::next_pending() {
  const auto free = [this](BatchId id) {
    return state_.batches()[id].stage == BatchStage::kPending && state_.next_items(id) &&
           (hands_[id].holder == kNobody || planted(Fault::kDoubleAssign));
  };
  while (!returned_.empty()) {
    const BatchId id = returned_.front();
    returned_.pop_front();
    if (free(id)) return id;
  }
  const auto total = static_cast<BatchId>(state_.batches().size());
  if (planted(Fault::kDoubleAssign) && next_new_ > 0 && next_new_ == total / 2 && free(0)) return 0;
  while (next_new_ < total) {
    const BatchId id = next_new_++;
    if (free(id)) return id;
  }
  return std::nullopt;
}

bool Scheduler::assign_one(AgentId id, Agent& agent, std::uint32_t cap) {
  if (agent.gave_up || agent.stopping || agent.held.size() >= cap) return false;
  const std::optional<BatchId> batch = next_pending();
  if (!batch) return false;
  const ItemRange items = *state_.next_items(*batch);
  if (state_.pieces_of(*batch) != nullptr) pieces_out_[*batch] = items;
  Hand& hand = hands_[*batch];
  hand.holder = id;
  hand.picked = ++hand.highest;
  hand_out(id, agent, {state_.epoch(), *batch, hand.picked}, items);
  return true;
}

void Scheduler::hand_out(AgentId id, Agent& agent, const Token& token, const ItemRange& items) {
  agent.held.push_back({token.batch, now_});
  out_->actions.emplace_back(action::Assign{id, token, items, state_.batches()[token.batch].tries});
}

// The agent holds it no longer. Its workers take what they are given in order: the end of one is
// the beginning of the next.
void Scheduler::drop(Agent& agent, BatchId batch) {
  const auto found = std::ranges::find(agent.held, batch, &Held::batch);
  const bool was_running = found - agent.held.begin() < static_cast<std::ptrdiff_t>(agent.slots);
  agent.held.erase(found);
  if (was_running && agent.held.size() >= agent.slots) agent.held[agent.slots - 1].since = now_;
}

// Takes a mini-batch out of the hands of whoever reports on it; false: the report is stale.
bool Scheduler::let_go(const AttemptRecord& record) {
  const BatchId id = record.token.batch;
  const auto agent = agents_.find(record.agent);
  if (agent == agents_.end() || id >= hands_.size()) return false;
  const auto names = [&record, this](const Hand& hand) {
    return hand.holder == record.agent && hand.picked == record.token.picked &&
           record.token.epoch == state_.epoch();
  };
  Hand& hand = hands_[id];
  const auto second = seconds_.find(id);
  if (second != seconds_.end() && names(second->second)) {
    second->second.holder = kNobody;
  } else if (names(hand)) {
    hand.holder = kNobody;
    if (second != seconds_.end()) {
      hand.holder = std::exchange(second->second.holder, kNobody);
      hand.picked = second->second.picked;
    }
  } else {
    return accept_stale(id);
  }
  drop(agent->second, id);
  return true;
}

// A mistake that the simulation can plant.
bool Scheduler::accept_stale(BatchId id) {
  const bool may = planted(Fault::kAcceptStaleToken) && !seconds_.contains(id) &&
                   state_.pieces_of(id) == nullptr;
  if (may && hands_[id].holder != kNobody) {
    drop(agents_[hands_[id].holder], id);
    hands_[id].holder = kNobody;
  }
  return may;
}

void Scheduler::fill(AgentId id, Agent& agent) {
  if (!may_assign()) return;
  while (assign_one(id, agent, agent.window)) {
  }
}

// Every worker of every agent gets one mini-batch before any agent gets a reserve.
void Scheduler::fill_all() {
  if (!may_assign()) return;
  for (auto& [id, agent] : agents_) {
    while (assign_one(id, agent, std::min(agent.slots, agent.window))) {
    }
  }
  for (auto& [id, agent] : agents_) fill(id, agent);
}

// When nothing is pending and an agent has a free worker, takes the reserve of another agent back.
void Scheduler::balance() {
  if (!may_assign() || agents_.size() < 2 || !returned_.empty() ||
      next_new_ < state_.batches().size()) {
    return;
  }
  std::uint32_t free = 0;
  for (const auto& [id, agent] : agents_) {
    const auto held = static_cast<std::uint32_t>(agent.held.size());
    if (!agent.gave_up && held < agent.slots) free += agent.slots - held;
  }
  for (auto& [id, agent] : agents_) {
    if (free == 0) return;
    const auto held = static_cast<std::uint32_t>(agent.held.size());
    if (agent.taking_back || agent.stopping || held <= agent.slots) continue;
    const std::uint32_t count = std::min(held - agent.slots, free);
    agent.taking_back = true;
    free -= count;
    out_->actions.emplace_back(action::TakeBack{id, count});
  }
}

void Scheduler::release(BatchId batch) {
  hands_[batch].holder = kNobody;
  if (state_.batches()[batch].stage == BatchStage::kPending) returned_.push_back(batch);
}

void Scheduler::release_delayed() {
  while (!delayed_.empty() && delayed_.front().due <= now_) {
    returned_.push_back(delayed_.front().batch);
    delayed_.pop_front();
    progressed();
  }
}

// `lost`: it did not end as it was told to.
void Scheduler::remove_agent(std::map<AgentId, Agent>::iterator agent, bool lost) {
  const AgentId id = agent->first;
  const SegmentId segment = agent->second.segment;
  const std::deque<Portion> unsynced = state_.segments()[segment].waiting;
  keep_time(segment, std::chrono::milliseconds(1));
  forget_seconds_of(id, agent->second);
  if (lost && may_assign()) lose_running(id, agent->second);
  emit(fact::AgentLost{id, segment});
  for (const Portion& portion : unsynced) {
    // Of a halved one, another agent may be at another piece.
    if (hands_[portion.batch].holder == kNobody) release(portion.batch);
  }
  std::vector<Held> held = std::move(agent->second.held);
  std::ranges::sort(held, {}, &Held::batch);
  for (const Held& one : held) release(one.batch);
  agents_.erase(agent);
  check_thresholds();
}

// What was with its workers, as far as the order of the hand-outs tells, has lost a node. One that
// does so again and again is what kills them.
void Scheduler::lose_running(AgentId id, const Agent& agent) {
  const std::size_t running = std::min<std::size_t>(agent.held.size(), agent.slots);
  for (std::size_t i = 0; i < running; ++i) {
    const BatchId batch = agent.held[i].batch;
    fact::AttemptEnded ended{.verdict = Verdict::kReturned};
    ended.record.token = {state_.epoch(), batch, hands_[batch].picked};
    ended.record.piece = piece_out(batch);
    ended.record.agent = id;
    ended.record.status = AttemptStatus::kNodeLost;
    ended.record.start = wall_;
    if (state_.batches()[batch].losses + 1U >= limits_.losses_max) {
      ended.verdict = Verdict::kFailed;
      ended.record.error_type = "NodeLost";
      ended.record.error_message = fmt::format(
          "{} nodes were lost while they worked on this mini-batch", limits_.losses_max);
    }
    emit(std::move(ended));
  }
}

void Scheduler::stop(fact::Stopped how, StopMode mode) {
  if (state_.stopped() || finish_said_) return;
  emit(std::move(how));
  stop_agents(mode);
  check_ended();
}

void Scheduler::stop_agents(StopMode mode) {
  for (auto& [id, agent] : agents_) {
    if (agent.stopping && *agent.stopping >= mode) continue;
    agent.stopping = mode;
    out_->actions.emplace_back(action::StopAgent{id, mode});
  }
}

// What is committed stays so, whatever becomes of the job: its files need not wait for the end. A
// master that begins asks for those of its predecessors as well, who may have died over them.
void Scheduler::place_committed() {
  const std::vector<Token>& staged = state_.staged();
  if (place_asked_ == staged.size()) return;
  action::Place place;
  place.attempts.assign(staged.begin() + static_cast<std::ptrdiff_t>(place_asked_), staged.end());
  out_->actions.emplace_back(std::move(place));
  place_asked_ = staged.size();
}

// Moves the job on when a stage is over: all final, then merged and published, then finished.
void Scheduler::check_ended() {
  if (finish_said_) return;
  const bool quiet = agents_.empty() && placed_ == state_.staged().size();
  if (const auto& stopped = state_.stopped()) {
    if (quiet) finish(stopped->status, stopped->cause);
    return;
  }
  if (!merging_) {
    const bool final =
        state_.all_final() ||
        (planted(Fault::kPublishBeforeCommit) && state_.listing_ended() &&
         state_.counts().committed + state_.counts().failed + state_.counts().ended ==
             state_.batches().size());
    if (!final) return;
    check_thresholds();
    if (state_.stopped()) return;
    if (limits_.append_row && state_.counts().items > 0 && state_.counts().items_succeeded == 0) {
      stop({JobStatus::kFailed, "no result: not one item succeeded" + why_no_result()},
           StopMode::kFinish);
      return;
    }
    merging_ = true;
    progressed();
    stop_agents(StopMode::kFinish);
    if (limits_.append_row) {
      out_->actions.emplace_back(action::Merge{});
    } else {
      published_ = true;
    }
  }
  if (published_ && quiet) finish(JobStatus::kCompleted, "");
}

void Scheduler::finish(JobStatus status, std::string cause) {
  emit(fact::Finished{status, std::move(cause), wall_});
  finish_said_ = true;
  out_->actions.emplace_back(action::Finish{});
}

void Scheduler::check_invariants() const {
  state_.check_invariants();
  CHECK(hands_.size() == state_.batches().size());
  std::map<AgentId, std::size_t> held;
  for (BatchId id = 0; id < hands_.size(); ++id) {
    const Hand& hand = hands_[id];
    CHECK(hand.highest >= state_.batches()[id].picked);
    if (hand.holder == kNobody) continue;
    CHECK(state_.batches()[id].stage == BatchStage::kPending);
    CHECK(agents_.contains(hand.holder));
    ++held[hand.holder];
  }
  for (const auto& [id, second] : seconds_) {
    CHECK(hands_[id].holder != kNobody);
    if (second.holder == kNobody) continue;
    CHECK(second.picked > hands_[id].picked);
    ++held[second.holder];
  }
  for (const auto& [id, agent] : agents_) CHECK(held[id] == agent.held.size());
  std::uint64_t tries_max = limits_.tries_max;
  for (const Batch& batch : state_.batches()) CHECK(batch.tries <= tries_max);
}

}  // namespace windrow
