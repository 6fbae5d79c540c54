// SPDX-License-Identifier: Apache-2.0
#include "os/stuck_helper.h"

#include <csignal>
#include <unordered_set>

#include <poll.h>

#include "os/process_tree.h"

namespace windrow {
namespace {

constexpr int kRoundsMax = 100;
constexpr int kPauseMilliseconds = 10;

// False when none is left alive.
bool kill_below(pid_t root) {
  std::unordered_set<pid_t> stopped;
  for (bool some_new = true; some_new;) {
    some_new = false;
    for (const pid_t pid : descendants_of(root)) {
      if (look_at(pid).ended() || !stopped.insert(pid).second) continue;
      some_new = true;
      ::kill(pid, SIGSTOP);  // before its children are read: the list stays true
    }
  }
  for (const pid_t pid : stopped) ::kill(pid, SIGKILL);
  return !stopped.empty();
}

}  // namespace

void kill_tree(pid_t root) {
  ::kill(root, SIGSTOP);  // it waits for nobody, so no number comes to mean another process
  for (int round = 0; kill_below(root) && round < kRoundsMax; ++round) {
    ::poll(nullptr, 0, kPauseMilliseconds);
  }
  ::kill(root, SIGKILL);
}

}  // namespace windrow
