// SPDX-License-Identifier: Apache-2.0
//
// The process between the engine and one worker: it starts the worker, waits for its end, and
// leaves nothing behind that the worker has started.
//
// It ends the worker's tree when the engine says so on the control socket, and also when the other
// end of that socket closes, however the engine died. It is a child subreaper, so daemons and
// double forks come back to it. If it is killed itself, the kernel kills the worker (parent-death
// signal) and the zygote kills what is left.
//
// Thread: one, in a process of its own. Failure: reported on the control socket.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "os/descriptor.h"

namespace windrow {

// What the reaper sends, each as one packet: kStarted then kEnded, or kNotStarted alone.
struct ReaperReport {
  enum class Kind : std::uint32_t { kStarted, kEnded, kNotStarted };
  enum class Step : std::uint32_t { kFork, kEnterFolder, kExecute };

  Kind kind = Kind::kStarted;
  std::int32_t status = 0;        // kEnded: as of wait(2)
  std::uint64_t memory_peak = 0;  // kEnded: bytes
  std::uint64_t user_us = 0;      // kEnded: microseconds of CPU
  std::uint64_t system_us = 0;
  std::uint32_t killed = 0;  // kEnded: 1 when the engine's wish killed it
  Step step = Step::kFork;   // kNotStarted: what failed
  std::int32_t error = 0;    // kNotStarted: errno
  std::int32_t pid = 0;      // kStarted: of the worker
  std::int32_t reaper = 0;   // kStarted: of the reaper itself
};

// What the engine sends: one byte.
inline constexpr char kReaperKill = 'K';
inline constexpr char kReaperShowStack = 'S';

// Asks a worker to write its stacks to descriptor 2. A real-time signal that no library is known to
// use; a program that does not listen to it ends.
inline constexpr int kStackSignal = 60;

struct WorkerLaunch {
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> set_environment;
  std::vector<std::string> unset_environment;
  std::uint32_t nice = 0;
  std::string working_folder;
  std::array<Descriptor, 5> inherited;  // 1 to 5 of the worker; 0 is this process's own
  Descriptor control;
};

// Sends `report` on a control socket, if anyone is still there.
void send_report(int control, const ReaperReport& report);

// The life of a reaper. REQUIRES: called in a process just forked from the zygote: SIGCHLD is
// blocked, the signals that end a process by default are ignored, descriptor 0 is /dev/null.
[[noreturn]] void run_reaper(WorkerLaunch launch);

}  // namespace windrow
