// SPDX-License-Identifier: Apache-2.0
//
// What a worker inherits from its agent: the two sockets and the page, byte for byte as
// docs/formats/worker-protocol.md has them.
//
// Thread: one. Ownership: descriptors 3 to 5 of the process. Failure: Broken, AgentGone.
#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <exception>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "windrow/detail/json.h"

namespace windrow::worker::detail {

inline constexpr int kCommands = 3;
inline constexpr int kAnswers = 4;
inline constexpr int kPage = 5;
inline constexpr std::size_t kPacketMax = 65536;

inline constexpr std::uint32_t kCommandMagic = 0x31445257;
inline constexpr std::uint32_t kAnswerMagic = 0x31415257;
enum CommandKind : std::uint32_t { kStart = 1, kBatch = 2, kShutdown = 3, kBundle = 4 };
enum AnswerKind : std::uint32_t {
  kReady = 1,
  kInitFailed = 2,
  kDone = 3,
  kFailed = 4,
  kGoodbye = 5,
  kBundleOfAnswers = 6
};
enum Phase : std::uint32_t { kInit = 1, kIdle = 2, kLoad = 3, kRun = 4, kSerialise = 5, kEnd = 6 };
inline constexpr std::uint32_t kFlagSerialise = 8;
inline constexpr std::uint32_t kFlagParts = 32;
inline constexpr std::uint32_t kFlagBundles = 64;
enum PartKind : std::uint8_t { kRowsPart = 0, kReportedPart = 2 };

struct Command {
  std::uint32_t magic, kind;
  std::uint64_t epoch;
  std::uint32_t batch, picked, items, tries;
  std::uint64_t payload_size;
  char zero[24];
};
static_assert(sizeof(Command) == 64);

struct Answer {
  std::uint32_t magic = kAnswerMagic, kind = 0;
  std::uint64_t epoch = 0;
  std::uint32_t batch = 0, picked = 0, returned = 0, flags = 0;
  std::uint64_t payload_size = 0, start = 0;
  std::uint32_t elapsed_us = 0, run_us = 0, cpu_us = 0, zero = 0;
};
static_assert(sizeof(Answer) == 64);

struct PartHead {
  std::uint8_t kind = 0, output = 0;
  std::uint16_t zero = 0;
  std::uint32_t item = 0;
  std::uint64_t size = 0;
};
static_assert(sizeof(PartHead) == 16);

class AgentGone : public std::exception {};

inline std::uint64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

inline std::uint32_t microseconds(std::uint64_t span) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(span / 1000, UINT32_MAX));
}

// ------------------------------------------------------------------------------------ descriptors

// The page that tells the agent what this process is doing.
class Page {
 public:
  Page() : memory_(mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, kPage, 0)) {
    if (memory_ == MAP_FAILED) {
      throw Broken(
          "this program is a worker of windrow: give it to windrow run, or name it in "
          "task.command of a job file");
    }
    close(kPage);
  }
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;
  ~Page() { munmap(memory_, kSize); }

  void enter(Phase phase, std::uint64_t since, std::uint32_t batch = 0, std::uint32_t picked = 0) {
    auto* const words = static_cast<std::uint64_t*>(memory_);
    ++sequence_;
    put(words[0], sequence_);
    put(words[1], static_cast<std::uint64_t>(batch) << 32U | phase);
    put(words[2], picked);
    put(words[3], since);
    put(words[4], sequence_);
  }

 private:
  static constexpr std::size_t kSize = 64;
  static void put(std::uint64_t& word, std::uint64_t value) {
    std::atomic_ref(word).store(value, std::memory_order_release);
  }
  void* memory_;
  std::uint64_t sequence_ = 0;
};

// The payload of a command that came without it.
inline std::string read_attached(msghdr& message, std::uint64_t size) {
  std::string payload;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(part), sizeof descriptor);
    payload.resize(size);
    std::size_t have = 0;
    while (have < size) {
      const ssize_t got =
          pread(descriptor, payload.data() + have, size - have, static_cast<off_t>(have));
      if (got <= 0) break;
      have += static_cast<std::size_t>(got);
    }
    close(descriptor);
    if (have != size) throw Broken("a payload is shorter than its command says");
    return payload;
  }
  throw Broken("a command came without its payload");
}

// One command after the other; `payload` stays as long as the next one is not read.
class CommandSocket {
 public:
  Command read() {
    for (;;) {
      if (!bundle_.empty()) return next_of_bundle();
      const Command command = receive();
      if (command.kind != kBundle) return command;
      bundle_ = payload_;
    }
  }
  [[nodiscard]] std::string_view payload() const { return payload_; }
  // Whether there is more of a bundle: it is at hand, and nobody waits for it to come.
  [[nodiscard]] bool has_more() const { return !bundle_.empty(); }

 private:
  Command next_of_bundle() {
    Command command{};
    if (bundle_.size() < sizeof command) throw Broken("a bundle is cut off");
    std::memcpy(&command, bundle_.data(), sizeof command);
    bundle_.remove_prefix(sizeof command);
    if (bundle_.size() < command.payload_size) throw Broken("a bundle is cut off");
    payload_ = bundle_.substr(0, command.payload_size);
    bundle_.remove_prefix(command.payload_size);
    return command;
  }

  Command receive() {
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    iovec data{.iov_base = buffer_.data(), .iov_len = buffer_.size()};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    ssize_t got = 0;
    do {
      got = recvmsg(kCommands, &message, MSG_CMSG_CLOEXEC);
    } while (got < 0 && errno == EINTR);
    if (got == 0 || (got < 0 && errno == ECONNRESET)) throw AgentGone();
    Command command{};
    if (got < static_cast<ssize_t>(sizeof command)) throw Broken("a command is cut off");
    std::memcpy(&command, buffer_.data(), sizeof command);
    if (command.magic != kCommandMagic) throw Broken("a command is none of this protocol");
    const std::size_t inside = static_cast<std::size_t>(got) - sizeof command;
    attached_.clear();
    if (inside != command.payload_size) attached_ = read_attached(message, command.payload_size);
    payload_ = inside == command.payload_size
                   ? std::string_view(buffer_).substr(sizeof command, inside)
                   : std::string_view(attached_);
    return command;
  }

  std::string buffer_ = std::string(kPacketMax, '\0');
  std::string attached_;
  std::string_view payload_;
  std::string_view bundle_;  // what is left of it; within the buffer
};

// A payload that does not fit a packet goes into a memory file.
inline void send_answer(Answer answer, std::string_view payload) {
  answer.payload_size = payload.size();
  const bool inside = sizeof answer + payload.size() <= kPacketMax;
  iovec data[] = {{.iov_base = &answer, .iov_len = sizeof answer},
                  {.iov_base = const_cast<char*>(payload.data()), .iov_len = payload.size()}};
  msghdr message{};
  message.msg_iov = data;
  message.msg_iovlen = inside ? 2 : 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  int descriptor = -1;
  if (!inside) {
    descriptor = memfd_create("windrow-answer", MFD_CLOEXEC);
    for (std::string_view rest = payload; !rest.empty();) {
      const ssize_t written = write(descriptor, rest.data(), rest.size());
      if (written < 0) throw Broken("no memory for an answer");
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* const part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(part), &descriptor, sizeof descriptor);
  }
  ssize_t sent = 0;
  do {
    sent = sendmsg(kAnswers, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (descriptor >= 0) close(descriptor);
  if (sent < 0) throw AgentGone();
}

// Answers to the mini-batches of a bundle are sent together.
class AnswerSocket {
 public:
  // False when it is held back. `more`: another one follows at once. `now`: of the monotonic clock.
  bool send(const Answer& answer, std::string_view payload, bool more, std::uint64_t now) {
    const bool large = held_.size() + sizeof answer + payload.size() > kHeldMax;
    if (large || (held_.empty() && !more)) {
      flush();
      send_answer(answer, payload);
      return true;
    }
    if (held_.empty()) since_ = now;
    Answer whole = answer;
    whole.payload_size = payload.size();
    held_.append(reinterpret_cast<const char*>(&whole), sizeof whole);
    held_ += payload;
    // Whoever closes the socket is to be noticed with the mini-batch that did it.
    if (fcntl(kAnswers, F_GETFD) < 0) throw Broken("descriptor 4 is closed");
    if (more && answer.kind == kDone && now - since_ <= kHeldNs) return false;
    flush();
    return true;
  }

 private:
  static constexpr std::size_t kHeldMax = std::size_t{32} << 10;
  static constexpr std::uint64_t kHeldNs = 200'000;

  void flush() {
    if (!held_.empty()) send_answer({.kind = kBundleOfAnswers}, held_);
    held_.clear();
  }

  std::string held_;
  std::uint64_t since_ = 0;  // when the first of them was done
};

}  // namespace windrow::worker::detail
