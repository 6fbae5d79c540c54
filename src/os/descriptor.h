// SPDX-License-Identifier: Apache-2.0
//
// An owned file descriptor, and how descriptors and reasons travel.
//
// Thread: any; one Descriptor by one thread at a time. Failure: as the system calls they stand for.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

namespace windrow {

// Closes what it holds.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    reset(other.release());
    return *this;
  }
  ~Descriptor() { reset(); }

  [[nodiscard]] int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  int release() { return std::exchange(number_, -1); }
  void reset(int number = -1);

 private:
  int number_ = -1;
};

// What errno says, in words: "No space left on device".
std::string reason(int error);

// The most descriptors that one message carries.
inline constexpr std::size_t kDescriptorsMax = 8;

// Sends one packet with `descriptors` beside it. Never waits, never raises SIGPIPE; result and
// errno as sendmsg(2). REQUIRES: at most kDescriptorsMax descriptors.
ssize_t send_message(int socket, std::span<iovec> parts, std::span<const int> descriptors);

// The descriptors that came with a received message. Calling it twice would own them twice.
std::vector<Descriptor> descriptors_of(msghdr& message);

}  // namespace windrow
