// SPDX-License-Identifier: Apache-2.0
#include "monitor/proc_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

#include "base/text.h"

namespace windrow {
namespace {

constexpr std::uint64_t kSector = 512;  // of /proc/diskstats, whatever the disk's own
constexpr std::size_t kMountsMax = 32;

std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> out;
  for (;;) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == line.npos) return out;
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    out.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::uint64_t number(const std::vector<std::string_view>& from, std::size_t index) {
  return index < from.size() ? number(from[index]) : 0;
}

bool is_partition_of(std::string_view name, std::string_view disk) {
  if (disk.empty() || !name.starts_with(disk)) return false;
  name.remove_prefix(disk.size());
  if (name.starts_with('p')) name.remove_prefix(1);
  return !name.empty() && name.find_first_not_of("0123456789") == name.npos;
}

bool is_made_of_others(std::string_view device) {
  constexpr std::array<std::string_view, 5> kKinds = {"loop", "ram", "zram", "dm-", "md"};
  return std::ranges::any_of(kKinds, [&](std::string_view kind) {
    return device.starts_with(kind) && device.size() > kind.size() && is_digit(device[kind.size()]);
  });
}

// Spaces, tabs, line ends and backslashes are written as \040 and so on.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const char* digits = text.data() + i + 1;
    if (text[i] == '\\' && text.size() - i > 3 &&
        std::from_chars(digits, digits + 3, value, 8).ptr == digits + 3) {
      out.push_back(static_cast<char>(value));
      i += 3;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

bool lies_on(std::string_view path, std::string_view point) {
  if (point == "/") return true;
  return path.starts_with(point) && (path.size() == point.size() || path[point.size()] == '/');
}

}  // namespace

CpuTimes parse_cpu_times(std::string_view stat) {
  const auto fields = words(next_line(stat));
  CpuTimes out;
  if (fields.empty() || fields.front() != "cpu") return out;
  // user nice system idle iowait irq softirq steal; the guests after them are in user already.
  for (std::size_t i = 1; i <= 8; ++i) {
    out.total += number(fields, i);
    if (i != 4 && i != 5) out.busy += number(fields, i);
  }
  return out;
}

Memory parse_memory(std::string_view meminfo) {
  Memory out;
  while (!meminfo.empty()) {
    const auto fields = words(next_line(meminfo));
    if (fields.size() < 2) continue;
    if (fields[0] == "MemTotal:") out.total = number(fields[1]) * 1024;
    if (fields[0] == "MemAvailable:") out.available = number(fields[1]) * 1024;
  }
  return out;
}

IoCounts& IoCounts::operator+=(const IoCounts& other) {
  reads += other.reads;
  writes += other.writes;
  read_bytes += other.read_bytes;
  written_bytes += other.written_bytes;
  return *this;
}

IoCounts parse_disk_io(std::string_view diskstats) {
  IoCounts out;
  std::string_view disk;
  while (!diskstats.empty()) {
    const auto fields = words(next_line(diskstats));
    if (fields.size() < 10 || is_made_of_others(fields[2]) || is_partition_of(fields[2], disk)) {
      continue;
    }
    disk = fields[2];
    out += {.reads = number(fields[3]),
            .writes = number(fields[7]),
            .read_bytes = number(fields[5]) * kSector,
            .written_bytes = number(fields[9]) * kSector};
  }
  return out;
}

IoCounts parse_process_io(std::string_view io) {
  IoCounts out;
  while (!io.empty()) {
    const auto fields = words(next_line(io));
    if (fields.size() < 2) continue;
    const std::uint64_t value = number(fields[1]);
    if (fields[0] == "syscr:") out.reads = value;
    if (fields[0] == "syscw:") out.writes = value;
    if (fields[0] == "read_bytes:") out.read_bytes = value;
    if (fields[0] == "write_bytes:") out.written_bytes = value;
  }
  return out;
}

Network parse_network(std::string_view net_dev) {
  Network out;
  while (!net_dev.empty()) {
    const std::string_view line = next_line(net_dev);
    const std::size_t colon = line.find(':');  // the number may follow it without a space
    if (colon == line.npos) continue;
    const auto fields = words(line.substr(colon + 1));
    out.received += number(fields, 0);
    out.sent += number(fields, 8);
  }
  return out;
}

std::uint64_t parse_sockets(std::string_view sockstat, std::string_view protocol) {
  std::uint64_t count = 0;
  while (!sockstat.empty()) {
    const auto fields = words(next_line(sockstat));
    if (fields.size() < 3 || fields[1] != "inuse" || !fields[0].starts_with(protocol)) continue;
    const std::string_view rest = fields[0].substr(protocol.size());
    if (rest == ":" || rest == "6:") count += number(fields[2]);
  }
  return count;
}

std::optional<ProcessStat> parse_process_stat(std::string_view stat) {
  // The name stands in parentheses and may hold anything, more of them included.
  const std::size_t open = stat.find('(');
  const std::size_t close = stat.rfind(')');
  if (open == stat.npos || close == stat.npos || close < open) return std::nullopt;
  const auto fields = words(stat.substr(close + 1));
  if (fields.size() < 22) return std::nullopt;
  ProcessStat out;
  out.pid = static_cast<int>(number(stat.substr(0, open)));
  out.name = stat.substr(open + 1, close - open - 1);
  out.state = fields[0].front();
  out.parent = static_cast<int>(number(fields[1]));
  out.user = number(fields[11]) + number(fields[13]);
  out.system = number(fields[12]) + number(fields[14]);
  out.threads = number(fields[17]);
  out.start = number(fields[19]);
  out.resident_pages = number(fields[21]);
  return out;
}

double parse_uptime(std::string_view uptime) {
  double seconds = 0;
  std::from_chars(uptime.data(), uptime.data() + uptime.size(), seconds);
  return seconds;
}

std::vector<Mount> parse_mounts(std::string_view mounts) {
  std::vector<Mount> out;
  while (!mounts.empty()) {
    const auto fields = words(next_line(mounts));
    if (fields.size() < 3) continue;
    out.push_back({unescaped(fields[0]), unescaped(fields[1]), std::string(fields[2])});
  }
  return out;
}

std::vector<std::string> choose_mount_points(const std::vector<Mount>& mounts,
                                             const std::vector<std::string>& paths) {
  std::set<std::string> chosen{"/"};
  for (const std::string& path : paths) {
    std::string_view longest = "/";
    for (const Mount& mount : mounts) {
      if (lies_on(path, mount.point) && mount.point.size() >= longest.size()) longest = mount.point;
    }
    chosen.emplace(longest);
  }
  std::map<std::string, std::string> of_disk;  // a disk that is mounted often counts once
  for (const Mount& mount : mounts) {
    if (!mount.source.starts_with("/dev/") || mount.type == "squashfs") continue;
    std::string& point = of_disk[mount.source];
    if (point.empty() || mount.point.size() < point.size()) point = mount.point;
  }
  for (const auto& [disk, point] : of_disk) {
    if (chosen.size() < kMountsMax) chosen.insert(point);
  }
  return {chosen.begin(), chosen.end()};
}

}  // namespace windrow
