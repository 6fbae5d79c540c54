// SPDX-License-Identifier: Apache-2.0
//
// What everything in a simulated world shares: its time, its dice, and what is known of it.
#pragma once

#include <map>
#include <vector>

#include "core/schedule/facts.h"
#include "os/fake_loop.h"
#include "random.h"
#include "scenario.h"
#include "trace.h"
#include "truth.h"

namespace windrow::sim {

struct Surroundings {
  Surroundings(const Scenario& drawn, bool print)
      : scenario(drawn), random(drawn.seed ^ 0x5eed), trace(clock, print) {}

  Scenario scenario;
  VirtualClock clock;
  Random random;
  Trace trace;
  Truth truth;
  bool faults_on = true;
  std::map<Epoch, std::vector<Fact>> facts;  // what the master of each epoch decided

  // Whether a fault with this chance happens now.
  bool fault(std::uint32_t per_mille) { return faults_on && random.per_mille(per_mille); }
};

}  // namespace windrow::sim
