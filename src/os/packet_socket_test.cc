// SPDX-License-Identifier: Apache-2.0
#include "os/packet_socket.h"

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace windrow {
namespace {

PacketHeader header_of(std::uint64_t payload_size) {
  PacketHeader header{};
  header.fill('h');
  std::memcpy(header.data() + 32, &payload_size, sizeof payload_size);
  return header;
}

std::string payload_of(const std::optional<Packet>& packet) {
  return packet ? packet->payload : "no packet";
}

std::string text_of(const PacketHeader& header) { return {header.data(), header.size()}; }

Descriptor memory_file(std::size_t size) {
  Descriptor file(::memfd_create("test", MFD_CLOEXEC));
  EXPECT_EQ(::ftruncate(file.get(), static_cast<off_t>(size)), 0);
  return file;
}

class PacketSocketTest : public testing::Test {
 public:
  // Sends what no honest worker would.
  void send_raw(std::string bytes, const std::vector<int>& descriptors = {}) {
    iovec part{bytes.data(), bytes.size()};
    ASSERT_EQ(send_message(pair.sending.get(), std::span(&part, 1), descriptors),
              static_cast<ssize_t>(bytes.size()));
  }

  // What comes of a packet with this header and these descriptors.
  Packet received(std::uint64_t payload_size, const std::vector<int>& descriptors) {
    send_raw(text_of(header_of(payload_size)), descriptors);
    std::vector<Packet> packets = read();
    EXPECT_EQ(packets.size(), 1U);
    EXPECT_EQ(packets.at(0).header, header_of(payload_size));
    return std::move(packets.at(0));
  }

  std::vector<Packet> read() {
    std::vector<Packet> packets;
    do {
      after = reader.read_some(pair.receiving.get(),
                               [&](Packet packet) { packets.push_back(std::move(packet)); });
    } while (after == PacketReader::After::kMore);
    return packets;
  }

  static std::size_t open_descriptors() {
    const std::filesystem::directory_iterator folder("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(folder), end(folder)));
  }

  PacketPair pair = *make_packet_pair();
  PacketReader reader;
  PacketReader::After after{};
  std::size_t descriptors_before = open_descriptors();

  void TearDown() override {
    const std::size_t closed = (pair.sending ? 0U : 1U) + (pair.receiving ? 0U : 1U);
    EXPECT_EQ(open_descriptors() + closed, descriptors_before) << "a descriptor leaked";
  }
};

TEST_F(PacketSocketTest, PacketsArriveInOrderWithHeaderAndPayload) {
  const std::string large(300'000, 'l');
  for (const std::string_view payload : {"one", "", large.c_str(), "four"}) {
    ASSERT_TRUE(send_packet(pair.sending.get(), header_of(payload.size()), payload));
  }
  const std::vector<Packet> packets = read();
  ASSERT_EQ(packets.size(), 4U);
  EXPECT_EQ(packets[0].payload, "one");
  EXPECT_EQ(packets[1].payload, "");
  EXPECT_TRUE(packets[2].payload == large);
  EXPECT_EQ(packets[3].payload, "four");
  EXPECT_EQ(packets[3].header, header_of(4));
  EXPECT_EQ(after, PacketReader::After::kEmpty);
}

TEST_F(PacketSocketTest, OneReadHandsOnABoundedNumber) {
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(send_packet(pair.sending.get(), header_of(0), ""));
  int got = 0;
  EXPECT_EQ(reader.read_some(pair.receiving.get(), [&](const Packet&) { ++got; }),
            PacketReader::After::kMore);
  EXPECT_EQ(got, 16);
  EXPECT_EQ(read().size(), 24U);
}

TEST_F(PacketSocketTest, FullQueueRefusesAndLosesNothing) {
  int sent = 0;
  while (send_packet(pair.sending.get(), header_of(1000), std::string(1000, 'x'))) ++sent;
  EXPECT_FALSE(send_packet(pair.sending.get(), header_of(100'000), std::string(100'000, 'x')));
  EXPECT_EQ(read().size(), static_cast<std::size_t>(sent));
  EXPECT_TRUE(send_packet(pair.sending.get(), header_of(0), ""));
  EXPECT_EQ(read().size(), 1U);
}

TEST_F(PacketSocketTest, ClosedEndIsToldAfterTheLastPacket) {
  ASSERT_TRUE(send_packet(pair.sending.get(), header_of(0), ""));
  send_raw("");
  ASSERT_TRUE(send_packet(pair.sending.get(), header_of(0), ""));
  pair.sending.reset();
  EXPECT_EQ(read().size(), 3U);
  EXPECT_EQ(after, PacketReader::After::kClosed);
  EXPECT_TRUE(read().empty());
  EXPECT_EQ(after, PacketReader::After::kClosed);
}

TEST_F(PacketSocketTest, SendingToAClosedEndIsRefusedWithoutASignal) {
  pair.receiving.reset();
  EXPECT_FALSE(send_packet(pair.sending.get(), header_of(0), ""));
}

TEST_F(PacketSocketTest, PacketShorterThanAHeaderHasAHeaderOfZeros) {
  for (const std::size_t size : {0U, 1U, 63U}) {
    send_raw(std::string(size, 'x'));
    const std::vector<Packet> packets = read();
    ASSERT_EQ(packets.size(), 1U) << size;
    EXPECT_EQ(packets[0].header, PacketHeader{});
    EXPECT_EQ(packets[0].payload, "");
    EXPECT_EQ(after, PacketReader::After::kEmpty);
  }
}

TEST_F(PacketSocketTest, InlinePayloadOverTheLimitComesEmpty) {
  send_raw(text_of(header_of(70'000)) + std::string(70'000, 'x'));
  const std::vector<Packet> packets = read();
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_EQ(packets[0].header, header_of(70'000));
  EXPECT_EQ(packets[0].payload, "");
}

TEST_F(PacketSocketTest, SmallPayloadMayComeByMemoryFile) {
  const Descriptor file = memory_file(0);
  ASSERT_EQ(::write(file.get(), "abc", 3), 3);
  EXPECT_EQ(received(3, {file.get()}).payload, "abc");
}

TEST_F(PacketSocketTest, MemoryFileOfAnotherSizeComesEmpty) {
  const Descriptor file = memory_file(100);
  EXPECT_EQ(received(99, {file.get()}).payload, "");
  EXPECT_EQ(received(101, {file.get()}).payload, "");
  EXPECT_EQ(received(0, {file.get()}).payload, "");
  EXPECT_EQ(received(~std::uint64_t{0}, {file.get()}).payload, "");
  EXPECT_EQ(received(100, {file.get()}).payload, std::string(100, '\0'));
}

TEST_F(PacketSocketTest, MemoryFileOverTheLimitComesEmpty) {
  const Descriptor file = memory_file(kPayloadMax + 1);
  EXPECT_EQ(received(kPayloadMax + 1, {file.get()}).payload, "");
}

TEST_F(PacketSocketTest, DescriptorThatIsNoMemoryFileComesEmpty) {
  std::array<int, 2> pipe{-1, -1};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  const Descriptor out(pipe[0]);
  const Descriptor in(pipe[1]);
  EXPECT_EQ(received(10, {out.get()}).payload, "");
  const Descriptor device(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(received(10, {device.get()}).payload, "");
  const Descriptor program(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(
      received(static_cast<std::uint64_t>(::lseek(program.get(), 0, SEEK_END)), {program.get()})
          .payload,
      "");
  const Descriptor folder(::open("/", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(received(4096, {folder.get()}).payload, "");
}

TEST_F(PacketSocketTest, MemoryFileThatCannotBeReadComesEmpty) {
  const Descriptor file = memory_file(10);
  const std::string path = fmt::format("/proc/self/fd/{}", file.get());
  const Descriptor writing(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  EXPECT_EQ(received(10, {writing.get()}).payload, "");
}

TEST_F(PacketSocketTest, SuperfluousDescriptorsAreClosed) {
  const Descriptor file = memory_file(10);
  EXPECT_EQ(received(10, {file.get(), file.get()}).payload, "");
  EXPECT_EQ(received(10, std::vector<int>(8, file.get())).payload, "");
  EXPECT_EQ(received(10, {}).payload, "");
  send_raw("short", {file.get()});
  send_raw(text_of(header_of(6)) + "inline", {file.get()});
  const std::vector<Packet> packets = read();
  ASSERT_EQ(packets.size(), 2U);
  EXPECT_EQ(packets[1].payload, "inline");
}

TEST_F(PacketSocketTest, UnreadPacketsAreTakenBackOneByOne) {
  const std::string large(100'000, 'l');
  ASSERT_TRUE(send_packet(pair.sending.get(), header_of(1), "a"));
  ASSERT_TRUE(send_packet(pair.sending.get(), header_of(large.size()), large));
  EXPECT_EQ(payload_of(reader.read_one(pair.receiving.get())), "a");
  EXPECT_TRUE(payload_of(reader.read_one(pair.receiving.get())) == large);
  EXPECT_FALSE(reader.read_one(pair.receiving.get()));
}

}  // namespace
}  // namespace windrow
