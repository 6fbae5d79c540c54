// SPDX-License-Identifier: Apache-2.0
//
// What a master writes down for people. Never state: what is said of facts can be made again from
// plan and journal, and notes are not needed.
//
// Thread: the master's loop. Failure: none that the master would hear of.
#pragma once

#include <string>

#include "core/schedule/scheduler.h"
#include "journal/plan_file.h"

namespace windrow {

class MasterLog {
 public:
  virtual ~MasterLog() = default;
  // A fact that was just applied. The plan holds every mini-batch that the state knows.
  virtual void on_fact(const Fact& fact, const JobState& state, PlanReader& plan) = 0;
  // One line on what the master does.
  virtual void note(const std::string& text) = 0;
  // Once a second.
  virtual void tick(const Scheduler& scheduler, std::uint64_t merged_bytes) = 0;
};

}  // namespace windrow
