// SPDX-License-Identifier: Apache-2.0
//
// Which jobs, trials, environments and caches go, and why: retention by age, number and size.
//
// Whatever the rules say, something stays while it is in use, while something else that stays
// needs it, and, unless asked for, while it could resume.
//
// Thread: any; values in, values out. Failure: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace windrow {

enum class StoredKind : std::uint8_t { kJob, kTrial, kEnvironment, kCache, kLeftover };

// kNone: what is not a job has no state. The same command resumes kUnfinished and kCanceled.
enum class StoredState : std::uint8_t { kNone, kCompleted, kFailed, kCanceled, kUnfinished };
std::string_view to_text(StoredState state);

// One folder of the workspace.
struct Stored {
  std::string name;
  StoredKind kind = StoredKind::kJob;
  StoredState state = StoredState::kNone;
  Duration age{};                  // since its end, or since it was last written to
  std::uint64_t bytes = 0;         // on the disk; what several share counts for the first of them
  std::string in_use;              // why it must stay; empty when nothing holds it
  bool results = false;            // rows of the job lie in its folder
  std::vector<std::size_t> needs;  // those of the list that it is of no use without
};

struct PruneRules {
  std::optional<Duration> older_than;
  std::optional<std::uint64_t> keep;   // the newest of each kind, which stay
  std::optional<std::uint64_t> quota;  // bytes that may stay
  std::optional<StoredState> state;    // only jobs in this state
  bool unfinished = false;             // also those that could resume
};

// Without a rule of its own a prune goes by this age.
inline constexpr Duration kPruneAge = std::chrono::hours(24 * 30);

struct PruneVerdict {
  bool goes = false;
  bool resumable = false;  // it stays only because it could resume
  std::string why;
};

struct PrunePlan {
  std::vector<PruneVerdict> verdicts;  // one for each, in the order of the list
  std::uint64_t freed = 0;
  std::uint64_t rest = 0;
};

// By age and number first; then, while the rest is more than the quota, the oldest that may go.
PrunePlan plan_prune(const std::vector<Stored>& all, const PruneRules& rules);

}  // namespace windrow
