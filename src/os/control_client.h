// SPDX-License-Identifier: Apache-2.0
//
// The other side of os/control_socket.h: asks the process that runs a job.
//
// Thread: one; blocks, never longer than it was told. Failure: kUnavailable when the process has
// gone away.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "os/descriptor.h"

namespace windrow {

class ControlClient {
 public:
  // Nothing when nobody answers at `path` within two seconds.
  static std::optional<ControlClient> connect(const std::string& path);

  // The first line that the process sent.
  [[nodiscard]] const std::string& greeting() const { return greeting_; }

  Status send(std::string_view line);

  // The next line, without its end; none when nothing came in time.
  Result<std::optional<std::string>> next(Duration limit);

 private:
  explicit ControlClient(Descriptor socket) : socket_(std::move(socket)) {}

  Descriptor socket_;
  std::string greeting_;
  std::string in_;
  std::size_t searched_ = 0;  // of in_: no end of a line before here
};

// Whether a process has the socket at `path` open, be it paused: for those whom no epoch fences.
bool is_listened_at(const std::string& path);

}  // namespace windrow
