// SPDX-License-Identifier: Apache-2.0
//
// What an agent writes down for people: starts and ends of processes, and what each one did.
//
// Never state: losing it loses nothing of the job. Thread: the agent's loop. Failure: none that the
// agent would hear of; a full disk under the logs does not stop the work.
#pragma once

#include <string>

#include "base/ids.h"
#include "core/schedule/facts.h"

namespace windrow {

class AgentLog {
 public:
  virtual ~AgentLog() = default;
  // One line on the agent itself: starts, ends, kills.
  virtual void note(const std::string& text) = 0;
  // A worker's own record of one attempt.
  virtual void attempt(const AttemptRecord& record, std::uint32_t items) = 0;
  virtual void load(const fact::LoadEnded& load) = 0;
};

}  // namespace windrow
