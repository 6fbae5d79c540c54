// SPDX-License-Identifier: Apache-2.0
//
// Lines between agents and a master: each keeps its order, and may lose a message, say one twice,
// or break and lose everything that is on its way, in both directions.
//
// An agent has at most one line; a new one replaces it. What was on its way on the old line may
// still arrive, as from a master that was thought to be gone.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include "os/fake_loop.h"
#include "surroundings.h"
#include "wire/agent/messages.h"

namespace windrow::sim {

class FlakyLine {
 public:
  using ToRunEnding = std::function<void(AgentMessage)>;
  using ToAgentEnd = std::function<void(MasterMessage)>;

  // The loops are those of the processes at the ends; deliveries to a dead one vanish.
  FlakyLine(Surroundings& world,
            FakeLoop& master_loop,
            ToRunEnding to_master,
            FakeLoop& agent_loop,
            ToAgentEnd to_agent);

  void up(AgentMessage message);
  void down(MasterMessage message);

  [[nodiscard]] bool open() const { return state_->open; }

  // Nothing more goes in. What is on its way is lost unless `late`.
  void close(bool late);

 private:
  struct State {
    bool open = true;
    bool lost = false;  // what is on its way
  };
  template <class Message>
  void carry(FakeLoop& loop,
             TimePoint& last,
             const std::function<void(Message)>& to,
             Message message);

  Surroundings& world_;
  FakeLoop& master_loop_;
  ToRunEnding to_master_;
  FakeLoop& agent_loop_;
  ToAgentEnd to_agent_;
  TimePoint last_up_;
  TimePoint last_down_;
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace windrow::sim
