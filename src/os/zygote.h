// SPDX-License-Identifier: Apache-2.0
//
// The small process that starts workers, so that the engine with its threads and memory never
// forks.
//
// It forks one reaper per worker (os/reaper.h) and inherits, as a child subreaper, whatever a
// killed reaper leaves behind, which it kills. It ends when the engine does, however that dies, and
// not before everything it has started is gone. It has a session of its own: Ctrl-C does not reach
// it.
//
// Thread: fork_off while the process has one thread; then the loop's. Ownership: the destructor
// ends the zygote and waits for it, with a limit (os/stuck_helper.h). Failure: start says when the
// zygote is gone.
#pragma once

#include <span>

#include <sys/types.h>

#include "base/result.h"
#include "os/descriptor.h"
#include "os/worker_host.h"

namespace windrow {

class Zygote {
 public:
  // REQUIRES: no other thread exists; best called first thing in main, while memory is small.
  static Result<Zygote> fork_off();

  Zygote(Zygote&& other) noexcept;
  Zygote& operator=(Zygote&&) = delete;
  ~Zygote();

  // Asks for a worker. Its descriptors 1 to 5 are `inherited`; reports come on the other end of
  // `control` (os/reaper.h). All of them are only borrowed.
  Status start(const WorkerCommand& command, std::span<const int, 5> inherited, int control);

  // Continues the zygote and its reapers, in case somebody has stopped them.
  void wake() const;

  // Kills the zygote alone: its reapers and their workers stay, and no new ones can be started.
  void give_up() const;

  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  Zygote(Descriptor socket, pid_t pid) : socket_(std::move(socket)), pid_(pid) {}

  Descriptor socket_;
  pid_t pid_;
};

}  // namespace windrow
