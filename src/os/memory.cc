// SPDX-License-Identifier: Apache-2.0
#include "os/memory.h"

#include <charconv>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "os/control_group.h"
#include "os/descriptor.h"
#include "os/machine.h"
#include "os/process_tree.h"

namespace windrow {
namespace {

constexpr std::uint64_t kFileMax = 1U << 20U;

}  // namespace

std::optional<std::uint64_t> number_after(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.starts_with(name)) continue;
    line.remove_prefix(name.size());
    const std::size_t digit = line.find_first_not_of(": \t");
    if (digit == 0 || digit == std::string_view::npos) continue;
    std::uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(line.data() + digit, line.data() + line.size(), value);
    if (error == std::errc()) return value;
  }
  return std::nullopt;
}

WorkerMemory memory_of(pid_t pid) {
  const Result<std::string> text = read_whole_file(fmt::format("/proc/{}/status", pid), kFileMax);
  if (!text) return {};
  constexpr std::uint64_t kKilobyte = 1024;
  return {.rss = number_after(*text, "VmRSS").value_or(0) * kKilobyte,
          .peak = number_after(*text, "VmHWM").value_or(0) * kKilobyte};
}

std::uint64_t held_memory(pid_t root) {
  constexpr std::uint64_t kKilobyte = 1024;
  std::vector<pid_t> all = descendants_of(root);
  all.push_back(root);
  std::uint64_t sum = 0;
  for (const pid_t pid : all) {
    const Result<std::string> text = read_whole_file(fmt::format("/proc/{}/status", pid), kFileMax);
    if (!text) continue;
    for (const std::string_view kind : {"RssAnon", "RssShmem"}) {
      sum += number_after(*text, kind).value_or(0) * kKilobyte;
    }
  }
  return sum;
}

void forget_memory_peak(pid_t pid) {
  const std::string path = fmt::format("/proc/{}/clear_refs", pid);
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  constexpr std::string_view kPeak = "5";  // proc(5)
  if (file) static_cast<void>(::write(file.get(), kPeak.data(), kPeak.size()) < 0);
}

std::vector<std::string> OomKills::default_counters() {
  std::vector<std::string> out;
  if (const Result<std::string> groups = read_whole_file("/proc/self/cgroup", kFileMax)) {
    if (const auto path = control_group(*groups, "memory")) {
      out.push_back(fmt::format("/sys/fs/cgroup/memory{}/memory.oom_control", *path));
      out.emplace_back("/sys/fs/cgroup/memory/memory.oom_control");  // of a container
    }
    if (const auto path = control_group(*groups, "")) {
      out.push_back(fmt::format("/sys/fs/cgroup{}/memory.events", *path));
      out.emplace_back("/sys/fs/cgroup/memory.events");
    }
  }
  out.emplace_back("/proc/vmstat");
  return out;
}

OomKills::OomKills(std::vector<std::string> counters) : counters_(std::move(counters)) {
  seen_ = read();
}

std::optional<std::uint64_t> OomKills::read() const {
  for (const std::string& path : counters_) {
    const Result<std::string> text = read_whole_file(path, kFileMax);
    if (!text) continue;
    if (const auto kills = number_after(*text, "oom_kill")) return kills;
  }
  return std::nullopt;
}

std::optional<bool> OomKills::take() {
  const std::optional<std::uint64_t> now = read();
  if (!now || !seen_) return std::nullopt;
  if (*now <= *seen_) return false;
  ++*seen_;
  return true;
}

}  // namespace windrow
