// SPDX-License-Identifier: Apache-2.0
//
// What an agent writes down for people: starts and ends of processes, and what each one did.
//
// Never state: losing it loses nothing of the job. Thread: the agent's loop. Failure: none that the
// agent would hear of; a full disk under the logs does not stop the work.
#pragma once

#include <optional>
#include <string>

#include "base/ids.h"
#include "base/time.h"
#include "core/schedule/facts.h"

namespace windrow {

class AgentLog {
 public:
  virtual ~AgentLog() = default;
  // One line on the agent itself: starts, ends, kills.
  virtual void note(const std::string& text) = 0;
  // What the user should know at once.
  virtual void warn(const std::string& text) = 0;
  // `pid` is none when the worker is gone already.
  virtual void load(const fact::LoadEnded& load, std::optional<int> pid) = 0;
  // A worker has been at a mini-batch for a second or more: of short ones only the end is shown.
  // May be called again.
  virtual void picked(ProcessNumber process,
                      const Token& token,
                      std::uint32_t items,
                      WallTime since) = 0;
  // Raw output of a worker may have grown; called every few seconds, and when it has ended.
  virtual void limit_output(ProcessNumber /*process*/) {}
  // A worker's own record of one attempt.
  virtual void attempt(const AttemptRecord& record, std::uint32_t items) = 0;
};

}  // namespace windrow
