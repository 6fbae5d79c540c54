// SPDX-License-Identifier: Apache-2.0
#include "os/control_socket.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace windrow {
namespace {

constexpr int kAnswerMilliseconds = 2000;

// Socket addresses are short and job folders may be deep, so the folder is named by a descriptor.
struct Address {
  Descriptor folder;
  sockaddr_un name{};
};

std::optional<Address> address_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  Address address;
  address.folder.reset(::open(path.substr(0, slash).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!address.folder) return std::nullopt;
  const std::string text =
      fmt::format("/proc/self/fd/{}{}", address.folder.get(), path.substr(slash));
  if (text.size() >= sizeof(address.name.sun_path)) return std::nullopt;
  address.name.sun_family = AF_UNIX;
  std::memcpy(address.name.sun_path, text.c_str(), text.size() + 1);
  return address;
}

const sockaddr* plain(const Address& address) {
  return reinterpret_cast<const sockaddr*>(&address.name);
}

// Holds nothing when nobody listens there.
Descriptor connect_to(const std::string& path) {
  const std::optional<Address> address = address_of(path);
  if (!address) return {};
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket && ::connect(socket.get(), plain(*address), sizeof(address->name)) != 0) return {};
  return socket;
}

}  // namespace

Result<std::unique_ptr<ControlSocket>> ControlSocket::listen(EpollLoop& loop,
                                                             const std::string& path) {
  const auto cannot = [&](int error) {
    return fail(ErrorCode::kUnavailable, "cannot listen at {}: {}", path, reason(error));
  };
  const std::optional<Address> address = address_of(path);
  if (!address) return cannot(ENOENT);
  ::unlink(path.c_str());
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return cannot(errno);
  if (::bind(socket.get(), plain(*address), sizeof(address->name)) != 0) return cannot(errno);
  if (::listen(socket.get(), 16) != 0) return cannot(errno);
  std::unique_ptr<ControlSocket> control(new ControlSocket(loop, path, std::move(socket)));
  RETURN_IF_ERROR(loop.watch(control->socket_.get(), EPOLLIN, [raw = control.get()](std::uint32_t) {
    raw->accept_all();
  }));
  return control;
}

ControlSocket::~ControlSocket() {
  loop_.unwatch(socket_.get());
  ::unlink(path_.c_str());
}

void ControlSocket::accept_all() {
  for (;;) {
    const Descriptor peer(::accept4(socket_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!peer) return;
    const std::string answer = fmt::format("{}\n", getpid());
    static_cast<void>(::send(peer.get(), answer.data(), answer.size(), MSG_NOSIGNAL));
  }
}

std::optional<int> ask_who_runs(const std::string& path) {
  const Descriptor socket = connect_to(path);
  if (!socket) return std::nullopt;
  pollfd ready{.fd = socket.get(), .events = POLLIN, .revents = 0};
  if (::poll(&ready, 1, kAnswerMilliseconds) <= 0) return std::nullopt;
  std::array<char, 32> text{};
  const ssize_t got = ::recv(socket.get(), text.data(), text.size(), 0);
  if (got <= 0) return std::nullopt;
  int pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + got, pid);
  if (error != std::errc()) return std::nullopt;
  return pid;
}

bool is_listened_at(const std::string& path) { return static_cast<bool>(connect_to(path)); }

}  // namespace windrow
