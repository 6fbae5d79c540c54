// SPDX-License-Identifier: Apache-2.0
#include "core/progress/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace windrow {
namespace {

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

std::string rate_text(double rate) {
  return rate >= 10 ? human_count(static_cast<std::uint64_t>(rate)) : fmt::format("{:.1f}", rate);
}

std::string tail_text(const Progress& progress) {
  std::string out;
  if (progress.rate > 0) out += fmt::format(", {}/s", rate_text(progress.rate));
  const BatchId left = progress.created - progress.processed;
  if (progress.all_created && progress.rate > 0 && left > 0) {
    const double rest = std::min(left / progress.rate, 1e9);
    out += fmt::format(", about {} left",
                       human_duration(std::chrono::seconds(static_cast<std::int64_t>(rest) + 1)));
  }
  out += fmt::format(", {} worker{}", progress.workers, progress.workers == 1 ? "" : "s");
  if (progress.merging) out += fmt::format(", {} merged", human_bytes(progress.merged_bytes));
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
  progress.job_time = scheduler.job_time(now);
  progress.merging = state.all_final();
  progress.merged_bytes = merged_bytes;
  if (begun_ && now > last_) {
    const double passed = seconds(now - last_);
    const double fresh = std::max(0.0, (static_cast<double>(progress.processed) -
                                        static_cast<double>(last_processed_)) / passed);
    const double weight = rate_ == 0 ? 1 : 1 - std::exp(-passed / 15);
    rate_ += (fresh - rate_) * weight;
  }
  begun_ = true;
  last_ = now;
  last_processed_ = progress.processed;
  progress.rate = rate_;
  return progress;
}

std::string progress_line(const Progress& progress) {
  std::string out = fmt::format("{} of {}{} mini-batches", human_count(progress.processed),
                                human_count(progress.created), progress.all_created ? "" : "+");
  if (progress.all_created) out += fmt::format(" ({} %)", percent(progress));
  if (progress.failed > 0) out += fmt::format(", {} failed", human_count(progress.failed));
  return out + tail_text(progress);
}

std::string progress_bar(const Progress& progress, std::uint32_t width, bool colour) {
  const std::string numbers =
      fmt::format(" {}/{}{}", human_count(progress.processed), human_count(progress.created),
                  progress.all_created ? "" : "+");
  const std::string failed =
      progress.failed > 0 ? fmt::format(" {} failed", human_count(progress.failed)) : "";
  const std::string tail = tail_text(progress);
  const std::size_t used = 7 + numbers.size() + failed.size() + tail.size();
  const std::size_t cells = width > used + 10 ? std::min<std::size_t>(width - used, 40) : 0;
  const auto full = static_cast<std::size_t>(percent(progress)) * cells / 100;
  std::string out = fmt::format("{:>3} % ", percent(progress));
  if (cells > 0) out += fmt::format("{}{}", fmt::format("{:#<{}}", "", full),
                                    fmt::format("{:.<{}}", "", cells - full));
  out += numbers;
  out += colour && !failed.empty() ? "\x1b[31m" + failed + "\x1b[0m" : failed;
  std::string rest = tail;
  if (used > width && width > 0) rest.resize(rest.size() - std::min<std::size_t>(rest.size(), used - width));
  return out + rest;
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
