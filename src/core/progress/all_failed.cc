// SPDX-License-Identifier: Apache-2.0
#include "core/progress/all_failed.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "core/schedule/error_line.h"

namespace windrow {
namespace {

// Fewer may be a run of bad luck.
constexpr std::uint32_t kFailedMin = 10;
constexpr std::uint32_t kFailedForEachWorker = 2;

// ", most often with ValueError: no"; nothing when no attempt said what was wrong.
std::string most_frequent_error(const ErrorCounts& errors) {
  const auto most =
      std::ranges::max_element(errors.types, {}, [](const auto& one) { return one.second.count; });
  if (most == errors.types.end()) return "";
  return ", most often with " + error_line(most->first, most->second.message);
}

}  // namespace

std::optional<std::string> all_failed_warning(const JobState& state, std::uint32_t workers) {
  const JobCounts& counts = state.counts();
  const bool none_succeeded = counts.ended == 0 && counts.committed == 0;
  const bool goes_on = !state.stopped() && !state.all_final();
  if (!none_succeeded || !goes_on) return std::nullopt;
  if (counts.failed < std::max(kFailedMin, kFailedForEachWorker * workers)) return std::nullopt;
  return fmt::format(
      "all of the first {} mini-batches have failed{}; the job continues: Ctrl-C stops it, and "
      "--error-threshold N (error_threshold in a job file) ends such a job after N failed items",
      human_count(counts.failed),
      most_frequent_error(state.errors()));
}

}  // namespace windrow
