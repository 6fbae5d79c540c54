// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/scheduler.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/plant.h"

namespace windrow {
namespace {

constexpr Duration kKeepTimeEvery = std::chrono::seconds(10);

}  // namespace

Scheduler::Scheduler(JobState state, Limits limits)
    : state_(std::move(state)), limits_(std::move(limits)), time_before_(state_.job_time()) {}

void Scheduler::begin(const fact::EpochBegan& epoch,
                      TimePoint now,
                      std::optional<fact::Reopened> reopen,
                      Decision& out) {
  began_ = now_ = progress_ = now;
  wall_ = epoch.wall;
  out_ = &out;
  emit(epoch);
  if (reopen) emit(*reopen);
  hands_.resize(state_.batches().size());
  for (BatchId id = 0; id < hands_.size(); ++id) hands_[id].highest = state_.batches()[id].picked;
  place_committed();
  check_ended();
  out_ = nullptr;
}

void Scheduler::decide(Event event, TimePoint now, WallTime wall, Decision& out) {
  CHECK(now >= now_);
  now_ = now;
  wall_ = wall;
  if (finish_said_) return;
  out_ = &out;
  std::visit([this](auto& one) { take(one); }, event);
  place_committed();
  out_ = nullptr;
}

void Scheduler::emit(Fact fact) {
  state_.apply(fact);
  out_->facts.push_back(std::move(fact));
}

void Scheduler::take(const event::Planned& event) {
  emit(fact::Planned{event.runs, event.plan_bytes});
  hands_.resize(state_.batches().size());
  progressed();
  fill_all();
}

void Scheduler::take(const event::ListingEnded& /*event*/) {
  emit(fact::ListingEnded{});
  progressed();
  check_thresholds();
  check_ended();
}

void Scheduler::take(const event::ListingProgressed& /*event*/) { progressed(); }

void Scheduler::take(const event::AgentJoined& event) {
  if (const auto old = agents_.find(event.agent); old != agents_.end()) remove_agent(old, true);
  if (!may_assign()) {
    out_->actions.emplace_back(action::StopAgent{event.agent, StopMode::kNow});
    check_ended();
    return;
  }
  const auto segment = static_cast<SegmentId>(state_.segments().size());
  emit(fact::SegmentOpened{segment, event.agent, event.segment_file});
  Agent& agent = agents_[event.agent];
  agent.segment = segment;
  agent.slots = event.slots;
  agent.window = event.window;
  agent.heard = agent.init_since = now_;
  progressed();
  fill_all();
}

void Scheduler::take(const event::AgentHeard& event) {
  if (const auto it = agents_.find(event.agent); it != agents_.end()) it->second.heard = now_;
}

void Scheduler::take(const event::AgentLost& event) {
  const auto it = agents_.find(event.agent);
  if (it == agents_.end()) return;
  remove_agent(it, true);
  fill_all();
  check_ended();
}

void Scheduler::take(const event::WindowChanged& event) {
  const auto it = agents_.find(event.agent);
  if (it == agents_.end()) return;
  it->second.window = event.window;
  fill(it->first, it->second);
}

void Scheduler::take(const event::WorkerProcess& event) {
  if (has_agent(event.worker.agent)) emit(event.worker);
}

void Scheduler::take(event::LoadEnded& event) {
  const auto it = agents_.find(event.load.agent);
  if (it == agents_.end()) return;
  const LoadStatus status = event.load.status;
  std::string cause = event.load.error_message;
  emit(std::move(event.load));
  if (status == LoadStatus::kDone) {
    it->second.ready = true;
    load_failures_ = 0;
    progressed();
    return;
  }
  if (status == LoadStatus::kRefused) {
    stop({JobStatus::kFailed, std::move(cause)}, StopMode::kNow);
    return;
  }
  if (status != LoadStatus::kTimeout) {  // one that fails is not stuck
    it->second.init_since = now_;
    progressed();
  }
  ++load_failures_;
  last_load_failure_ = std::move(cause);
  check_stuck_in_init();
  check_load_failures();
}

void Scheduler::take(const event::AgentGaveUp& event) {
  const auto it = agents_.find(event.agent);
  if (it == agents_.end()) return;
  it->second.gave_up = true;
  if (first_give_up_.empty()) first_give_up_ = event.cause;
  check_all_gave_up();
}

void Scheduler::take(event::AttemptEnded& event) {
  if (!let_go(event.record)) {
    if (overtaken_.contains(event.record.token)) end_overtaken(event.record);
    return;
  }
  const auto agent = agents_.find(event.record.agent);
  agent->second.heard = now_;
  const bool again = end_attempt(std::move(event.record), agent->second.segment);
  check_thresholds();
  if (again) {
    fill_all();  // not to the one that hands it back while others are idle
  } else {
    fill(agent->first, agent->second);
  }
  balance();
  speculate();
  check_ended();
}

// What the end of an attempt means; true when there is more to do for its mini-batch.
bool Scheduler::end_attempt(AttemptRecord record, SegmentId segment) {
  const BatchId id = record.token.batch;
  const Portion portion{id, piece_out(id)};
  record.rows.segment = segment;
  record.piece = portion.piece;
  fact::AttemptEnded ended{.record = std::move(record)};
  const Batch& batch = state_.batches()[id];
  const std::optional<std::uint32_t> found = std::exchange(ended.record.items, std::nullopt);
  if (found && *found != batch.items && portion.piece.count == 0 && !planted(Fault::kForgetCount)) {
    emit(fact::Counted{id, *found});
  }
  ended.verdict = judge(ended.record, batch);
  // With two attempts at a time the first that succeeds counts; while one is left, failures do not.
  const bool decided = hands_[id].holder == kNobody || ended.verdict == Verdict::kDone;
  if (decided) {
    overtake(id);
  } else {
    ended.verdict = Verdict::kReturned;
  }
  const bool halved =
      ended.verdict == Verdict::kFailed && may_be_halved(ended.record) && halve(portion);
  if (halved) ended.verdict = Verdict::kRetry;
  const Verdict verdict = ended.verdict;
  // A hand-out that was taken back is not progress: else two agents could pass it back and forth.
  if (verdict != Verdict::kReturned) progressed();
  if (verdict == Verdict::kDone) {
    ended.succeeded = succeeded_items(ended.record, items_of(portion));
    note_duration(ended.record);
  }
  emit(std::move(ended));
  if (verdict == Verdict::kDone) halve_suspect(portion);
  if (!decided || batch.stage != BatchStage::kPending || !state_.next_items(id)) return false;
  if (verdict == Verdict::kRetry && !halved && limits_.retry_delay > Duration::zero()) {
    delayed_.push_back({now_ + limits_.retry_delay, id});
  } else {
    returned_.push_back(id);
  }
  return true;
}

void Scheduler::take(const event::TakenBack& event) {
  const auto it = agents_.find(event.agent);
  if (it == agents_.end()) return;
  it->second.taking_back = false;
  fill_all();
}

void Scheduler::take(const event::SegmentSynced& event) {
  const auto it = agents_.find(event.agent);
  if (it == agents_.end()) return;
  it->second.heard = now_;
  if (event.up_to <= state_.segments()[it->second.segment].synced) return;
  emit(fact::SegmentSynced{it->second.segment, event.up_to, job_time(now_)});
  check_ended();
}

void Scheduler::take(const event::AgentStopped& event) {
  const auto it = agents_.find(event.agent);
  if (it == agents_.end()) return;
  remove_agent(it, false);
  fill_all();
  check_ended();
}

void Scheduler::take(const event::CancelAsked& event) {
  const StopMode mode = event.at_once ? StopMode::kNow : StopMode::kDrain;
  // Once the result is being linked there is nothing to cancel, only agents to hurry.
  if (state_.stopped() || !state_.publishing().empty() || published_) {
    if (event.at_once) stop_agents(StopMode::kNow);
    return;
  }
  stop({JobStatus::kCanceled, "canceled"}, mode);
}

void Scheduler::take(const event::Broken& event) {
  if (state_.stopped()) return;
  stop({JobStatus::kFailed, event.cause, event.for_good}, StopMode::kNow);
}

// Once nothing is handed out any more nobody needs its segment.
void Scheduler::take(const event::AgentBroken& event) {
  if (!has_agent(event.agent)) return;
  if (!may_assign()) {
    take(event::AgentLost{event.agent});
  } else {
    out_->actions.emplace_back(action::GiveUp{event.cause});
  }
}

void Scheduler::take(const event::Merged& event) {
  if (!merging_ || state_.stopped()) return;
  progressed();
  for (const fact::Publishing& result : event.results) emit(result);
  out_->actions.emplace_back(action::Publish{});
}

void Scheduler::take(const event::Published& /*event*/) {
  if (state_.publishing().empty() || state_.stopped()) return;
  published_ = true;
  check_ended();
}

void Scheduler::take(const event::MergeProgressed& /*event*/) { progressed(); }

void Scheduler::take(const event::Placed& event) {
  placed_ += event.attempts;
  progressed();
  check_ended();
}

// Beside the syncs of rows: a job without rows, or with long mini-batches, keeps its time as well.
void Scheduler::keep_time(SegmentId segment, Duration at_least) {
  const Duration time = job_time(now_);
  if (time - state_.job_time() < at_least) return;
  emit(fact::SegmentSynced{segment, state_.segments()[segment].synced, time});
}

void Scheduler::take(const event::TimePassed& /*event*/) {
  if (!agents_.empty()) keep_time(agents_.begin()->second.segment, kKeepTimeEvery);
  for (auto it = agents_.begin(); it != agents_.end();) {
    const auto next = std::next(it);
    if (now_ - it->second.heard > limits_.heartbeat_timeout) remove_agent(it, true);
    it = next;
  }
  release_delayed();
  fill_all();
  speculate();
  check_ended();
  check_all_gave_up();
  check_stuck_in_init();
  check_load_failures();
  check_progress();
}

std::optional<Duration> Scheduler::in_init(TimePoint now) const {
  std::optional<Duration> longest;
  for (const auto& [id, agent] : agents_) {
    if (agent.ready) return std::nullopt;
    longest = std::max(longest.value_or(Duration{}), now - agent.init_since);
  }
  return longest;
}

std::uint32_t Scheduler::running_workers() const {
  std::uint32_t workers = 0;
  for (const auto& [id, agent] : agents_) workers += agent.gave_up ? 0 : agent.slots;
  return workers;
}

}  // namespace windrow
