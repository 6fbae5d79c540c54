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
    return state_.batches()[id].stage == BatchStage::kPending &&
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
  if (agent.gave_up || agent.stopping || agent.held >= cap) return false;
  const std::optional<BatchId> batch = next_pending();
  if (!batch) return false;
  Hand& hand = hands_[*batch];
  hand.holder = id;
  ++hand.picked;
  ++agent.held;
  const Batch& one = state_.batches()[*batch];
  out_->actions.emplace_back(
      action::Assign{id, Token{state_.epoch(), *batch, hand.picked}, one.items, one.tries});
  return true;
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
    if (!agent.gave_up && agent.held < agent.slots) free += agent.slots - agent.held;
  }
  for (auto& [id, agent] : agents_) {
    if (free == 0) return;
    if (agent.taking_back || agent.stopping || agent.held <= agent.slots) continue;
    const std::uint32_t count = std::min(agent.held - agent.slots, free);
    agent.taking_back = true;
    free -= count;
    out_->actions.emplace_back(action::TakeBack{id, count});
  }
}

void Scheduler::release(BatchId batch) {
  hands_[batch].holder = kNobody;
  if (state_.batches()[batch].stage == BatchStage::kPending) returned_.push_back(batch);
}

void Scheduler::remove_agent(std::map<AgentId, Agent>::iterator agent) {
  const AgentId id = agent->first;
  const SegmentId segment = agent->second.segment;
  const std::vector<BatchId> unsynced(state_.segments()[segment].waiting.begin(),
                                      state_.segments()[segment].waiting.end());
  emit(fact::AgentLost{id, segment});
  for (const BatchId batch : unsynced) release(batch);
  if (agent->second.held > 0) {
    for (BatchId batch = 0; batch < hands_.size(); ++batch) {
      if (hands_[batch].holder == id) release(batch);
    }
  }
  agents_.erase(agent);
}

void Scheduler::stop(JobStatus status, std::string cause, StopMode mode) {
  if (state_.stopped() || finish_said_) return;
  emit(fact::Stopped{status, std::move(cause)});
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

void Scheduler::check_thresholds() {
  const JobCounts& counts = state_.counts();
  const auto exceeds = [](std::uint64_t count, std::int64_t threshold) {
    return threshold >= 0 && count > static_cast<std::uint64_t>(threshold);
  };
  if (exceeds(counts.items_failed, limits_.error_threshold)) {
    stop(JobStatus::kFailed,
         fmt::format("{} failed items are more than error_threshold {} allows",
                     counts.items_failed,
                     limits_.error_threshold),
         StopMode::kNow);
  } else if (exceeds(counts.failed, limits_.mini_batch_error_threshold)) {
    stop(JobStatus::kFailed,
         fmt::format("{} failed mini-batches are more than mini_batch_error_threshold {} allows",
                     counts.failed,
                     limits_.mini_batch_error_threshold),
         StopMode::kNow);
  }
}

// Moves the job on when a stage is over: all final, then merged and published, then finished.
void Scheduler::check_ended() {
  if (finish_said_) return;
  if (const auto& stopped = state_.stopped()) {
    if (agents_.empty()) finish(stopped->status, stopped->cause);
    return;
  }
  if (!merging_) {
    const bool final =
        state_.all_final() ||
        (planted(Fault::kPublishBeforeCommit) && state_.listing_ended() &&
         state_.counts().committed + state_.counts().failed + state_.counts().ended ==
             state_.batches().size());
    if (!final) return;
    if (state_.batches().empty() && !limits_.allow_empty_input) {
      stop(JobStatus::kFailed, "the input holds no file", StopMode::kFinish);
      return;
    }
    if (limits_.append_row && state_.counts().items > 0 && state_.counts().items_succeeded == 0) {
      stop(JobStatus::kFailed, "no result: not one item succeeded", StopMode::kFinish);
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
  if (published_ && agents_.empty()) finish(JobStatus::kCompleted, "");
}

void Scheduler::finish(JobStatus status, std::string cause) {
  emit(fact::Finished{status, std::move(cause), wall_});
  finish_said_ = true;
  out_->actions.emplace_back(action::Finish{});
}

std::string Scheduler::blocked_stage() const {
  if (merging_) return "merging the rows";
  if (agents_.empty()) return "waiting for an agent";
  if (state_.batches().empty()) return "listing the input";
  for (const auto& [id, agent] : agents_) {
    if (agent.held > 0) return "run() or init() is working";
  }
  return "waiting for the listing of the input";
}

void Scheduler::check_invariants() const {
  state_.check_invariants();
  CHECK(hands_.size() == state_.batches().size());
  std::map<AgentId, std::uint32_t> held;
  for (BatchId id = 0; id < hands_.size(); ++id) {
    const Hand& hand = hands_[id];
    CHECK(hand.picked >= state_.batches()[id].picked);
    if (hand.holder == kNobody) continue;
    CHECK(state_.batches()[id].stage == BatchStage::kPending);
    CHECK(agents_.contains(hand.holder));
    ++held[hand.holder];
  }
  for (const auto& [id, agent] : agents_) CHECK(held[id] == agent.held);
  std::uint64_t tries_max = limits_.tries_max;
  for (const Batch& batch : state_.batches()) CHECK(batch.tries <= tries_max);
}

}  // namespace windrow
