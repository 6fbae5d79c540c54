// SPDX-License-Identifier: Apache-2.0
//
// The worker processes of one agent: start, packets in and out, what each is doing, kill.
//
// Knows nothing of mini-batches: packets are a fixed header and a payload, whose meaning is in
// wire/worker. Packets that a worker has not read yet can be taken back, so nothing is hoarded and
// a dead worker's queue is known exactly.
//
// Thread: the loop's. Ownership: the sink outlives the host. Failure: a worker that cannot be
// started ends like any other, with on_exit.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "base/worker_page.h"

namespace windrow {

inline constexpr std::size_t kPacketHeaderSize = 64;

struct Packet {
  std::array<char, kPacketHeaderSize> header{};
  std::string payload;
};

// How to start a worker. The three descriptors of the protocol are inherited as 3, 4 and 5.
struct WorkerCommand {
  std::vector<std::string> argv;                                     // argv[0] is looked up in PATH
  std::vector<std::pair<std::string, std::string>> set_environment;  // beside the inherited one
  std::vector<std::string> unset_environment;                        // taken out of it
  std::uint32_t nice = 0;                                            // added to the engine's
  std::string working_folder;                                        // must exist
  std::string stdout_path;                                           // raw descriptor 1, appended
  std::string stderr_path;                                           // raw descriptor 2, appended
};

// The end of a worker and of everything it had started.
struct WorkerExit {
  bool started = true;            // false: the program could not be executed; `why` says it
  int exit_code = 0;              // meaningful when signal == 0
  int signal = 0;                 // what killed the worker itself, 0 for a normal exit
  bool killed_by_us = false;      // the signal was ours (kill() was called before the end)
  std::uint64_t memory_peak = 0;  // bytes, largest resident set of the worker process
  std::uint64_t user_us = 0;      // microseconds of CPU, with what it waited for
  std::uint64_t system_us = 0;
  // Whether the kernel killed it for lack of memory; none when it does not say.
  std::optional<bool> out_of_memory;
  std::string why;  // when !started, or when a helper had to be killed
};

// Of a worker that lives, in bytes; zeros when it is not known.
struct WorkerMemory {
  std::uint64_t rss = 0;   // resident now
  std::uint64_t peak = 0;  // largest so far, or since forget_peak()
};

class WorkerHost {
 public:
  class Sink {
   public:
    virtual ~Sink() = default;
    virtual void on_packet(ProcessNumber process, Packet packet) = 0;
    // Comes once per start, after the last packet, when the worker's whole tree is gone. The page
    // and the packets it never read stay available until forget().
    virtual void on_exit(ProcessNumber process, const WorkerExit& exit) = 0;
  };

  virtual ~WorkerHost() = default;

  virtual void start(ProcessNumber process, const WorkerCommand& command) = 0;

  // False when the worker's queue is full or its end is gone: try after its next packet.
  virtual bool send(ProcessNumber process,
                    const std::array<char, kPacketHeaderSize>& header,
                    std::string_view payload) = 0;

  // The oldest packet that the worker has not read, now not to be read by it any more.
  virtual std::optional<Packet> take_back(ProcessNumber process) = 0;

  // What the worker last wrote; the last consistent copy when it is writing just now.
  virtual WorkerPage page(ProcessNumber process) = 0;

  // No answer is urgent for so long: many may be told at once. Until the next turn of the loop.
  virtual void rest(Duration duration) = 0;

  // The worker's process in this system; none before it runs and after its end.
  [[nodiscard]] virtual std::optional<int> pid(ProcessNumber process) = 0;

  // What the worker process itself uses, without what it has started.
  virtual WorkerMemory memory(ProcessNumber process) = 0;

  // The peak starts over from here, where the system can do so.
  virtual void forget_peak(ProcessNumber process) = 0;

  // Asks the worker to write where it is to its descriptor 2. One that cannot may die of it.
  virtual void show_stack(ProcessNumber process) = 0;

  // Ends the worker and every descendant at once; on_exit follows. Does nothing when it has ended.
  virtual void kill(ProcessNumber process) = 0;

  // Releases what is kept of an ended worker.
  virtual void forget(ProcessNumber process) = 0;
};

}  // namespace windrow
