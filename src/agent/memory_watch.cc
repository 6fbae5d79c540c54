// SPDX-License-Identifier: Apache-2.0
//
// The part of the Agent that looks at what is left of memory.
#include "agent/agent.h"

namespace windrow {
namespace {

constexpr Duration kWithoutWorkers = std::chrono::milliseconds(500);
constexpr std::uint32_t kWeighedFromUs = 10'000;  // asking for it costs some 20 us

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

// The most memory that the worker has had since it was last weighed, with this mini-batch or a
// short one before it.
void Agent::weigh(const Answer& answer, AttemptRecord& record) {
  if (answer.kind == AnswerKind::kDone && answer.elapsed_us < kWeighedFromUs) return;
  record.memory_peak = host_->memory(record.process).peak;
  host_->forget_peak(record.process);
}

}  // namespace windrow
