// SPDX-License-Identifier: Apache-2.0
#include "os/process_tree.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/clock_steady.h"
#include "os/proc_files.h"

namespace windrow {
namespace {

constexpr int kStopRoundsMax = 100;
constexpr Duration kPatienceMin = std::chrono::milliseconds(1);
constexpr Duration kPatienceMax = std::chrono::milliseconds(50);

using Pids = std::vector<pid_t>;

void append_numbers(std::string_view text, Pids& into) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    pid_t number = 0;
    const auto parsed = std::from_chars(at, end, number);
    if (parsed.ec == std::errc()) into.push_back(number);
    at = parsed.ptr == at ? at + 1 : parsed.ptr;
  }
}

// Who has which children. With children files each answer is of the moment, else of the scan.
class Children {
 public:
  explicit Children(TreeWalk walk) : by_scan_(walk == TreeWalk::kScan || !children_files()) {
    if (!by_scan_) return;
    for (const pid_t pid : numbers_in("/proc")) scanned_[look_at(pid).parent].push_back(pid);
  }

  [[nodiscard]] Pids of(pid_t parent) const {
    if (by_scan_) {
      const auto found = scanned_.find(parent);
      return found == scanned_.end() ? Pids{} : found->second;
    }
    Pids children;
    for (const pid_t thread : numbers_in(fmt::format("/proc/{}/task", parent))) {
      if (const auto text = read_proc(fmt::format("/proc/{}/task/{}/children", parent, thread))) {
        append_numbers(*text, children);
      }
    }
    return children;
  }

 private:
  static bool children_files() {
    static const bool kThere = ::access("/proc/thread-self/children", R_OK) == 0;
    return kThere;
  }

  bool by_scan_;
  std::unordered_map<pid_t, Pids> scanned_;
};

class TreeKill {
 public:
  explicit TreeKill(const TreeCallbacks& callbacks) : callbacks_(callbacks) {}

  bool run(TimePoint deadline) {
    for (Duration patience = kPatienceMin; !nothing_left();
         patience = std::min(patience * 2, kPatienceMax)) {
      if (monotonic_now() > deadline) return false;
      for (int round = 0; stop_new_ones() && round < kStopRoundsMax; ++round) {
      }
      kill_stopped();
      wait_for_child(patience);
    }
    return true;
  }

 private:
  // Without any child there is no descendant either: orphans come back to us. Two looks at the
  // children files, because a child may slip past one that reads while others end.
  bool nothing_left() {
    if (reap_children(callbacks_)) return true;
    return !callbacks_.spared ? false : condemned().empty() && condemned().empty();
  }

  Pids condemned() const {
    Pids children = Children(TreeWalk::kBest).of(::getpid());
    if (callbacks_.spared) std::erase_if(children, callbacks_.spared);
    return children;
  }

  // Each process is stopped before its children are read, so the list stays true, nobody reaps
  // them, and a process number cannot come to mean another process before the kill.
  bool stop_new_ones() {
    bool some_new = false;
    const Children children(TreeWalk::kBest);
    Pids open = children.of(::getpid());
    if (callbacks_.spared) std::erase_if(open, callbacks_.spared);
    while (!open.empty()) {
      const pid_t pid = open.back();
      open.pop_back();
      if (stopped_.insert(pid).second) {
        some_new = true;
        stop(pid);
      }
      const Pids below = children.of(pid);
      open.insert(open.end(), below.begin(), below.end());
    }
    return some_new;
  }

  // A whole group is signalled in one step, which a bomb that forks faster than we walk cannot
  // outrun. A group other than ours was made by a descendant, so all its members are ours to kill.
  void stop(pid_t pid) {
    const pid_t group = ::getpgid(pid);
    if (group > 1 && group != ::getpgrp() && groups_.insert(group).second) {
      ::kill(-group, SIGSTOP);
    }
    ::kill(pid, SIGSTOP);
  }

  void kill_stopped() {
    for (const pid_t group : groups_) ::kill(-group, SIGKILL);
    for (const pid_t pid : stopped_) ::kill(pid, SIGKILL);
    groups_.clear();
    stopped_.clear();
  }

  static void wait_for_child(Duration patience) {
    sigset_t child;
    ::sigemptyset(&child);
    ::sigaddset(&child, SIGCHLD);
    const timespec time{0, static_cast<long>(patience.count())};
    ::sigtimedwait(&child, nullptr, &time);
  }

  const TreeCallbacks& callbacks_;
  std::unordered_set<pid_t> stopped_;
  std::unordered_set<pid_t> groups_;
};

}  // namespace

ProcessLook look_at(pid_t pid) {
  const std::string stat = read_proc(fmt::format("/proc/{}/stat", pid)).value_or("");
  // "pid (name) state parent ...", and a name may hold anything, also ") ".
  const std::size_t name_end = stat.rfind(") ");
  if (name_end == std::string::npos || name_end + 4 > stat.size()) return {};
  ProcessLook look{.state = stat[name_end + 2]};
  std::from_chars(stat.data() + name_end + 4, stat.data() + stat.size(), look.parent);
  return look;
}

std::vector<pid_t> children_of(pid_t parent) { return Children(TreeWalk::kBest).of(parent); }

std::vector<pid_t> descendants_of(pid_t root, TreeWalk walk) {
  const Children children(walk);
  std::unordered_set<pid_t> found;
  Pids open = children.of(root);
  while (!open.empty()) {
    const pid_t pid = open.back();
    open.pop_back();
    if (!found.insert(pid).second) continue;
    const Pids below = children.of(pid);
    open.insert(open.end(), below.begin(), below.end());
  }
  return {found.begin(), found.end()};
}

bool reap_children(const TreeCallbacks& callbacks) {
  for (;;) {
    int status = 0;
    rusage usage{};
    const pid_t child = ::wait4(-1, &status, WNOHANG | __WALL, &usage);
    if (child == 0) return false;
    if (child < 0 && errno == EINTR) continue;
    if (child < 0) return true;  // ECHILD
    if (callbacks.reaped) callbacks.reaped(child, status, usage);
  }
}

bool kill_descendants(Duration limit, const TreeCallbacks& callbacks) {
  return TreeKill(callbacks).run(monotonic_now() + limit);
}

}  // namespace windrow
