// SPDX-License-Identifier: Apache-2.0
//
// Tells whether the master of a job folder is alive: it answers on a socket in the folder.
//
// The socket is no lock: a master that was killed leaves a file that nobody answers on, and one
// that is paused does not answer either; both may be taken over, because the epoch of the journal
// fences them.
//
// Thread: the loop's. Failure: a socket that cannot be made is an Error.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/descriptor.h"
#include "os/epoll_loop.h"

namespace windrow {

class ControlSocket {
 public:
  // Listens at `path`, replacing a dead predecessor's file.
  static Result<std::unique_ptr<ControlSocket>> listen(EpollLoop& loop, const std::string& path);

  // Unwatches; the file is removed.
  ~ControlSocket();
  ControlSocket(ControlSocket&&) = delete;
  ControlSocket& operator=(ControlSocket&&) = delete;

 private:
  ControlSocket(EpollLoop& loop, std::string path, Descriptor socket)
      : loop_(loop), path_(std::move(path)), socket_(std::move(socket)) {}
  void accept_all();

  EpollLoop& loop_;
  std::string path_;
  Descriptor socket_;
};

// The process that answers on `path` within two seconds, if any.
std::optional<int> ask_who_runs(const std::string& path);

// Whether a process has the socket at `path` open, be it paused: for those whom no epoch fences.
bool is_listened_at(const std::string& path);

}  // namespace windrow
