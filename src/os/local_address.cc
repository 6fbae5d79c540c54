// SPDX-License-Identifier: Apache-2.0
#include "os/local_address.h"

#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace windrow {

std::optional<LocalAddress> local_address(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  LocalAddress address;
  address.folder.reset(::open(path.substr(0, slash).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!address.folder) return std::nullopt;
  const std::string text =
      fmt::format("/proc/self/fd/{}{}", address.folder.get(), path.substr(slash));
  if (text.size() >= sizeof(address.name.sun_path)) return std::nullopt;
  address.name.sun_family = AF_UNIX;
  std::memcpy(address.name.sun_path, text.c_str(), text.size() + 1);
  return address;
}

bool is_own_user(int socket) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  return peer.uid == ::geteuid() || peer.uid == 0;
}

}  // namespace windrow
