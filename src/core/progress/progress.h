// SPDX-License-Identifier: Apache-2.0
//
// How far a job is, as numbers and as sentences.
//
// Thread: any; values in, text out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "core/schedule/scheduler.h"

namespace windrow {

struct Progress {
  BatchId created = 0;
  bool all_created = false;
  BatchId processed = 0;  // ended, committed or failed
  BatchId failed = 0;
  std::uint64_t items_failed = 0;
  std::uint64_t attempts = 0;
  std::uint32_t workers = 0;
  bool memory_low = false;          // so one worker alone gets new mini-batches
  std::optional<Duration> in_init;  // for so long, and no worker has got through it
  Duration job_time{};
  double rate = 0;  // mini-batches a second, lately
  bool merging = false;
  std::uint64_t merged_bytes = 0;
};

// Keeps the rate: a mean over the last half minute or so, from the first mini-batch that was
// processed on. How long Python took to start says nothing about the time left.
class ProgressMeter {
 public:
  Progress measure(const Scheduler& scheduler, TimePoint now, std::uint64_t merged_bytes);

 private:
  void count(TimePoint now, BatchId processed);

  bool measured_ = false;
  bool begun_ = false;  // something was processed since the first measure
  TimePoint last_;
  BatchId last_processed_ = 0;
  double sum_ = 0;     // of rates, each with its weight; older ones weigh less
  double weight_ = 0;  // of all in sum_
};

// "412 of 1,000 mini-batches (41 %), 3 failed, 120/s, 5 s left, 2 workers"
std::string progress_line(const Progress& progress);

// For job_progress_overview.txt: "created 1,000, processed 412, failed 3, remaining 588, 120/s,
// 5 s left, 2 workers".
std::string overview_text(const Progress& progress);

// The same with a bar, not wider than `width` columns: what does not fit is left out as a whole,
// the least important part first. Failures are red when `colour`.
std::string progress_bar(const Progress& progress, std::uint32_t width, bool colour);

// "Completed", "Failed", "Canceled", "Running"
std::string status_text(JobStatus status);

}  // namespace windrow
