// SPDX-License-Identifier: Apache-2.0
//
// What the kernel says about memory: how much a process uses, and whom it killed for lack of it.
//
// Thread: any, one at a time. Ownership: none. Failure: what the kernel does not say is unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "os/worker_host.h"

namespace windrow {

// The number behind `name` in lines of "name number"; also with a colon, in kB or not.
std::optional<std::uint64_t> number_after(std::string_view text, std::string_view name);

// Zeros for a process that is gone.
WorkerMemory memory_of(pid_t pid);

// Bytes that a process and everything below it hold for themselves, files that are only mapped left
// out. Some tens of microseconds for each process.
std::uint64_t held_memory(pid_t root);

// Its peak starts over with what it has now. Does nothing where that is not allowed.
void forget_memory_peak(pid_t pid);

// Counts the kills for lack of memory in our control group, or where it does not count, in the
// whole machine. The kernel does not say whom it killed: each kill is taken for one death.
class OomKills {
 public:
  // The counters to read, the first that can be read counts. For tests; else those of the kernel.
  explicit OomKills(std::vector<std::string> counters = default_counters());

  // Whether there was a kill that no earlier death was blamed on. None: nothing can be read.
  std::optional<bool> take();

  static std::vector<std::string> default_counters();

 private:
  [[nodiscard]] std::optional<std::uint64_t> read() const;

  std::vector<std::string> counters_;
  std::optional<std::uint64_t> seen_;
};

}  // namespace windrow
