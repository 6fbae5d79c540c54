// SPDX-License-Identifier: Apache-2.0
//
// Master and agent in one process: messages as they are, in order, never from within each other.
//
// Thread: the loop's. Ownership: master and agent must be set before the first message and outlive
// the last turn of the loop.
#pragma once

#include <deque>
#include <functional>
#include <utility>

#include "os/loop.h"
#include "wire/agent/messages.h"

namespace windrow {

class InProcessLinks final : public MasterLink, public AgentLinks {
 public:
  explicit InProcessLinks(Loop& loop) : loop_(loop) {}

  std::function<void(AgentMessage)> to_master;
  std::function<void(MasterMessage)> to_agent;

  void send(AgentMessage message) override {
    for_master_.push_back(std::move(message));
    wake();
  }

  void send(AgentId /*agent*/, MasterMessage message) override {
    for_agent_.push_back(std::move(message));
    wake();
  }

 private:
  void wake() {
    if (pumping_ || woken_) return;
    woken_ = true;
    loop_.post([this] { pump(); });
  }

  // A message may answer another; both queues are empty at the end.
  void pump() {
    woken_ = false;
    pumping_ = true;
    while (!for_master_.empty() || !for_agent_.empty()) {
      while (!for_master_.empty()) {
        AgentMessage message = std::move(for_master_.front());
        for_master_.pop_front();
        to_master(std::move(message));
      }
      while (!for_agent_.empty()) {
        MasterMessage message = std::move(for_agent_.front());
        for_agent_.pop_front();
        to_agent(std::move(message));
      }
    }
    pumping_ = false;
  }

  Loop& loop_;
  std::deque<AgentMessage> for_master_;
  std::deque<MasterMessage> for_agent_;
  bool woken_ = false;
  bool pumping_ = false;
};

}  // namespace windrow
