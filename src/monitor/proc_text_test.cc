// SPDX-License-Identifier: Apache-2.0
#include "monitor/proc_text.h"

#include <gtest/gtest.h>

namespace windrow {
namespace {

TEST(ProcText, CpuTimesLeaveOutWaitingAndCountGuestsOnce) {
  const CpuTimes times =
      parse_cpu_times("cpu  100 10 50 800 40 1 2 3 99 9\ncpu0 1 1 1 1 1 1 1 1 1 1\n");
  EXPECT_EQ(times.busy, 166U);
  EXPECT_EQ(times.total, 1006U);
  EXPECT_EQ(parse_cpu_times("").total, 0U);
}

TEST(ProcText, MemoryIsInBytes) {
  const Memory memory =
      parse_memory("MemTotal:       16384 kB\nMemFree: 1 kB\nMemAvailable: 4 kB\n");
  EXPECT_EQ(memory.total, 16384U * 1024);
  EXPECT_EQ(memory.available, 4096U);
}

TEST(ProcText, PartitionsAndDisksMadeOfOthersDoNotCountTwice) {
  const IoCounts io = parse_disk_io(
      "   7       0 loop0 9 0 9 0 9 0 9 0 0 0 0\n"
      " 259       0 nvme0n1 100 5 2000 7 50 5 1000 7 0 1 2\n"
      " 259       1 nvme0n1p1 90 5 1900 7 50 5 1000 7 0 1 2\n"
      "   8       0 sda 1 0 2 0 3 0 4 0 0 0 0\n"
      "   8       1 sda1 1 0 2 0 3 0 4 0 0 0 0\n"
      "   8      16 sdb 1 0 2 0 3 0 4 0 0 0 0\n"
      " 253       0 dm-0 100 5 2000 7 50 5 1000 7 0 1 2\n"
      "   9     127 md127 100 5 2000 7 50 5 1000 7 0 1 2\n"
      "short line\n");
  EXPECT_EQ(io.reads, 102U);
  EXPECT_EQ(io.writes, 56U);
  EXPECT_EQ(io.read_bytes, 2004U * 512);
  EXPECT_EQ(io.written_bytes, 1008U * 512);
}

TEST(ProcText, ProcessIoCountsWhatReachesDisks) {
  const IoCounts io = parse_process_io(
      "rchar: 5\nwchar: 6\nsyscr: 7\nsyscw: 8\nread_bytes: 4096\nwrite_bytes: 8192\n"
      "cancelled_write_bytes: 1\n");
  EXPECT_EQ(io.reads, 7U);
  EXPECT_EQ(io.writes, 8U);
  EXPECT_EQ(io.read_bytes, 4096U);
  EXPECT_EQ(io.written_bytes, 8192U);
}

TEST(ProcText, NetworkAndSocketsAreSummedUp) {
  const Network network = parse_network(
      "Inter-|   Receive                    |  Transmit\n"
      " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets\n"
      "    lo:1000 1 0 0 0 0 0 0 1000 1 0 0 0 0 0 0\n"
      "  eth0: 5 1 0 0 0 0 0 0 7 1 0 0 0 0 0 0\n");
  EXPECT_EQ(network.received, 1005U);
  EXPECT_EQ(network.sent, 1007U);
  const std::string_view sockets =
      "sockets: used 300\nTCP: inuse 5 orphan 0 tw 2 alloc 9 mem 1\nUDP: inuse 3 mem 2\n"
      "UDPLITE: inuse 9\nTCP6: inuse 2\nUDP6: inuse 1\nUDPLITE6: inuse 9\n";
  EXPECT_EQ(parse_sockets(sockets, "TCP"), 7U);
  EXPECT_EQ(parse_sockets(sockets, "UDP"), 4U);
}

TEST(ProcText, AProcessMayHaveAnyName) {
  const auto stat = parse_process_stat(
      "42 (a) b (c) S 7 42 42 0 -1 4194304 1 2 3 4 10 20 30 40 20 0 5 0 600 1000000 256 "
      "18446744073709551615 1 1\n");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->pid, 42);
  EXPECT_EQ(stat->name, "a) b (c");
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent, 7);
  EXPECT_EQ(stat->user, 40U);
  EXPECT_EQ(stat->system, 60U);
  EXPECT_EQ(stat->threads, 5U);
  EXPECT_EQ(stat->start, 600U);
  EXPECT_EQ(stat->resident_pages, 256U);
  EXPECT_FALSE(parse_process_stat(""));
  EXPECT_FALSE(parse_process_stat("42 (cut) S 7"));
}

TEST(ProcText, UptimeIsInSeconds) { EXPECT_DOUBLE_EQ(parse_uptime("12.50 99.1\n"), 12.5); }

TEST(ProcText, MountsWithDisksAndThoseOfTheJobAreChosen) {
  const auto mounts = parse_mounts(
      "overlay / overlay rw 0 0\n"
      "proc /proc proc rw 0 0\n"
      "/dev/sdb1 /data\\040of\\134us ext4 rw 0 0\n"
      "/dev/sdb1 /data\\040of\\134us/again ext4 rw 0 0\n"
      "/dev/loop3 /snap/x squashfs ro 0 0\n"
      "server:/home /home nfs4 rw 0 0\n"
      "server:/other /other nfs4 rw 0 0\n");
  ASSERT_EQ(mounts.size(), 7U);
  EXPECT_EQ(choose_mount_points(mounts, {"/home/me/jobs", "/homeless"}),
            (std::vector<std::string>{"/", "/data of\\us", "/home"}));
}

}  // namespace
}  // namespace windrow
