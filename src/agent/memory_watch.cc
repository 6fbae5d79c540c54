// SPDX-License-Identifier: Apache-2.0
//
// The part of the Agent that looks at what is left of memory.
#include "agent/agent.h"

namespace windrow {
namespace {

constexpr Duration kWithoutWorkers = std::chrono::milliseconds(500);

}  // namespace

// On the loop and not on its pool: a pool that waits for a slow disk would look too late.
void Agent::watch_memory() {
  Duration next = kWithoutWorkers;
  if (supervisor_) {
    supervisor_->sampled(config_.memory(), loop_.now(), orders_);
    next = supervisor_->sample_again_in();
    carry_out();
  }
  loop_.at(loop_.now() + next, [self = self_] {
    if (*self != nullptr && !(*self)->ended_) (*self)->watch_memory();
  });
}

}  // namespace windrow
