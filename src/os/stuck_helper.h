// SPDX-License-Identifier: Apache-2.0
//
// What to do about a process of ours that does not do its work: somebody has stopped it (SIGSTOP),
// or it hangs.
//
// It is woken first, because a stopped process continues where it was. If that does not help, it is
// killed, so that nothing waits for it without a limit.
//
// Thread: any. Failure: none; what cannot be killed is left.
#pragma once

#include <chrono>

#include <sys/types.h>

#include "base/time.h"

namespace windrow {

inline constexpr Duration kWakeAfter = std::chrono::seconds(3);
inline constexpr Duration kStoppedLimit = std::chrono::seconds(8);
inline constexpr Duration kHungLimit = std::chrono::seconds(60);

enum class HelperCare { kWait, kWake, kGiveUp };

// What to do now for a helper that has owed something for so long.
constexpr HelperCare care_for_helper(Duration owed, bool stopped) {
  if (owed >= (stopped ? kStoppedLimit : kHungLimit)) return HelperCare::kGiveUp;
  return owed >= kWakeAfter ? HelperCare::kWake : HelperCare::kWait;
}

// Kills `root` and everything below it. REQUIRES: `root` is a child of this process, not waited for
// yet.
void kill_tree(pid_t root);

}  // namespace windrow
