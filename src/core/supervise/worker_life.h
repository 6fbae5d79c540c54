// SPDX-License-Identifier: Apache-2.0
//
// What is known of a worker process while it lives and when it has ended.
//
// Plain values and pure functions: what a worker was doing, why it ended, and the sentence that
// tells a user so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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
  kMisbehaved,  // sent something that is not the protocol
  kStopped,     // the job is stopping: nobody's fault
  kOvertaken,   // another attempt at its mini-batch was first: nobody's fault
  kShutdown,    // was told that there is no more work
  kRecycled,    // has done enough, grown too large or failed too often: replaced
  kMemory,      // had to go before memory ran out: nobody's fault
};

// Ends that no mini-batch and no init() is to blame for, whatever the worker was doing.
constexpr bool is_nobodys_fault(EndReason reason) {
  return reason == EndReason::kStopped || reason == EndReason::kOvertaken ||
         reason == EndReason::kMemory;
}

constexpr bool is_time_limit(EndReason reason) {
  return reason == EndReason::kRunTimeout || reason == EndReason::kOverheadTimeout ||
         reason == EndReason::kInitTimeout;
}

// What to do about too little memory: the end of a sentence.
inline constexpr const char* kMemoryHelp =
    "fewer workers, a smaller mini_batch_size, or max_rss_per_worker for workers that grow, help";

// After what a worker is replaced between two mini-batches; 0: never for that.
struct WorkerWear {
  std::uint32_t batches_max = 0;  // mini-batches
  std::uint64_t rss_max = 0;      // bytes of memory
};

// What a worker has used when it ends, with all that it waited for.
struct WorkerUsage {
  std::uint64_t memory_peak = 0;  // bytes
  std::uint64_t user_us = 0;      // microseconds of CPU
  std::uint64_t system_us = 0;
};

struct WorkerEnd {
  ProcessNumber process = 0;
  bool started = true;  // false: could not be executed; `why` says it
  int exit_code = 0;    // meaningful when signal == 0
  int signal = 0;
  std::uint64_t memory_peak = 0;
  std::uint64_t user_us = 0;  // CPU
  std::uint64_t system_us = 0;
  std::optional<bool> out_of_memory;  // whether the kernel killed it so; none: nobody knows
  std::string why;          // of a failed start, or what is known of the signal beforehand
  WorkerPage page;          // the last thing it wrote
  std::string stderr_tail;  // the last lines of its stderr
  std::string stack;        // what it showed when it was asked where it is
};

// Exit codes under which the ends of workers are recorded, beside their own and -SIGNAL.
inline constexpr int kExitNoAgent = 70;  // its own: nobody speaks the protocol on 3 and 4
inline constexpr int kExitTimeLimit = 71;
inline constexpr int kExitInitFailed = 72;
inline constexpr int kExitFailedOften = 73;   // more than ten failed attempts, some succeeded
inline constexpr int kExitFailedAlways = 74;  // and none did
inline constexpr int kExitToldToStop = 82;

// "SIGSEGV" for 11; "signal 63" for one without a name.
std::string signal_name(int signal);

// "process003 was killed by SIGSEGV in run() (...)": what happened, and what is known about why.
std::string describe_end(const WorkerEnd& end);

// The last lines of its stderr under a heading; empty when there are none.
std::string last_words(const WorkerEnd& end);

// Adds what helps to the message of a failure for lack of memory that Python itself noticed.
void add_memory_hint(AttemptRecord& record);

// "in run()", "while it loaded its mini-batch", ...
std::string describe_phase(WorkerPhase phase);

}  // namespace windrow
