// SPDX-License-Identifier: Apache-2.0
//
// Whether a program waits for what comes through a pipe: whoever does has nothing more to say about
// what came before.
//
// Seen in /proc: a thread of the program, or of one that it started, that blocks in read(2) of the
// pipe, or in poll, select or epoll on it. A program whose reading thread is not the one that works
// waits while it works; that cannot be seen from outside.
//
// Thread: any.
#pragma once

#include <cstdint>

#include <sys/types.h>

namespace windrow {

enum class PipeReader : std::uint8_t {
  kWaits,
  kBusy,     // does something else, or has not read everything
  kUnknown,  // the system does not tell
};

// What `program` does about the pipe whose writing end is `pipe`.
PipeReader pipe_reader(pid_t program, int pipe);

}  // namespace windrow
