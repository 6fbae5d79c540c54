// SPDX-License-Identifier: Apache-2.0
//
// The scheduler alone in a storm of events, most of them possible, some not: agents that nobody
// knows, reports of hand-outs that never were. Whole worlds filter these out before they get here.
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/schedule/scheduler.h"
#include "oracle.h"
#include "random.h"
#include "storm.h"

namespace windrow::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kEvents = 300;

class Storm {
 public:
  explicit Storm(std::uint64_t seed) : random_(seed) {
    limits_.tries_max = random_.between(1, 3);
    limits_.append_row = !random_.per_mille(300);
    if (random_.per_mille(200)) limits_.error_threshold = random_.between(0, 20);
    if (random_.per_mille(200)) limits_.mini_batch_error_threshold = random_.between(0, 6);
    if (random_.per_mille(200)) limits_.failed_percent = random_.between(0, 99);
    if (random_.per_mille(200)) limits_.retry_delay = random_.between(milliseconds(1), seconds(9));
    if (random_.per_mille(200)) limits_.fail_fast_on = {"Error"};
    if (random_.per_mille(200)) limits_.retry_on = {"pkg.E7", "E8"};
    if (random_.per_mille(200)) limits_.init_limit = random_.between(seconds(1), seconds(99));
    if (random_.per_mille(300)) {
      limits_.run_timeout = seconds(1);
      limits_.overhead_timeout = seconds(1);
      limits_.progress_limit = seconds(1);
    }
    limits_.strict_results = random_.per_mille(200);
    limits_.retry_short_returns = random_.per_mille(200);
    limits_.bisect_failed = random_.per_mille(300);
    limits_.speculate = random_.per_mille(300);
    begin({}, std::nullopt);
  }

  void run() {
    for (int i = 0; i < kEvents; ++i) {
      now_ += random_.per_mille(20) ? random_.between(seconds(1), seconds(300))
                                    : random_.between(Duration(0), seconds(2));
      Decision out;
      scheduler_->decide(draw_event(), now_, {}, out);
      take(out);
      if (!scheduler_->state().stopped()) {  // then no limit of the job is judged any more
        EXPECT_GT(scheduler_->deadline(), now_ - seconds(1000));
      }
      if (finished_ && random_.per_mille(500)) go_on();
    }
  }

 private:
  void begin(JobState state, std::optional<fact::Reopened> reopen) {
    finished_ = false;
    handed_out_.clear();
    scheduler_.emplace(std::move(state), limits_);
    Decision out;
    scheduler_->begin({.epoch = scheduler_->state().epoch() + 1, .plan = 1}, now_, reopen, out);
    take(out);
  }

  // The same command again, or a reopened job.
  void go_on() {
    begin(scheduler_->state(), fact::Reopened{.failed_afresh = random_.per_mille(500)});
  }

  // Facts must be such that a replay takes them, and gives the same state.
  void take(const Decision& out) {
    for (const Fact& fact : out.facts) {
      const Status follows = replayed_.check(fact);
      ASSERT_TRUE(follows) << follows.error().message;
      replayed_.apply(fact);
    }
    scheduler_->check_invariants();
    ASSERT_EQ(difference(replayed_, scheduler_->state()).value_or(""), "");
    for (const Action& action : out.actions) {
      if (const auto* assign = std::get_if<action::Assign>(&action)) {
        EXPECT_TRUE(scheduler_->has_agent(assign->agent));
        handed_out_.push_back({assign->agent, assign->token});
      }
      if (std::holds_alternative<action::Finish>(action)) {
        EXPECT_FALSE(finished_);
        finished_ = true;
      }
    }
  }

  AgentId draw_agent() { return static_cast<AgentId>(random_.below(4)); }

  Event draw_event() {
    const AgentId agent = draw_agent();
    if (quiet_ == 0 && random_.per_mille(5)) quiet_ = 60;  // nothing but signs of life
    if (quiet_ > 0) {
      --quiet_;
      return event::AgentHeard{agent};
    }
    switch (random_.below(24)) {
      case 0:
        if (random_.per_mille(100)) return event::ListingProgressed{};
        if (scheduler_->state().listing_ended()) return event::TimePassed{};
        return event::Planned{{{random_.between(1, 4), random_.between(1, 3)}}, 9};
      case 1:
        if (scheduler_->state().listing_ended() || random_.per_mille(800))
          return event::TimePassed{};
        return event::ListingEnded{};
      case 2:
        return event::AgentJoined{agent, random_.between(1, 3), random_.between(1, 6), "x.seg"};
      case 3:
        return event::AgentHeard{agent};
      case 4:
        if (random_.per_mille(500)) return event::TimePassed{};
        return event::AgentLost{agent};
      case 5:
        return event::WindowChanged{agent, random_.between(0, 8)};
      case 6:
        return event::LoadEnded{{.agent = agent,
                                 .process = random_.between(0, 50),
                                 .status = static_cast<LoadStatus>(random_.below(4))}};
      case 7:
        if (random_.per_mille(900)) return event::TimePassed{};
        return event::AgentGaveUp{agent, "gave up"};
      case 8:
        return event::TakenBack{agent};
      case 9:
      case 10:
      case 11:
        return event::SegmentSynced{agent, random_.below(next_offset_ + 1)};
      case 12:
        return random_.per_mille(100) ? Event(event::AgentStopped{agent})
                                      : Event(event::TimePassed{});
      case 13:
        return draw_rare();
      default:
        return draw_attempt();
    }
  }

  Event draw_rare() {
    switch (random_.below(40)) {
      case 0:
      case 1:
        return event::CancelAsked{random_.per_mille(500)};
      case 2:
        return event::Broken{"the input has changed", random_.per_mille(500)};
      case 3:
        return event::AgentBroken{draw_agent(), "no space"};
      case 4:
        return event::LoadEnded{{.agent = draw_agent(), .status = LoadStatus::kRefused}};
      default:
        break;
    }
    switch (random_.below(3)) {
      case 0:
        return event::Merged{{{"/out", 3, 4}}};
      case 1:
        return event::Published{};
      default:
        return event::MergeProgressed{};
    }
  }

  Event draw_attempt() {
    AttemptRecord record;
    record.agent = draw_agent();
    record.token = {scheduler_->state().epoch(),
                    static_cast<BatchId>(random_.below(30)),
                    random_.between(1, 3)};
    if (!handed_out_.empty() && random_.per_mille(900)) {
      const auto& [agent, token] = handed_out_[random_.below(handed_out_.size())];
      record.token = token;
      if (random_.per_mille(950)) record.agent = agent;
      if (random_.per_mille(20)) --record.token.epoch;
    }
    record.status = random_.per_mille(500)
                        ? AttemptStatus::kRunDone
                        : static_cast<AttemptStatus>(random_.below(kAttemptStatusMax + 1));
    record.returned = random_.between(0, 4);
    if (record.status != AttemptStatus::kRunDone && random_.per_mille(900)) {
      record.error_type = fmt::format("pkg.E{}", random_.below(200));
      if (random_.per_mille(300)) record.error_bases = {"pkg.Base", "pkg.Error"};
    }
    if (random_.per_mille(800)) {
      record.rows = {0, next_offset_, random_.between(1, 50)};
      next_offset_ += record.rows.length;
    }
    return event::AttemptEnded{record};
  }

  struct HandOut {
    AgentId agent = 0;
    Token token;
  };

  Random random_;
  Limits limits_;
  TimePoint now_ = TimePoint(seconds(1));
  std::optional<Scheduler> scheduler_;
  JobState replayed_;
  std::vector<HandOut> handed_out_;
  std::uint64_t next_offset_ = 20;
  int quiet_ = 0;
  bool finished_ = false;
};

TEST(SchedulerStorm, WhateverIsReportedTheFactsReplayAndTheInvariantsHold) { play_storms<Storm>(); }

// Facts as a damaged disk might give them, if a checksum ever failed to notice.
TEST(SchedulerStorm, FactsThatCannotFollowAreRefusedAndTheOthersKeepTheInvariants) {
  for (std::uint64_t seed = 0; seed < kStorms; ++seed) {
    Random random(seed);
    const auto small = [&random] { return random.between(0, 3); };
    JobState state;
    for (int i = 0; i < 100; ++i) {
      fact::AttemptEnded attempt;
      attempt.record.token.batch = random.between(0, 12);
      attempt.record.rows = {small(), random.per_mille(10) ? UINT64_MAX : random.below(100), 10};
      attempt.verdict = static_cast<Verdict>(random.below(kVerdictMax + 1));
      attempt.succeeded = small();
      const Fact facts[] = {fact::EpochBegan{.epoch = random.between(0, 20)},
                            fact::Planned{{{small(), random.per_mille(900) ? 2 : 0xffffffff}}, 5},
                            fact::ListingEnded{},
                            fact::SegmentOpened{small(), 0, "s"},
                            fact::SegmentSynced{small(), random.below(120), {}},
                            fact::AgentLost{0, small()},
                            fact::Reopened{.failed_afresh = random.per_mille(500)},
                            attempt,
                            attempt};
      const std::size_t which = random.below(std::size(facts));
      const bool rare = which == 0 || which == 2 || which == 5;
      if (rare && !random.per_mille(200)) continue;
      if (state.check(facts[which])) state.apply(facts[which]);
      state.check_invariants();
    }
  }
}

}  // namespace
}  // namespace windrow::sim
