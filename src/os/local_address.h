// SPDX-License-Identifier: Apache-2.0
//
// The address of a Unix socket in a folder of any depth.
//
// Thread: any. Failure: none without the folder.
#pragma once

#include <optional>
#include <string>

#include <sys/socket.h>
#include <sys/un.h>

#include "os/descriptor.h"

namespace windrow {

// Socket addresses are short and job folders may be deep, so the folder is named by a descriptor,
// which must stay open while the address is used.
struct LocalAddress {
  Descriptor folder;
  sockaddr_un name{};

  [[nodiscard]] const sockaddr* plain() const { return reinterpret_cast<const sockaddr*>(&name); }
};

std::optional<LocalAddress> local_address(const std::string& path);

// The user at the other end of a connected socket is this one, or root.
bool is_own_user(int socket);

}  // namespace windrow
