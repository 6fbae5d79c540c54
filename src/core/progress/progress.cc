// SPDX-License-Identifier: Apache-2.0
#include "core/progress/progress.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/counted.h"
#include "base/text.h"

namespace windrow {
namespace {

constexpr double kRateSeconds = 15;
constexpr std::size_t kCellsMin = 10;
constexpr std::size_t kCellsMax = 40;

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

std::string rate_text(double rate) {
  return rate >= 10 ? human_count(static_cast<std::uint64_t>(rate)) : fmt::format("{:.1f}", rate);
}

std::string in_whole_seconds(std::chrono::seconds time) {
  return time < std::chrono::minutes(1) ? fmt::format("{} s", time.count()) : human_duration(time);
}

std::string rest_text(double seconds_left) {
  return in_whole_seconds(
      std::chrono::seconds(static_cast<std::int64_t>(std::min(seconds_left, 1e9)) + 1));
}

// What stands behind the counts, the most important first.
std::vector<std::string> details(const Progress& progress) {
  std::vector<std::string> out;
  if (progress.merging) out.push_back(human_bytes(progress.merged_bytes) + " merged");
  const auto in_init =
      std::chrono::floor<std::chrono::seconds>(progress.in_init.value_or(Duration{}));
  if (progress.memory_low) out.emplace_back("memory is low");
  if (in_init.count() > 0) out.push_back("init() for " + in_whole_seconds(in_init));
  const BatchId left = progress.created - progress.processed;
  if (progress.all_created && progress.rate > 0 && left > 0) {
    out.push_back(rest_text(left / progress.rate) + " left");
  }
  if (progress.rate > 0 && left > 0) out.push_back(rate_text(progress.rate) + "/s");
  out.push_back(counted(progress.workers, "worker"));
  return out;
}

int percent(const Progress& progress) {
  if (progress.created == 0) return 0;
  return static_cast<int>(100.0 * progress.processed / progress.created);
}

}  // namespace

Progress ProgressMeter::measure(const Scheduler& scheduler,
                                TimePoint now,
                                std::uint64_t merged_bytes) {
  const JobState& state = scheduler.state();
  const JobCounts& counts = state.counts();
  Progress progress;
  progress.created = static_cast<BatchId>(state.batches().size());
  progress.all_created = state.listing_ended();
  progress.processed = counts.ended + counts.committed + counts.failed;
  progress.failed = counts.failed;
  progress.items_failed = counts.items_failed;
  progress.attempts = counts.attempts;
  progress.workers = scheduler.running_workers();
  progress.in_init = scheduler.in_init(now);
  progress.job_time = scheduler.job_time(now);
  progress.merging = state.all_final();
  progress.merged_bytes = merged_bytes;
  count(now, progress.processed);
  progress.rate = weight_ > 0 ? sum_ / weight_ : 0;
  return progress;
}

void ProgressMeter::count(TimePoint now, BatchId processed) {
  const bool more = measured_ && processed > last_processed_;
  if (begun_ && now > last_) {
    const double passed = seconds(now - last_);
    // A resumed job may find less done than it had shown.
    const double fresh = more ? (processed - last_processed_) / passed : 0;
    const double kept = std::exp(-passed / kRateSeconds);
    sum_ = sum_ * kept + fresh * (1 - kept);
    weight_ = weight_ * kept + (1 - kept);
  }
  begun_ = begun_ || more;
  measured_ = true;
  last_ = now;
  last_processed_ = processed;
}

std::string progress_line(const Progress& progress) {
  std::string out = fmt::format("{} of {}{} mini-batches",
                                human_count(progress.processed),
                                human_count(progress.created),
                                progress.all_created ? "" : "+");
  if (progress.all_created) out += fmt::format(" ({} %)", percent(progress));
  if (progress.failed > 0) out += fmt::format(", {} failed", human_count(progress.failed));
  for (const std::string& detail : details(progress)) out += ", " + detail;
  return out;
}

std::string overview_text(const Progress& progress) {
  std::string out = fmt::format("created {}, processed {}, failed {}",
                                human_count(progress.created),
                                human_count(progress.processed),
                                human_count(progress.failed));
  if (progress.all_created) {
    out += fmt::format(", remaining {}", human_count(progress.created - progress.processed));
  }
  for (const std::string& detail : details(progress)) out += ", " + detail;
  return out;
}

std::string progress_bar(const Progress& progress, std::uint32_t width, bool colour) {
  const std::string start = fmt::format("{:>3} % ", percent(progress));
  const std::string counts = fmt::format("{}/{}{}",
                                         human_count(progress.processed),
                                         human_count(progress.created),
                                         progress.all_created ? "" : "+");
  const std::string failed =
      progress.failed > 0 ? fmt::format(", {} failed", human_count(progress.failed)) : "";
  std::size_t used = start.size() + counts.size();
  if (used > width) return start.substr(0, width);
  std::string tail;
  if (used + failed.size() <= width) {
    used += failed.size();
    tail = colour && !failed.empty() ? ", \x1b[31m" + failed.substr(2) + "\x1b[0m" : failed;
  }
  for (const std::string& detail : details(progress)) {
    if (used + 2 + detail.size() > width) break;
    used += 2 + detail.size();
    tail += ", " + detail;
  }
  if (width < used + kCellsMin + 1) return start + counts + tail;
  const std::size_t cells = std::min(width - used - 1, kCellsMax);
  const std::size_t full = static_cast<std::size_t>(percent(progress)) * cells / 100;
  return start + std::string(full, '#') + std::string(cells - full, '.') + " " + counts + tail;
}

std::string status_text(JobStatus status) {
  switch (status) {
    case JobStatus::kRunning:
      return "Running";
    case JobStatus::kCompleted:
      return "Completed";
    case JobStatus::kFailed:
      return "Failed";
    case JobStatus::kCanceled:
      return "Canceled";
  }
  return "";
}

}  // namespace windrow
