// SPDX-License-Identifier: Apache-2.0
//
// The socket in a job folder on which the process that runs the job answers. It carries lines of
// text both ways; docs/formats/control.md says what is in them.
//
// The socket is not a lock: a process that was killed leaves a file that nobody answers on, and one
// that is paused does not answer either. Both may be taken over, because the epoch of the journal
// fences them.
//
// Only the user who runs the job, and root, get an answer. What a client does not read is kept up
// to a limit; beyond it the client is dropped, so that no client can hold up the job.
//
// Thread: the loop's. Ownership: the loop outlives it. Failure: a socket that cannot be made is an
// Error.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/descriptor.h"
#include "os/epoll_loop.h"

namespace windrow {

class ControlSocket {
 public:
  using ClientId = std::uint64_t;
  static constexpr std::size_t kClientsMax = 64;
  static constexpr std::size_t kUnreadMax = 4U << 20;  // bytes that wait for one client
  static constexpr std::size_t kLineMax = 64U << 10;   // bytes of a line that a client sends

  // Who answers.
  struct Handler {
    std::function<std::string()> greeting;                   // the first line for each client
    std::function<void(ClientId, const std::string&)> line;  // came from a client
    std::function<void(ClientId)> gone;                      // it left, or was dropped
  };

  // Listens at `path`, replacing a dead predecessor's file.
  static Result<std::unique_ptr<ControlSocket>> listen(EpollLoop& loop,
                                                       const std::string& path,
                                                       Handler handler);

  // Closes, and leaves the clients.
  ~ControlSocket();
  ControlSocket(ControlSocket&&) = delete;
  ControlSocket& operator=(ControlSocket&&) = delete;

  // Nothing happens when the client has left.
  void send(ClientId client, std::string_view line);

  // Nobody new can connect, and the file is removed; clients that are there stay.
  void close();

  // Waits until all clients have been sent what they are due, at most so long. For the very end.
  void drain(Duration limit);

 private:
  struct Client {
    Descriptor socket;
    std::string in;
    std::string out;
    bool writing = false;  // the loop says when more can be sent
  };

  ControlSocket(EpollLoop& loop, std::string path, Descriptor socket, Handler handler)
      : loop_(loop),
        path_(std::move(path)),
        socket_(std::move(socket)),
        handler_(std::move(handler)) {}
  void accept_all();
  void read(ClientId id);
  void write(ClientId id);
  void drop(ClientId id);
  void watch(ClientId id, bool writing);

  EpollLoop& loop_;
  std::string path_;
  Descriptor socket_;
  Handler handler_;
  std::map<ClientId, Client> clients_;
  ClientId last_ = 0;
};

}  // namespace windrow
