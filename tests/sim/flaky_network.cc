// SPDX-License-Identifier: Apache-2.0
#include "flaky_network.h"

#include <algorithm>
#include <utility>

namespace windrow::sim {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

FlakyLine::FlakyLine(Surroundings& world,
                     FakeLoop& master_loop,
                     ToRunEnding to_master,
                     FakeLoop& agent_loop,
                     ToAgentEnd to_agent)
    : world_(world),
      master_loop_(master_loop),
      to_master_(std::move(to_master)),
      agent_loop_(agent_loop),
      to_agent_(std::move(to_agent)) {}

void FlakyLine::up(AgentMessage message) {
  if (state_->open) carry(master_loop_, last_up_, to_master_, std::move(message));
}

void FlakyLine::down(MasterMessage message) {
  if (state_->open) carry(agent_loop_, last_down_, to_agent_, std::move(message));
}

void FlakyLine::close(bool late) {
  state_->open = false;
  state_->lost = !late;
}

template <class Message>
void FlakyLine::carry(FakeLoop& loop,
                      TimePoint& last,
                      const std::function<void(Message)>& to,
                      Message message) {
  const TimePoint now = world_.clock.now();
  const auto deliver = [&](Message copy, Duration delay) {
    loop.deliver(
        [state = state_, to, said = std::move(copy)]() mutable {
          if (!state->lost) to(std::move(said));
        },
        delay);
  };
  last = std::max(last, now + world_.random.between(microseconds(50), milliseconds(5)));
  if (world_.fault(world_.scenario.duplicates)) {
    deliver(message, last - now + world_.random.between(Duration(0), seconds(2)));
  }
  if (world_.fault(world_.scenario.drops)) return;
  deliver(std::move(message), last - now);
}

}  // namespace windrow::sim
