// SPDX-License-Identifier: Apache-2.0
#include "os/control_socket.h"

#include <array>
#include <cerrno>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/local_address.h"

namespace windrow {

Result<std::unique_ptr<ControlSocket>> ControlSocket::listen(EpollLoop& loop,
                                                             const std::string& path,
                                                             Handler handler) {
  const auto cannot = [&](int error) {
    return fail(ErrorCode::kUnavailable, "cannot listen at {}: {}", path, reason(error));
  };
  const std::optional<LocalAddress> address = local_address(path);
  if (!address) return cannot(ENOENT);
  ::unlink(path.c_str());
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return cannot(errno);
  if (::bind(socket.get(), address->plain(), sizeof(address->name)) != 0) return cannot(errno);
  // Before anybody can connect, whatever the umask is.
  if (::chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0) return cannot(errno);
  if (::listen(socket.get(), 2 * kClientsMax) != 0) return cannot(errno);
  std::unique_ptr<ControlSocket> control(
      new ControlSocket(loop, path, std::move(socket), std::move(handler)));
  RETURN_IF_ERROR(loop.watch(control->socket_.get(), EPOLLIN, [raw = control.get()](std::uint32_t) {
    raw->accept_all();
  }));
  return control;
}

ControlSocket::~ControlSocket() {
  for (const auto& [id, client] : clients_) loop_.unwatch(client.socket.get());
  close();
}

void ControlSocket::close() {
  if (!socket_) return;
  loop_.unwatch(socket_.get());
  ::unlink(path_.c_str());
  socket_.reset();
}

void ControlSocket::accept_all() {
  for (;;) {
    Descriptor peer(::accept4(socket_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!peer) return;
    if (!is_own_user(peer.get())) continue;
    const std::string greeting = handler_.greeting() + "\n";
    if (clients_.size() >= kClientsMax) {
      // It learns that the job is alive, and no more.
      static_cast<void>(::send(peer.get(), greeting.data(), greeting.size(), MSG_NOSIGNAL));
      continue;
    }
    const ClientId id = ++last_;
    Client& client = clients_[id];
    client.socket = std::move(peer);
    client.out = greeting;
    watch(id, false);
    write(id);
  }
}

void ControlSocket::watch(ClientId id, bool writing) {
  Client& client = clients_.at(id);
  client.writing = writing;
  const std::uint32_t events = writing ? EPOLLIN | EPOLLOUT : EPOLLIN;
  const Status watched =
      loop_.watch(client.socket.get(), events, [this, id](std::uint32_t happened) {
        if ((happened & EPOLLOUT) != 0) write(id);
        if ((happened & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) read(id);
      });
  if (!watched) drop(id);
}

void ControlSocket::read(ClientId id) {
  const auto found = clients_.find(id);
  if (found == clients_.end()) return;
  std::array<char, 4096> chunk{};
  const ssize_t got = ::recv(found->second.socket.get(), chunk.data(), chunk.size(), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) return drop(id);
  std::string& in = found->second.in;
  in.append(chunk.data(), static_cast<std::size_t>(got));
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end = in.find('\n'); end != std::string::npos; end = in.find('\n', begin)) {
    lines.push_back(in.substr(begin, end - begin));
    begin = end + 1;
  }
  in.erase(0, begin);
  if (in.size() > kLineMax) return drop(id);
  for (const std::string& line : lines) {
    if (clients_.contains(id)) handler_.line(id, line);
  }
}

void ControlSocket::send(ClientId id, std::string_view line) {
  const auto found = clients_.find(id);
  if (found == clients_.end()) return;
  std::string& out = found->second.out;
  if (out.size() + line.size() > kUnreadMax) return drop(id);
  out.append(line);
  out += '\n';
  if (!found->second.writing) write(id);
}

void ControlSocket::write(ClientId id) {
  const auto found = clients_.find(id);
  if (found == clients_.end()) return;
  Client& client = found->second;
  while (!client.out.empty()) {
    const ssize_t sent =
        ::send(client.socket.get(), client.out.data(), client.out.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) break;
    if (sent < 0) return drop(id);
    client.out.erase(0, static_cast<std::size_t>(sent));
  }
  if (client.writing == client.out.empty()) watch(id, !client.out.empty());
}

void ControlSocket::drop(ClientId id) {
  const auto found = clients_.find(id);
  if (found == clients_.end()) return;
  loop_.unwatch(found->second.socket.get());
  clients_.erase(found);
  handler_.gone(id);
}

void ControlSocket::drain(Duration limit) {
  constexpr int kSlice = 10;  // milliseconds
  for (Duration waited{}; waited < limit; waited += std::chrono::milliseconds(kSlice)) {
    std::vector<pollfd> full;
    std::vector<ClientId> ids;
    for (const auto& [id, client] : clients_) {
      if (client.out.empty()) continue;
      full.push_back({.fd = client.socket.get(), .events = POLLOUT, .revents = 0});
      ids.push_back(id);
    }
    if (full.empty()) return;
    if (::poll(full.data(), full.size(), kSlice) <= 0) continue;
    for (const ClientId id : ids) write(id);
  }
}

}  // namespace windrow
