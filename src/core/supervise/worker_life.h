// SPDX-License-Identifier: Apache-2.0
//
// What is known of a worker process while it lives and when it has ended.
//
// Plain values and pure functions: what a worker was doing, why it ended, and the sentence that
// tells a user so.
#pragma once

#include <cstdint>
#include <string>

#include "base/ids.h"
#include "base/time.h"
#include "base/worker_page.h"
#include "core/schedule/facts.h"

namespace windrow {

// Why we ended a worker, if we did.
enum class EndReason : std::uint8_t {
  kItself,           // we did not
  kRunTimeout,       // run() took longer than its limit
  kOverheadTimeout,  // loading or handing over did
  kInitTimeout,
  kMisbehaved,  // said something that is not the protocol
  kStopped,     // the job is stopping: nobody's fault
  kShutdown,    // was told that there is no more work
};

struct WorkerEnd {
  ProcessNumber process = 0;
  bool started = true;  // false: could not be executed; `why` says it
  int exit_code = 0;    // meaningful when signal == 0
  int signal = 0;
  std::uint64_t memory_peak = 0;
  std::string why;
  WorkerPage page;  // the last thing it wrote
};

// "SIGSEGV" for 11; "signal 63" for one without a name.
std::string signal_name(int signal);

// "process003 was killed by SIGSEGV in run()": what happened, without what to do about it.
std::string describe_end(const WorkerEnd& end);

// "in run()", "while it loaded its mini-batch", ...
std::string describe_phase(WorkerPhase phase);

// process003
std::string process_name(ProcessNumber process);

}  // namespace windrow
