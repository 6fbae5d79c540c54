// SPDX-License-Identifier: Apache-2.0
#include "os/packet_socket.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace windrow {
namespace {

constexpr std::size_t kPayloadSizeOffset = 32;
// The kernel doubles the number and counts its own overhead against it.
constexpr int kSendBuffer = 16 * (static_cast<int>(kPacketMax) + 4096);

std::uint64_t payload_size_of(const PacketHeader& header) {
  std::uint64_t size = 0;  // little-endian, as the machines we build for
  std::memcpy(&size, header.data() + kPayloadSizeOffset, sizeof size);
  return size;
}

// By offset, so that the receiver, who shares the position, can simply read from the beginning.
bool fill(int descriptor, std::string_view bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written =
        ::pwrite(descriptor, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return true;
}

// The content of a memory file of exactly `size` bytes, else nothing. Read and never mapped: its
// sender could cut it short under a mapping.
std::string read_memory_file(int descriptor, std::uint64_t size) {
  struct stat status{};
  // Only memory files have seals. Anything else might make a read wait, as on a dead network disk.
  if (size > kPayloadMax || ::fcntl(descriptor, F_GET_SEALS) < 0 ||
      ::fstat(descriptor, &status) != 0 || std::cmp_not_equal(status.st_size, size)) {
    return {};
  }
  std::string bytes;
  bytes.resize_and_overwrite(size, [&](char* into, std::size_t wanted) {
    std::size_t done = 0;
    while (done < wanted) {
      const ssize_t got = ::pread(descriptor, into + done, wanted - done, static_cast<off_t>(done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return std::size_t{0};
      done += static_cast<std::size_t>(got);
    }
    return done;
  });
  return bytes;
}

// Copied together first: two parts cost the kernel more than the copy.
bool send_inline(int socket, const PacketHeader& header, std::string_view payload) {
  std::array<char, kPacketMax> packet;  // NOLINT(*-member-init): only what is copied is sent
  char* end = std::ranges::copy(header, packet.begin()).out;
  end = std::ranges::copy(payload, end).out;
  const auto size = static_cast<std::size_t>(end - packet.data());
  for (;;) {
    const ssize_t sent = ::send(socket, packet.data(), size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0 || errno != EINTR) return sent >= 0;
  }
}

// An empty packet and the end of a connection read alike; this tells them apart, save for empty
// packets that are the very last, which is not a loss.
bool is_closed(int socket) {
  pollfd state{socket, POLLRDHUP, 0};
  if (::poll(&state, 1, 0) <= 0 || (state.revents & (POLLRDHUP | POLLHUP)) == 0) return false;
  int pending = 0;
  return ::ioctl(socket, FIONREAD, &pending) != 0 || pending == 0;
}

}  // namespace

Result<PacketPair> make_plain_pair() {
  std::array<int, 2> ends{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail(ErrorCode::kUnavailable, "cannot create a socket pair: {}", reason(errno));
  }
  return PacketPair{Descriptor(ends[0]), Descriptor(ends[1])};
}

Result<PacketPair> make_packet_pair() {
  ASSIGN_OR_RETURN(PacketPair pair, make_plain_pair());
  const int sending = pair.sending.get();
  if (::setsockopt(sending, SOL_SOCKET, SO_SNDBUFFORCE, &kSendBuffer, sizeof kSendBuffer) != 0) {
    // Not privileged: as much as net.core.wmem_max allows. At least 64 KiB fit by default.
    ::setsockopt(sending, SOL_SOCKET, SO_SNDBUF, &kSendBuffer, sizeof kSendBuffer);
  }
  return pair;
}

bool send_packet(int socket, const PacketHeader& header, std::string_view payload) {
  if (header.size() + payload.size() <= kPacketMax) return send_inline(socket, header, payload);
  const Descriptor file(::memfd_create("windrow-payload", MFD_CLOEXEC));
  if (!file || !fill(file.get(), payload)) return false;
  const int number = file.get();
  iovec part{const_cast<char*>(header.data()), header.size()};
  return send_message(socket, std::span(&part, 1), std::span(&number, 1)) >= 0;
}

PacketReader::PacketReader() : buffers_((kBatch + 1) * kPacketMax) {
  for (std::size_t slot = 0; slot <= kBatch; ++slot) {
    parts_[slot] = {buffers_.data() + slot * kPacketMax, kPacketMax};
    messages_[slot].msg_hdr.msg_iov = &parts_[slot];
    messages_[slot].msg_hdr.msg_iovlen = 1;
    messages_[slot].msg_hdr.msg_control = controls_[slot].bytes.data();
  }
}

PacketReader::After PacketReader::read_some(int socket,
                                            const std::function<void(Packet)>& deliver) {
  for (std::size_t slot = 0; slot < kBatch; ++slot) prepare(slot);
  int got = 0;
  do {
    got = ::recvmmsg(socket, messages_.data(), kBatch, MSG_DONTWAIT | MSG_CMSG_CLOEXEC, nullptr);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return errno == EAGAIN ? After::kEmpty : After::kClosed;
  auto count = static_cast<std::size_t>(got);
  const After after = count < kBatch ? After::kEmpty : After::kMore;
  while (count > 0 && messages_[count - 1].msg_len == 0) --count;
  const bool closed = std::cmp_less(count, got) && is_closed(socket);
  for (std::size_t slot = 0; std::cmp_less(slot, got); ++slot) {
    Packet packet = packet_of(slot, messages_[slot].msg_len);  // also closes what came with it
    if (slot < count || !closed) deliver(std::move(packet));
  }
  return closed ? After::kClosed : after;
}

std::optional<Packet> PacketReader::read_one(int socket) {
  prepare(kBatch);
  ssize_t got = 0;
  do {
    got = ::recvmsg(socket, &messages_[kBatch].msg_hdr, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return std::nullopt;
  Packet packet = packet_of(kBatch, static_cast<std::size_t>(got));
  if (got == 0) return std::nullopt;
  return packet;
}

void PacketReader::prepare(std::size_t slot) {
  messages_[slot].msg_hdr.msg_controllen = sizeof(Control);
  messages_[slot].msg_hdr.msg_flags = 0;
}

Packet PacketReader::packet_of(std::size_t slot, std::size_t size) {
  msghdr& message = messages_[slot].msg_hdr;
  std::vector<Descriptor> descriptors;
  if (message.msg_controllen > 0) descriptors = descriptors_of(message);
  Packet packet;
  if (size < kPacketHeaderSize) return packet;
  const char* bytes = static_cast<const char*>(parts_[slot].iov_base);
  std::copy_n(bytes, kPacketHeaderSize, packet.header.begin());
  if (size > kPacketHeaderSize) {
    if ((message.msg_flags & MSG_TRUNC) == 0) {
      packet.payload.assign(bytes + kPacketHeaderSize, size - kPacketHeaderSize);
    }
  } else if (descriptors.size() == 1) {
    packet.payload = read_memory_file(descriptors[0].get(), payload_size_of(packet.header));
  }
  return packet;
}

}  // namespace windrow
