// SPDX-License-Identifier: Apache-2.0
#include "os/memory_rooms.h"

#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace windrow {
namespace {

using Files = std::map<std::string, std::string>;

constexpr const char* kMeminfo = "MemTotal:  1000 kB\nMemFree:  1 kB\nMemAvailable:  600 kB\n";

// "available of total" for each room, in bytes.
std::string rooms(const Files& files) {
  const MemoryRooms memory([&files](const std::string& path) -> std::optional<std::string> {
    const auto found = files.find(path);
    return found == files.end() ? std::nullopt : std::optional(found->second);
  });
  std::string out;
  for (const MemoryRoom& room : memory.read()) {
    out += fmt::format("{} of {}; ", room.available, room.total);
  }
  return out;
}

// C570
TEST(MemoryRooms, MachineAndGroupsWithALimitAreRead) {
  EXPECT_EQ(rooms({{"/proc/meminfo", kMeminfo}}), "614400 of 1024000; ");
  EXPECT_EQ(rooms({{"/proc/meminfo", kMeminfo},
                   {"/proc/self/cgroup", "0::/a/b\n"},
                   {"/sys/fs/cgroup/a/b/memory.max", "max\n"},
                   {"/sys/fs/cgroup/a/b/memory.current", "5000\n"},
                   {"/sys/fs/cgroup/a/memory.max", "9000\n"},
                   {"/sys/fs/cgroup/a/memory.current", "8000\n"},
                   {"/sys/fs/cgroup/a/memory.stat",
                    "anon 5000\nfile 2100\ninactive_file 1000\nactive_file 500\n"
                    "slab_reclaimable 20\n"}}),
            "614400 of 1024000; 2520 of 9000; ");
}

// C570
TEST(MemoryRooms, GroupsOfTheFirstVersionCountTooAndTheirHugeLimitIsNone) {
  const std::string folder = "/sys/fs/cgroup/memory";
  EXPECT_EQ(rooms({{"/proc/meminfo", kMeminfo},
                   {"/proc/self/cgroup", "9:cpu:/x\n4:memory:/docker/1\n0::/\n"},
                   {folder + "/docker/1/memory.limit_in_bytes", "9223372036854771712\n"},
                   {folder + "/docker/1/memory.usage_in_bytes", "100\n"},
                   {folder + "/memory.limit_in_bytes", "7000\n"},
                   {folder + "/memory.usage_in_bytes", "6500\n"},
                   {folder + "/memory.kmem.usage_in_bytes", "1000\n"},
                   {folder + "/memory.stat",
                    "inactive_file 1\ntotal_inactive_file 300\ntotal_active_file 40\n"}}),
            "614400 of 1024000; 1840 of 7000; ");
}

TEST(MemoryRooms, NumbersThatCannotBeTrueDoNoHarm) {
  EXPECT_EQ(rooms({}), "");
  EXPECT_EQ(rooms({{"/proc/meminfo", "MemTotal: 1000 kB\n"}}), "");
  const Files over = {{"/proc/meminfo", kMeminfo},
                      {"/proc/self/cgroup", "0::/\n"},
                      {"/sys/fs/cgroup/memory.max", "100"},
                      {"/sys/fs/cgroup/memory.current", "500"}};
  EXPECT_EQ(rooms(over), "614400 of 1024000; 0 of 100; ");
}

TEST(MemoryRooms, ThisMachineHasSome) {
  const std::vector<MemoryRoom> here = MemoryRooms().read();
  ASSERT_FALSE(here.empty());
  EXPECT_GT(here.front().available, 0U);
  EXPECT_LT(here.front().available, here.front().total);
}

}  // namespace
}  // namespace windrow
