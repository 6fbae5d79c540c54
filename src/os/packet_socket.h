// SPDX-License-Identifier: Apache-2.0
//
// Packets on a SOCK_SEQPACKET pair: inline up to 64 KiB, else in a memory file that travels beside.
//
// What is received is not trusted. A packet shorter than a header comes with a header of zeros; a
// payload whose descriptor is missing, is not a memory file or has another size than the header
// says, and an inline one that was cut off, come empty, which the size in the header then
// contradicts.
//
// Thread: any, one at a time. Failure: documented at each.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include <sys/socket.h>
#include <sys/uio.h>

#include "base/result.h"
#include "os/descriptor.h"
#include "os/worker_host.h"

namespace windrow {

inline constexpr std::size_t kPacketMax = 65'536;                      // header and inline payload
inline constexpr std::uint64_t kPayloadMax = std::uint64_t{1} << 30U;  // received, by memory file

using PacketHeader = std::array<char, kPacketHeaderSize>;

struct PacketPair {
  Descriptor sending;
  Descriptor receiving;
};

// Both ends alike, with the system's buffers.
Result<PacketPair> make_plain_pair();

// A pair whose sending end holds 16 packets of 64 KiB, or as many as the system allows.
Result<PacketPair> make_packet_pair();

// False when the queue is full, the other end gone or no memory left. Never waits.
bool send_packet(int socket, const PacketHeader& header, std::string_view payload);

class PacketReader {
 public:
  enum class After {
    kMore,    // there may be more
    kEmpty,   // all was read
    kClosed,  // all was read and nothing will come any more
  };

  PacketReader();

  // Hands on up to kBatch packets without waiting. `deliver` must not call the reader's read_some.
  After read_some(int socket, const std::function<void(Packet)>& deliver);

  // The next packet, or none.
  std::optional<Packet> read_one(int socket);

 private:
  static constexpr std::size_t kBatch = 16;
  struct alignas(cmsghdr) Control {
    std::array<char, CMSG_SPACE(sizeof(int) * 2)> bytes;  // more descriptors than one: refused
  };

  void prepare(std::size_t slot);
  Packet packet_of(std::size_t slot, std::size_t size);

  std::vector<char> buffers_;  // kBatch + 1 of kPacketMax: the last for read_one
  std::array<iovec, kBatch + 1> parts_{};
  std::array<Control, kBatch + 1> controls_{};
  std::array<mmsghdr, kBatch + 1> messages_{};
};

}  // namespace windrow
