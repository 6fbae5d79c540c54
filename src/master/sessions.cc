// SPDX-License-Identifier: Apache-2.0
//
// The part of the Master that talks with agents: who has joined, and the order of messages.
#include <utility>

#include "base/counted.h"
#include "base/plant.h"
#include "master/master.h"

namespace windrow {

void Master::on_message(AgentMessage message) {
  if (finished() || scheduler_ == nullptr) return;
  if (const auto* joined = std::get_if<to_master::Hello>(&message.body)) {
    hello(message, *joined);
    return;
  }
  const auto it = sessions_.find(message.agent);
  // An agent that was given up as silent is told to join again when it is heard again.
  const bool known = it != sessions_.end() && it->second.incarnation == message.incarnation &&
                     (scheduler_->has_agent(message.agent) || planted(Fault::kNeverRejoin));
  const bool trusted = std::holds_alternative<to_master::AttemptEnded>(message.body) &&
                       planted(Fault::kAcceptStaleToken);
  if (known && message.number <= it->second.number_in) {  // received before
    if (trusted) take(message.agent, message.body);
    return;
  }
  if (!known || message.number != it->second.number_in + 1) {
    if (known) {
      sessions_.erase(it);
      step(event::AgentLost{message.agent});
    }
    if (trusted) take(message.agent, message.body);
    links_.send(message.agent, MasterMessage{epoch(), message.incarnation, 0, to_agent::Rejoin{}});
    return;
  }
  it->second.number_in = message.number;
  take(message.agent, message.body);
}

void Master::hello(const AgentMessage& message, const to_master::Hello& hello) {
  const auto it = sessions_.find(message.agent);
  if (it != sessions_.end() && message.incarnation <= it->second.incarnation) return;
  sessions_[message.agent] = Session{.incarnation = message.incarnation, .number_in = 1};
  log_.note(fmt::format(
      "agent {} on {} joins with {}", message.agent, hello.host, counted(hello.slots, "worker")));
  if (scheduler_->wants_agents()) {
    say(message.agent, to_agent::Welcome{epoch(), state().process_next(), config_.worker});
  }
  step(event::AgentJoined{message.agent, hello.slots, hello.window, hello.segment_file});
}

void Master::take(AgentId agent, ToMaster& body) {
  if (auto* attempt = std::get_if<to_master::AttemptEnded>(&body)) {
    attempt->record.agent = agent;
    step(event::AttemptEnded{std::move(attempt->record)});
  } else if (const auto* synced = std::get_if<to_master::SegmentSynced>(&body)) {
    step(event::SegmentSynced{agent, synced->up_to});
  } else if (auto* load = std::get_if<to_master::LoadEnded>(&body)) {
    load->load.agent = agent;
    step(event::LoadEnded{std::move(load->load)});
  } else if (auto* worker = std::get_if<to_master::WorkerProcess>(&body)) {
    worker->worker.agent = agent;
    step(event::WorkerProcess{worker->worker});
  } else if (const auto* window = std::get_if<to_master::WindowChanged>(&body)) {
    step(event::WindowChanged{agent, window->window});
  } else if (std::holds_alternative<to_master::TakenBack>(body)) {
    step(event::TakenBack{agent});
  } else if (auto* gave_up = std::get_if<to_master::GaveUp>(&body)) {
    step(event::AgentGaveUp{agent, std::move(gave_up->cause)});
  } else if (std::holds_alternative<to_master::Stopped>(body)) {
    sessions_.erase(agent);
    step(event::AgentStopped{agent});
  } else if (auto* broken = std::get_if<to_master::Broken>(&body)) {
    step(event::AgentBroken{agent, std::move(broken->cause)});
  } else {
    step(event::AgentHeard{agent});
  }
}

void Master::say(AgentId agent, ToAgent body) {
  const auto it = sessions_.find(agent);
  if (it == sessions_.end()) return;
  Session& session = it->second;
  links_.send(agent,
              MasterMessage{epoch(), session.incarnation, ++session.number_out, std::move(body)});
}

}  // namespace windrow
