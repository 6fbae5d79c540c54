// SPDX-License-Identifier: Apache-2.0
//
// For tests: a scheduler whose answers are short texts.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/schedule/scheduler.h"

namespace windrow {

// A scheduler whose answers are short texts: "0#1>a7" hands hand-out 1 of mini-batch 0 to agent 7,
// "0#1[2+3]>a7" only three of its items, from item 2 on.
class SchedulerProbe {
 protected:
  void begin(Limits limits = {}, JobState state = {}) {
    scheduler_.emplace(std::move(state), std::move(limits));
    Decision out;
    const Epoch epoch = scheduler_->state().epoch() + 1;
    scheduler_->begin({.epoch = epoch}, now_, reopen_, out);
    note(out);
  }

  std::string at(Duration time, Event event) {
    now_ = TimePoint(std::chrono::seconds(100)) + time;
    Decision out;
    scheduler_->decide(std::move(event), now_, {}, out);
    scheduler_->check_invariants();
    return note(out);
  }

  std::string note(const Decision& out) {
    std::string text;
    for (const Action& action : out.actions) {
      if (const auto* one = std::get_if<action::Assign>(&action)) {
        const bool piece = one->items.count < batch(one->token.batch).items;
        text += fmt::format("{}#{}{}>a{} ",
                            one->token.batch,
                            one->token.picked,
                            piece ? fmt::format("[{}+{}]", one->items.first, one->items.count) : "",
                            one->agent);
      } else if (const auto* back = std::get_if<action::TakeBack>(&action)) {
        text += fmt::format("back {} from a{} ", back->count, back->agent);
      } else if (const auto* cancel = std::get_if<action::Cancel>(&action)) {
        text += fmt::format(
            "cancel {}#{} on a{} ", cancel->token.batch, cancel->token.picked, cancel->agent);
      } else if (const auto* stop = std::get_if<action::StopAgent>(&action)) {
        text += fmt::format("stop a{} {} ", stop->agent, static_cast<int>(stop->mode));
      } else if (const auto* place = std::get_if<action::Place>(&action)) {
        for (const Token& token : place->attempts) {
          text += fmt::format("place {}#{} ", token.batch, token.picked);
        }
      } else if (std::holds_alternative<action::Merge>(action)) {
        text += "merge ";
      } else if (std::holds_alternative<action::Publish>(action)) {
        text += "publish ";
      } else if (const auto* broken = std::get_if<action::GiveUp>(&action)) {
        text += fmt::format("give up: {} ", broken->cause);
      } else {
        const fact::Finished& end = *scheduler_->state().finished();
        text += fmt::format("finish {} ", static_cast<int>(end.status));
        cause_ = end.cause;
      }
    }
    facts_.insert(facts_.end(), out.facts.begin(), out.facts.end());
    return text;
  }

  // Batches of two items, all planned.
  void plan(std::uint32_t batches) {
    at(Duration(0), event::Planned{{{batches, 2}}, 10});
    at(Duration(0), event::ListingEnded{});
  }

  std::string join(AgentId agent, std::uint32_t slots, std::uint32_t window, Duration time = {}) {
    return at(time, event::AgentJoined{agent, slots, window, fmt::format("{}.seg", agent)});
  }

  Event ended(AgentId agent,
              BatchId batch,
              std::uint32_t picked,
              AttemptStatus status,
              std::uint32_t returned = 2) {
    AttemptRecord record;
    record.token = {scheduler_->state().epoch(), batch, picked};
    record.agent = agent;
    record.status = status;
    record.returned = returned;
    if (status == AttemptStatus::kRunDone) record.rows = {0, 100 + batch * 10, 10};
    return event::AttemptEnded{record};
  }
  Event done(AgentId agent, BatchId batch, std::uint32_t picked) {
    return ended(agent, batch, picked, AttemptStatus::kRunDone);
  }

  const Batch& batch(BatchId id) { return scheduler_->state().batches()[id]; }

  TimePoint now_ = TimePoint(std::chrono::seconds(100));
  std::optional<fact::Reopened> reopen_;
  std::optional<Scheduler> scheduler_;
  std::vector<Fact> facts_;
  std::string cause_;
};

}  // namespace windrow
