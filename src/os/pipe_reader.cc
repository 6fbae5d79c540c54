// SPDX-License-Identifier: Apache-2.0
#include "os/pipe_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "os/proc_files.h"
#include "os/process_tree.h"

namespace windrow {
namespace {

constexpr std::size_t kPolledMax = 64;  // of the descriptors of one poll(2)

// What a thread is blocked in: the number of the system call and its first two arguments.
struct SystemCall {
  std::uint64_t number = 0;
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

// Of "0 0x0 0x7f7915af1000 ...". Nothing of "running", and of -1, which is blocked in no call.
std::optional<SystemCall> parse_call(std::string_view text) {
  std::array<std::uint64_t, 3> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool hex = text.starts_with("0x");
    if (hex) text.remove_prefix(2);
    const auto parsed =
        std::from_chars(text.data(), text.data() + text.size(), numbers.at(i), hex ? 16 : 10);
    if (parsed.ec != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
    if (text.starts_with(' ')) text.remove_prefix(1);
  }
  return SystemCall{numbers[0], numbers[1], numbers[2]};
}

template <typename T, std::size_t count>
bool copy_memory(pid_t process, std::uint64_t from, std::array<T, count>& into, std::size_t used) {
  const iovec here{into.data(), used * sizeof(T)};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address in another process
  const iovec there{reinterpret_cast<void*>(from), used * sizeof(T)};
  return ::process_vm_readv(process, &here, 1, &there, 1, 0) ==
         static_cast<ssize_t>(used * sizeof(T));
}

std::vector<int> polled(pid_t process, const SystemCall& call) {
  std::array<pollfd, kPolledMax> entries{};
  const std::size_t used = std::min<std::uint64_t>(call.second, kPolledMax);
  std::vector<int> out;
  if (used == 0 || !copy_memory(process, call.first, entries, used)) return out;
  for (std::size_t i = 0; i < used; ++i) {
    if ((entries.at(i).events & POLLIN) != 0) out.push_back(entries.at(i).fd);
  }
  return out;
}

std::vector<int> selected(pid_t process, const SystemCall& call) {
  std::array<std::uint64_t, FD_SETSIZE / 64> bits{};
  const std::size_t used = std::min<std::size_t>((call.first + 63) / 64, bits.size());
  std::vector<int> out;
  if (used == 0 || call.second == 0 || !copy_memory(process, call.second, bits, used)) return out;
  for (std::size_t fd = 0; fd < used * 64; ++fd) {
    if ((bits.at(fd / 64) >> (fd % 64) & 1U) != 0) out.push_back(static_cast<int>(fd));
  }
  return out;
}

// "tfd:        0 events:       19 ..." for each descriptor of an epoll.
std::vector<int> watched(pid_t process, const SystemCall& call) {
  const std::string text =
      read_proc(fmt::format("/proc/{}/fdinfo/{}", process, call.first)).value_or("");
  constexpr std::string_view kLabel = "tfd:";
  std::vector<int> out;
  for (std::size_t at = 0; (at = text.find(kLabel, at)) != std::string::npos;) {
    at = text.find_first_not_of(' ', at + kLabel.size());
    if (at == std::string::npos) break;
    int fd = -1;
    std::from_chars(text.data() + at, text.data() + text.size(), fd);
    out.push_back(fd);
  }
  return out;
}

// The descriptors whose input a thread waits for.
std::vector<int> waits_for(pid_t process, const SystemCall& call) {
  switch (call.number) {
    case SYS_read:
    case SYS_readv:
      return {static_cast<int>(call.first)};
    case SYS_ppoll:
#ifdef SYS_poll
    case SYS_poll:
#endif
      return polled(process, call);
    case SYS_pselect6:
#ifdef SYS_select
    case SYS_select:
#endif
      return selected(process, call);
    case SYS_epoll_pwait:
#ifdef SYS_epoll_wait
    case SYS_epoll_wait:
#endif
#ifdef SYS_epoll_pwait2
    case SYS_epoll_pwait2:
#endif
      return watched(process, call);
    default:
      return {};
  }
}

class Looking {
 public:
  explicit Looking(const struct stat& pipe) : pipe_(pipe) {}

  // True when one of the process's threads waits for the pipe.
  bool waits(pid_t process) {
    const std::string tasks = fmt::format("/proc/{}/task", process);
    return std::ranges::any_of(numbers_in(tasks), [&](pid_t thread) {
      const auto text = read_proc(fmt::format("{}/{}/syscall", tasks, thread));
      if (!text) {
        hidden_ = true;
        return false;
      }
      const std::optional<SystemCall> call = parse_call(*text);
      return call && std::ranges::any_of(waits_for(process, *call), [&](int fd) {
               return is_pipe(fmt::format("/proc/{}/fd/{}", process, fd));
             });
    });
  }

  [[nodiscard]] bool hidden() const { return hidden_; }

 private:
  [[nodiscard]] bool is_pipe(const std::string& path) const {
    struct stat found{};
    return ::stat(path.c_str(), &found) == 0 && found.st_ino == pipe_.st_ino &&
           found.st_dev == pipe_.st_dev;
  }

  struct stat pipe_;
  bool hidden_ = false;
};

}  // namespace

PipeReader pipe_reader(pid_t program, int pipe) {
  int unread = 0;
  struct stat status{};
  if (::ioctl(pipe, FIONREAD, &unread) != 0 || ::fstat(pipe, &status) != 0) {
    return PipeReader::kUnknown;
  }
  if (unread > 0) return PipeReader::kBusy;
  Looking looking(status);
  if (looking.waits(program)) return PipeReader::kWaits;
  for (const pid_t below : descendants_of(program)) {
    if (looking.waits(below)) return PipeReader::kWaits;
  }
  return looking.hidden() ? PipeReader::kUnknown : PipeReader::kBusy;
}

}  // namespace windrow
