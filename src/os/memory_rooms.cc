// SPDX-License-Identifier: Apache-2.0
#include "os/memory_rooms.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "os/control_group.h"
#include "os/machine.h"
#include "os/memory.h"

namespace windrow {
namespace {

constexpr std::uint64_t kFileMax = 1U << 16U;
constexpr std::uint64_t kKilobyte = 1024;
constexpr const char* kMount = "/sys/fs/cgroup";

// Nothing for "max".
std::optional<std::uint64_t> number_in(const std::optional<std::string>& text) {
  std::uint64_t value = 0;
  if (!text) return std::nullopt;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

}  // namespace

MemoryRooms::MemoryRooms(ReadFile read) : read_(std::move(read)) {
  const std::string own = read_("/proc/self/cgroup").value_or("");
  std::vector<Group> found;
  if (const auto first = control_group(own, "memory")) {
    for (const std::string& group : with_outer_groups(*first)) {
      const std::string folder = std::string(kMount) + "/memory" + group;
      found.push_back({.limit = folder + "/memory.limit_in_bytes",
                       .usage = folder + "/memory.usage_in_bytes",
                       // Mostly names of files; version 1 does not tell them from the rest.
                       .kernel = folder + "/memory.kmem.usage_in_bytes",
                       .stat = folder + "/memory.stat",
                       .droppable = {"total_inactive_file", "total_active_file"}});
    }
  }
  if (const auto second = control_group(own, "")) {
    for (const std::string& group : with_outer_groups(*second)) {
      const std::string folder = kMount + group;
      found.push_back({.limit = folder + "/memory.max",
                       .usage = folder + "/memory.current",
                       .kernel = "",
                       .stat = folder + "/memory.stat",
                       .droppable = {"inactive_file", "active_file", "slab_reclaimable"}});
    }
  }
  // Version 1 has a limit everywhere, and where nobody set one it is beyond every machine.
  const std::uint64_t machine_total = machine().total;
  for (Group& group : found) {
    const std::optional<MemoryRoom> room = room_of(group);
    if (room && room->total < machine_total) groups_.push_back(std::move(group));
  }
}

std::optional<std::string> MemoryRooms::read_kernel_file(const std::string& path) {
  Result<std::string> text = read_whole_file(path, kFileMax);
  return text ? std::optional(*std::move(text)) : std::nullopt;
}

std::vector<MemoryRoom> MemoryRooms::read() const {
  std::vector<MemoryRoom> out;
  if (const MemoryRoom all = machine(); all.total > 0) out.push_back(all);
  for (const Group& group : groups_) {
    if (const std::optional<MemoryRoom> room = room_of(group)) out.push_back(*room);
  }
  return out;
}

// A kernel that does not say what is available counts as unknown, not as full.
MemoryRoom MemoryRooms::machine() const {
  const std::string text = read_("/proc/meminfo").value_or("");
  const auto total = number_after(text, "MemTotal");
  const auto available = number_after(text, "MemAvailable");
  if (!total || !available) return {};
  return {.total = *total * kKilobyte, .available = *available * kKilobyte};
}

std::optional<MemoryRoom> MemoryRooms::room_of(const Group& group) const {
  const auto limit = number_in(read_(group.limit));
  const auto usage = number_in(read_(group.usage));
  if (!limit || !usage) return std::nullopt;
  const std::string stat = read_(group.stat).value_or("");
  std::uint64_t droppable = group.kernel.empty() ? 0 : number_in(read_(group.kernel)).value_or(0);
  for (const std::string& line : group.droppable) droppable += number_after(stat, line).value_or(0);
  const std::uint64_t held = *usage - std::min(*usage, droppable);
  return MemoryRoom{.total = *limit, .available = *limit - std::min(*limit, held)};
}

}  // namespace windrow
