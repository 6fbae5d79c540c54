// SPDX-License-Identifier: Apache-2.0
#include "master/master.h"

#include <algorithm>
#include <utility>

#include "base/plant.h"
#include "base/text.h"
#include "base/words.h"
#include "core/plan/item_file.h"
#include "master/plan_check.h"

namespace windrow {
namespace {

constexpr Duration kTick = std::chrono::seconds(1);

// An input that held nothing is listed again when the job resumes.
bool has_whole_plan(const JobState& state) {
  return state.listing_ended() && state.plan_bytes() > 0;
}

// Only lists have paths from anywhere.
bool has_list(const InputFiles& input) {
  return std::ranges::any_of(
      input.parts, [](const InputPart& part) { return part.kind == InputPart::Kind::kList; });
}

}  // namespace

Master::Master(Loop& loop, FileSystem& fs, AgentLinks& links, MasterLog& log, MasterConfig config)
    : loop_(loop),
      fs_(fs),
      links_(links),
      log_(log),
      config_(std::move(config)),
      self_(std::make_shared<Master*>(this)) {}

Master::~Master() { *self_ = nullptr; }

Status Master::open(ReplayedJob job, std::optional<fact::Reopened> reopen) {
  resumed_ = job.end.epoch != 0;
  const bool again = planted(Fault::kReuseEpoch) && job.state.epoch() > 0;
  const Epoch epoch = again ? job.state.epoch() : job.end.highest + 1;
  std::uint64_t size = 0;
  ASSIGN_OR_RETURN(std::unique_ptr<File> file,
                   Journal::create(fs_, config_.folder.state(), job.end, size));
  RETURN_IF_ERROR(open_plan(job.state, epoch));
  const Epoch plan = has_whole_plan(job.state) ? job.state.plan() : epoch;
  config_.journal.skip_sync = Fault::kSkipJournalSync;
  journal_ = std::make_unique<Journal>(
      loop_, std::move(file), size, config_.journal, [this](const Error& error) {
        broken("the journal cannot be written: " + error.message);
      });
  published_before_ = job.state.publishing();
  make_merger(epoch);
  make_placer();
  scheduler_ = std::make_unique<Scheduler>(std::move(job.state), config_.limits);
  Decision decision;
  scheduler_->begin(fact::EpochBegan{epoch, plan, loop_.wall_now()}, loop_.now(), reopen, decision);
  carry_out(decision);
  planner_->start();
  tick_later();
  return {};
}

void Master::make_merger(Epoch epoch) {
  if (config_.targets.empty()) return;
  merger_ = std::make_unique<Merger>(
      loop_,
      fs_,
      config_.folder,
      config_.targets,
      config_.rows,
      epoch,
      Merger::Callbacks{.on_progress =
                            [this](std::uint64_t bytes) {
                              merged_bytes_ = bytes;
                              step(event::MergeProgressed{});
                            },
                        .on_merged =
                            [this](std::vector<fact::Publishing> results) {
                              merged_bytes_ = 0;
                              for (const auto& result : results) merged_bytes_ += result.length;
                              step(event::Merged{std::move(results)});
                            },
                        .on_error = [this](const Error& error) { not_merged(error); },
                        .on_note =
                            [this](const std::string& text) {
                              if (on_note) on_note(text);
                            }});
}

void Master::make_placer() {
  placer_ = std::make_unique<Placer>(
      loop_,
      fs_,
      config_.folder,
      config_.worker.staged,
      config_.replace_targets,
      Placer::Callbacks{
          .on_placed = [this](std::size_t attempts) { step(event::Placed{attempts}); },
          .on_error = [this](std::string cause) { broken(std::move(cause)); },
          .may_go_on =
              [this] {
                if (!finished() && superseded()) end(RunEnding::kSuperseded);
                return !finished();
              }});
}

// A new plan is created, an unfinished one copied and continued, a finished one compared with the
// input beside the work.
Status Master::open_plan(const JobState& state, Epoch epoch) {
  PlannerConfig planner{.plan_path = config_.folder.plan(epoch),
                        .state_folder = config_.folder.state(),
                        .rules = config_.plan,
                        .old_plan_path = "",
                        .old_plan_bytes = state.plan_bytes(),
                        .listing_ended = has_whole_plan(state),
                        .may_change = {},
                        .epoch = epoch,
                        .accept = config_.accept_input};
  accepted_before_ = accepted_up_to(fs_, config_.folder.state());
  if (config_.pending_may_change) {
    for (const Batch& batch : state.batches()) {
      planner.may_change.push_back(batch.stage != BatchStage::kCommitted);
    }
  }
  if (state.plan_bytes() > 0) planner.old_plan_path = config_.folder.plan(state.plan());
  planner_ = std::make_unique<Planner>(
      loop_,
      fs_,
      std::move(planner),
      Planner::Callbacks{
          .on_page =
              [this](PlannedPage page) {
                plan_->note(page.offsets, page.plan_bytes);
                step(event::Planned{std::move(page.runs), page.plan_bytes});
              },
          .on_listed = [this] { step(event::ListingProgressed{}); },
          .on_ended = [this](const ListingRemarks& remarks) { listed(remarks); },
          .on_error = [this](const Error& error) { failed(error, RunEnding::kHeldUp); },
          .on_newer = [this](const Error& error) { failed(error, RunEnding::kNewerInput); },
          .on_accepted =
              [this](const AcceptedInput& accepted) {
                if (on_note) on_note(accepted_text(accepted));
              }});
  RETURN_IF_ERROR(planner_->open());
  const Epoch plan_epoch = has_whole_plan(state) ? state.plan() : epoch;
  ASSIGN_OR_RETURN(plan_, PlanReader::open(fs_, config_.folder.plan(plan_epoch)));
  const std::vector<std::string>& roots = plan_->head().roots;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    path_between_.push_back('\0' + (roots[i] == "/" ? "" : roots[i]) + '/');
    has_list_.push_back(i < config_.plan.inputs.size() && has_list(config_.plan.inputs[i]));
  }
  return plan_->index(std::max<std::uint64_t>(state.plan_bytes(), plan_->bytes()));
}

void Master::listed(const ListingRemarks& remarks) {
  input_checked_ = true;
  if (on_note) {
    for (const std::string& line : remark_lines(remarks)) on_note(line);
  }
  if (!state().listing_ended()) step(event::ListingEnded{});
  if (std::exchange(merge_waits_, false)) merger_->complete(state());
}

void Master::step(Event event) {
  if (finished()) return;
  later_.push_back(std::move(event));
  if (stepping_) return;
  stepping_ = true;
  Decision decision;
  for (std::size_t i = 0; i < later_.size() && !finished(); ++i) {
    decision.facts.clear();
    decision.actions.clear();
    scheduler_->decide(std::move(later_[i]), loop_.now(), loop_.wall_now(), decision);
    carry_out(decision);
  }
  later_.clear();
  stepping_ = false;
  wake_in_time();
}

// Facts first: an action may only follow what the journal has in hand.
void Master::carry_out(Decision& decision) {
  bool committed = false;
  for (const Fact& fact : decision.facts) {
    journal_->append(fact);
    log_.on_fact(fact, state(), *plan_);
    committed = committed || std::holds_alternative<fact::SegmentSynced>(fact);
  }
  if (committed && merger_) merger_->follow(state());
  for (const Action& action : decision.actions) {
    std::visit([this](const auto& one) { carry_out(one); }, action);
  }
}

void Master::carry_out(const action::Assign& action) {
  Result<std::string> paths = paths_of(action.token.batch, action.items);
  if (!paths) {
    failed(paths.error(), found_newer_ ? RunEnding::kNewerInput : RunEnding::kHeldUp);
    return;
  }
  say(action.agent,
      to_agent::Assign{action.token, action.items.count, action.tries, *std::move(paths)});
}

// Absolute paths, separated by NUL. In a job that resumes, each file is looked at first.
Result<std::string> Master::paths_of(BatchId id, const ItemRange& items) {
  // The plan may not know how many items all of them are.
  const bool all = items == ItemRange{0, state().batches()[id].items};
  ASSIGN_OR_RETURN(const PlanBatch batch, plan_->read(id, all ? ItemRange{} : items));
  std::string out;
  if (batch.items == 0) return out;
  const std::string_view between = path_between_[batch.input];
  if (has_list_[batch.input]) {
    for (const std::string& name : split_at_nul(batch.names)) {
      out.append(plan_path(batch.root, name)).push_back('\0');
    }
    out.pop_back();
  } else {
    out.reserve(batch.names.size() + batch.items * between.size());
    out.append(between.substr(1));
    append_separated(batch.names, between, out);
  }
  if (resumed_ && !input_checked_ && !config_.pending_may_change)
    RETURN_IF_ERROR(check_unchanged(out));
  return out;
}

Status Master::check_unchanged(std::string_view paths) {
  if (paths.empty()) return {};
  const WallTime since{
      std::max(plan_->head().listing_began.nanoseconds, accepted_before_.nanoseconds)};
  for (const std::string& path : split_at_nul(paths)) {
    const Result<FileStat> stat = fs_.stat(std::string(file_of_item(path, config_.plan.items())));
    if (stat && (config_.accept_input || stat->changed.nanoseconds <= since.nanoseconds)) continue;
    found_newer_ = stat.has_value();
    const std::string_view what = stat ? newer_word(*stat, since) : "missing";
    return fail(ErrorCode::kConflict,
                "the input is not what it was when the job began: {} is {}{}",
                path_in_quotes(path),
                what,
                what == "touched" ? kTouchedNote : "");
  }
  return {};
}

void Master::carry_out(const action::TakeBack& action) {
  say(action.agent, to_agent::TakeBack{action.count});
}

void Master::carry_out(const action::Cancel& action) {
  say(action.agent, to_agent::Cancel{action.token});
}

void Master::carry_out(const action::StopAgent& action) {
  say(action.agent, to_agent::Stop{action.mode});
}

void Master::carry_out(const action::Place& action) {
  journal_->when_durable([self = self_, attempts = action.attempts] {
    if (*self != nullptr && !(*self)->finished()) (*self)->placer_->add(attempts);
  });
}

void Master::carry_out(const action::Merge& /*action*/) {
  if (input_checked_) {
    merger_->complete(state());
  } else {
    merge_waits_ = true;
  }
}

void Master::carry_out(const action::Publish& /*action*/) {
  if (planted(Fault::kLinkBeforeJournal)) {
    publish();
    return;
  }
  journal_->when_durable([self = self_] {
    if (*self != nullptr) (*self)->publish();
  });
}

void Master::publish() {
  if (finished()) return;
  if (superseded()) {
    end(RunEnding::kSuperseded);
    return;
  }
  auto done = [this](Status status) {
    if (status) {
      step(event::Published{});
    } else {
      broken(status.error().message);
    }
  };
  if (config_.replace_targets) {
    merger_->replace(std::move(done));
  } else {
    merger_->publish(published_before_, std::move(done));
  }
}

void Master::carry_out(const action::GiveUp& action) { broken(action.cause); }

void Master::carry_out(const action::Finish& /*action*/) {
  journal_->when_durable([self = self_] {
    if (*self == nullptr) return;
    (*self)->end((*self)->superseded() ? RunEnding::kSuperseded : RunEnding::kFinished);
  });
}

// A disk that refuses is not the job's fault: nothing is journaled, and the same command resumes
// it.
void Master::broken(std::string cause) {
  if (finished()) return;
  broken_cause_ = std::move(cause);
  end(RunEnding::kBroken);
}

// An input that was wrong from the start is the job's end. One that has changed since is not: what
// is done is right for what was there.
void Master::failed(const Error& error, RunEnding how) {
  if (error.code != ErrorCode::kConflict) return broken(error.message);
  if (!resumed_ || state().plan_bytes() == 0) return step(event::Broken{error.message});
  if (finished()) return;
  broken_cause_ = error.message;
  end(how);
}

// Rows that never become a result are the job's end; a disk that refuses them is not.
void Master::not_merged(const Error& error) {
  if (error.code != ErrorCode::kInvalid) return broken(error.message);
  step(event::Broken{.cause = error.message, .for_good = true});
}

void Master::end(RunEnding how) {
  if (finished()) return;
  end_ = how;
  if (how != RunEnding::kFinished) {
    for (const auto& [agent, session] : sessions_) say(agent, to_agent::Stop{StopMode::kNow});
  }
  if (on_finished) on_finished();
}

void Master::cancel(bool at_once) { step(event::CancelAsked{at_once}); }

bool Master::superseded() {
  const Result<Epoch> newest = newest_epoch(fs_, config_.folder.state());
  return newest && *newest > epoch();
}

// A tick brings TimePassed; what is due before the next one has a timer of its own.
void Master::wake_in_time() {
  const TimePoint due = scheduler_->deadline();
  if (due <= loop_.now() || due >= wake_) return;
  wake_ = due;
  loop_.at(due, [self = self_] {
    if (*self == nullptr) return;
    (*self)->wake_ = (*self)->next_tick_;
    (*self)->step(event::TimePassed{});
  });
}

void Master::tick_later() {
  next_tick_ = wake_ = loop_.now() + kTick;
  loop_.at(next_tick_, [self = self_] {
    if (*self != nullptr) (*self)->tick();
  });
}

void Master::tick() {
  if (finished()) return;
  if (superseded()) {
    end(RunEnding::kSuperseded);
    return;
  }
  for (const auto& [agent, session] : sessions_) say(agent, to_agent::Alive{});
  tick_later();
  step(event::TimePassed{});
  log_.tick(*scheduler_, merged_bytes_);
}

}  // namespace windrow
