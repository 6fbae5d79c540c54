// SPDX-License-Identifier: Apache-2.0
//
// What a worker process says it is doing at the moment: the meaning of the page that it shares with
// its agent (docs/formats/worker-protocol.md). Time limits and blame are judged by it.
#pragma once

#include <cstdint>
#include <optional>

#include "base/ids.h"
#include "base/time.h"

namespace windrow {

enum class WorkerPhase : std::uint32_t {
  kStarting = 0,  // nothing written yet: interpreter start
  kInit = 1,
  kIdle = 2,
  kLoad = 3,
  kRun = 4,
  kSerialise = 5,
  kShutdown = 6,
};

struct WorkerPage {
  WorkerPhase phase = WorkerPhase::kStarting;
  BatchId batch = 0;                   // meaningful in kLoad, kRun, kSerialise
  std::uint32_t picked = 0;            // likewise
  TimePoint since;                     // when the phase began; zero while kStarting
  std::optional<std::uint32_t> items;  // rows of a table, once they are loaded
};

}  // namespace windrow
