// SPDX-License-Identifier: Apache-2.0
#include "core/progress/next_step.h"

#include <fmt/format.h>

namespace windrow {
namespace {

bool exceeds(std::uint64_t count, std::int64_t threshold) {
  return threshold >= 0 && count > static_cast<std::uint64_t>(threshold);
}

// The flag without which what stays as it is would fail the job again; may be empty. Results that
// are missing count only where error_threshold is set (Scheduler::check_thresholds).
std::string raised_limit(const JobOutline& outline, const LimitSpec& limits) {
  if (limits.error_threshold < 0) return "";
  const bool percent = outline.listing_ended && limits.allowed_failed_percent < 100 &&
                       100.0 * static_cast<double>(outline.kept.shorts) >
                           limits.allowed_failed_percent * outline.batches;
  if (percent || exceeds(outline.kept.shorts, limits.mini_batch_error_threshold)) {
    return " --error-threshold -1";
  }
  if (!exceeds(outline.kept.items_failed, limits.error_threshold)) return "";
  return fmt::format(" --error-threshold {}", outline.counts.items_failed);
}

NextStep after_failure(const JobOutline& outline,
                       const JobSpec& spec,
                       const std::string& resume,
                       const char* changed) {
  if (failed_for_good(outline)) return {NextKind::kStartOver, ""};
  const std::string raised = raised_limit(outline, spec.limits);
  if (!outline.kept.everything) return {NextKind::kFix, resume + " --changed-code" + raised};
  const bool keeps_rows = !spec.append_row_to.empty();
  if (keeps_rows && outline.counts.items > 0 && outline.counts.items_succeeded == 0) {
    return {NextKind::kStartOver, ""};  // there is no result, and nothing is left to run
  }
  return {raised.empty() ? NextKind::kResume : NextKind::kRaise, resume + changed + raised};
}

}  // namespace

NextStep next_step(const JobOutline& outline,
                   const JobSpec& spec,
                   const std::string& job,
                   bool code_changed) {
  const std::string resume = "windrow job resume " + job;
  const char* const changed = code_changed ? " --changed-code" : "";
  const JobStatus status = outline.finished ? outline.finished->status : JobStatus::kRunning;
  switch (status) {
    case JobStatus::kCompleted:
      if (outline.counts.items_failed == outline.kept.items_failed && outline.counts.failed == 0) {
        return {};
      }
      return {NextKind::kRetry, "windrow retry " + job};
    case JobStatus::kFailed:
      return after_failure(outline, spec, resume, changed);
    case JobStatus::kCanceled:
    case JobStatus::kRunning:
      break;
  }
  return {NextKind::kResume, resume + changed};
}

}  // namespace windrow
