// SPDX-License-Identifier: Apache-2.0
#include "os/control_client.h"

#include <array>
#include <cerrno>
#include <utility>

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "os/clock_steady.h"
#include "os/local_address.h"

namespace windrow {
namespace {

constexpr Duration kAnswerTime = std::chrono::seconds(2);
constexpr std::size_t kLineMax = 16U << 20;

// Holds nothing when nobody listens there.
Descriptor connect_to(const std::string& path) {
  const std::optional<LocalAddress> address = local_address(path);
  if (!address) return {};
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  // A paused process lets connections wait until there is no more room for them.
  const timeval limit{.tv_sec = kAnswerTime / std::chrono::seconds(1), .tv_usec = 0};
  if (socket) ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
  if (socket && ::connect(socket.get(), address->plain(), sizeof(address->name)) != 0) return {};
  return socket;
}

}  // namespace

std::optional<ControlClient> ControlClient::connect(const std::string& path) {
  Descriptor socket = connect_to(path);
  if (!socket) return std::nullopt;
  ControlClient client(std::move(socket));
  Result<std::optional<std::string>> greeting = client.next(kAnswerTime);
  if (!greeting || !*greeting) return std::nullopt;
  client.greeting_ = std::move(**greeting);
  return client;
}

Status ControlClient::send(std::string_view line) {
  std::string text(line);
  text += '\n';
  std::string_view left = text;
  while (!left.empty()) {
    const ssize_t sent = ::send(socket_.get(), left.data(), left.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return fail(ErrorCode::kUnavailable, "the job's process has gone away");
    left.remove_prefix(static_cast<std::size_t>(sent));
  }
  return {};
}

Result<std::optional<std::string>> ControlClient::next(Duration limit) {
  const TimePoint until = monotonic_now() + limit;
  for (;;) {
    const std::size_t end = in_.find('\n', searched_);
    if (end != std::string::npos) {
      std::string line = in_.substr(0, end);
      in_.erase(0, end + 1);
      searched_ = 0;
      return line;
    }
    searched_ = in_.size();
    const Duration left = until - monotonic_now();
    if (left <= Duration{}) return std::nullopt;
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    pollfd ready{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    const int got = ::poll(&ready, 1, static_cast<int>(wait));
    if (got == 0) return std::nullopt;
    if (got < 0) return std::nullopt;  // a signal: the caller looks what it was
    std::array<char, 65536> chunk{};
    const ssize_t size = ::recv(socket_.get(), chunk.data(), chunk.size(), 0);
    if (size < 0 && errno == EINTR) return std::nullopt;
    if (size <= 0 || in_.size() > kLineMax) {
      return fail(ErrorCode::kUnavailable, "the job's process has gone away");
    }
    in_.append(chunk.data(), static_cast<std::size_t>(size));
  }
}

bool is_listened_at(const std::string& path) { return static_cast<bool>(connect_to(path)); }

}  // namespace windrow
