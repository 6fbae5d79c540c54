// SPDX-License-Identifier: Apache-2.0
//
// Ends everything that a process has started: daemons, setsid, double forks, fork bombs.
//
// REQUIRES of all: this process is a child subreaper (or its children never daemonise), so that
// every orphan below comes back to it as a child, and nothing else in it waits for its children.
//
// Thread: the process has one. Failure: what cannot be killed (no permission, stuck in the kernel)
// is given up after a limit, and reported.
#pragma once

#include <functional>
#include <vector>

#include <sys/resource.h>
#include <sys/types.h>

#include "base/time.h"

namespace windrow {

// How descendants are found: by /proc/<pid>/task/*/children, or, where the kernel has no such
// files, by the parent of every process in /proc.
enum class TreeWalk { kBest, kScan };

// One process, as /proc shows it at this moment.
struct ProcessLook {
  char state = 'X';  // R, S, D, T, Z...; X when there is no such process
  pid_t parent = 0;

  // By SIGSTOP, or by a debugger.
  [[nodiscard]] bool stopped() const { return state == 'T' || state == 't'; }
  [[nodiscard]] bool ended() const { return state == 'Z' || state == 'X'; }  // reaped or not
};
ProcessLook look_at(pid_t pid);

// Those that `parent` has now, dead but unreaped ones too.
std::vector<pid_t> children_of(pid_t parent);

// All descendants of `root` that a walk meets, dead but unreaped ones too, in no order. Processes
// that start or end meanwhile may be missed.
std::vector<pid_t> descendants_of(pid_t root, TreeWalk walk = TreeWalk::kBest);

struct TreeCallbacks {
  // True for a child that is to live, with all below it.
  std::function<bool(pid_t child)> spared;
  // A child has ended and was waited for.
  std::function<void(pid_t child, int status, const rusage& usage)> reaped;
};

// Waits for all children that have ended, without blocking. True when no child is left at all.
bool reap_children(const TreeCallbacks& callbacks);

// Kills and reaps every descendant that is not spared: stops all it can find until a walk finds no
// new one, kills them together, and again, until none is left. False when some were left at the
// end of `limit`.
bool kill_descendants(Duration limit, const TreeCallbacks& callbacks);

}  // namespace windrow
