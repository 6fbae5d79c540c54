// SPDX-License-Identifier: Apache-2.0
//
// The part of the Scheduler with the rules: what the end of an attempt means, which failures are
// too many, and when a job that does not move is given up.
#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/counted.h"
#include "base/text.h"
#include "core/schedule/scheduler.h"

namespace windrow {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// `listed` is what the user wrote, `name` what Python calls the class; both may be qualified.
bool same_class(std::string_view listed, std::string_view name) {
  return listed == name || listed == name.substr(name.rfind('.') + 1);
}

bool names_class(const std::vector<std::string>& listed, const AttemptRecord& record) {
  return std::ranges::any_of(listed, [&record](const std::string& one) {
    return same_class(one, record.error_type) ||
           std::ranges::any_of(record.error_bases,
                               [&one](const std::string& base) { return same_class(one, base); });
  });
}

}  // namespace

Duration Limits::progress_timeout() const {
  return std::max(progress_limit.value_or(3 * lease()), lease() + seconds(10));
}

Duration Limits::stuck_timeout() const {
  return std::max(init_limit.value_or(Duration::zero()), 3 * run_timeout + seconds(30));
}

// May turn a record of something that was returned into one of a failure.
Verdict Scheduler::judge(AttemptRecord& record, const Batch& batch) const {
  const std::uint32_t items = items_of({record.token.batch, record.piece});
  const bool last = record.piece.count > 0 || batch.tries + 1 >= limits_.tries_max;
  if (std::string conflict = name_conflict(record); !conflict.empty()) {
    record.status = AttemptStatus::kRunException;
    record.error_type = "FileExistsError";
    record.error_message = std::move(conflict);
    record.rows = RowRange{.segment = record.rows.segment};
    record.reported.clear();
    record.files.clear();
  }
  if (record.status == AttemptStatus::kRunDone) {
    const bool more = record.returned > items && limits_.strict_results;
    const std::uint64_t told = record.returned + record.reported.size();
    const bool fewer = told < items && limits_.retry_short_returns && !last;
    if (!more && !fewer) return Verdict::kDone;
    if (more) record.status = AttemptStatus::kRunWrongType;
    record.error_type = more ? "TooManyResults" : "ShortReturn";
    record.error_message =
        fmt::format("run() returned {} for {}{}",
                    counted(record.returned, "result"),
                    counted(items, "item"),
                    more ? ", which strict_results does not allow" : "; it is tried again");
    record.rows = RowRange{.segment = record.rows.segment};
    record.reported.clear();
    record.files.clear();
    if (fewer) return Verdict::kRetry;
  }
  if (record.status == AttemptStatus::kNodeLost || record.status == AttemptStatus::kReturned) {
    return Verdict::kReturned;
  }
  return last || !may_retry(record) ? Verdict::kFailed : Verdict::kRetry;
}

// Why a file of this attempt cannot come to lie where it should; empty when all can.
std::string Scheduler::name_conflict(const AttemptRecord& record) const {
  for (const StagedFile& file : record.files) {
    const std::string name = path_in_quotes(file.name);
    if (const std::optional<BatchId> other = state_.writer_of(file)) {
      return fmt::format(
          "{} is in the way of what mini-batch {} has written: with staged_outputs each name "
          "belongs "
          "to one mini-batch; make it of the item's name or of minibatch_index",
          name,
          *other);
    }
    const bool reserved =
        std::ranges::any_of(limits_.reserved_names, [&file](const StagedFile& one) {
          return one.output == file.output && one.name == file.name;
        });
    if (reserved) return name + " is the name of the result; write to another one";
    if (file.exists && !limits_.replace_files) {
      return name +
             " exists in the output and is not of this job; remove it, or set output_exists: "
             "overwrite";
    }
  }
  return "";
}

bool Scheduler::may_retry(const AttemptRecord& record) const {
  if (names_class(limits_.fail_fast_on, record)) return false;
  return limits_.retry_on.empty() || names_class(limits_.retry_on, record);
}

// The class of error behind more than half of the attempts, or behind most when none was completed.
std::string Scheduler::root_cause() const {
  const ErrorCounts& errors = state_.errors();
  const auto most =
      std::ranges::max_element(errors.types, {}, [](const auto& one) { return one.second.count; });
  if (most == errors.types.end()) return "";
  const auto& [type, error] = *most;
  if (2 * error.count <= errors.attempts && errors.completed > 0) return "";
  return fmt::format("; root cause: {} of {} attempts ended with {}: {}",
                     error.count,
                     errors.attempts,
                     type,
                     error.message);
}

// No attempt has failed when run() returned empty lists.
std::string Scheduler::why_no_result() const {
  std::string cause = root_cause();
  if (cause.empty() && state_.counts().shorts > 0) {
    cause =
        "; run() called its items failed, or returned fewer results than items: it must return one "
        "for each";
  }
  return cause;
}

void Scheduler::check_thresholds() {
  if (state_.stopped()) return;
  const JobCounts& counts = state_.counts();
  const auto exceeds = [](std::uint64_t count, std::int64_t threshold) {
    return threshold >= 0 && count > static_cast<std::uint64_t>(threshold);
  };
  // A mini-batch that returned too little is a failed one only where failed items matter.
  const std::uint64_t failed = counts.failed + (limits_.error_threshold >= 0 ? counts.shorts : 0);
  const auto total = static_cast<double>(state_.batches().size());
  std::string cause;
  if (exceeds(counts.items_failed, limits_.error_threshold)) {
    cause = fmt::format("{} {} more than error_threshold {} allows",
                        counted(counts.items_failed, "failed item"),
                        is_or_are(counts.items_failed),
                        limits_.error_threshold);
  } else if (exceeds(failed, limits_.mini_batch_error_threshold)) {
    cause = fmt::format("{} {} more than {} {} allows",
                        counted(failed, "failed mini-batch"),
                        is_or_are(failed),
                        limits_.mini_batch_threshold_name,
                        limits_.mini_batch_error_threshold);
  } else if (state_.listing_ended() && limits_.failed_percent < 100 &&
             100.0 * static_cast<double>(failed) > limits_.failed_percent * total) {
    cause = fmt::format("{} of {} {} more than allowed_failed_percent {:g} allows",
                        counted(failed, "failed mini-batch"),
                        state_.batches().size(),
                        is_or_are(failed),
                        limits_.failed_percent);
  }
  if (!cause.empty()) stop({JobStatus::kFailed, cause + root_cause()}, StopMode::kNow);
}

void Scheduler::check_load_failures() {
  std::uint32_t slots = 0;
  for (const auto& [id, agent] : agents_) slots += agent.slots;
  if (slots == 0 || load_failures_ < 2 * slots || job_time(now_) <= minutes(2)) return;
  stop({JobStatus::kFailed,
        fmt::format("init() failed {} times in a row: {}", load_failures_, last_load_failure_)},
       StopMode::kNow);
}

// Those that had not are stopped or lost: nobody is left to start a worker.
void Scheduler::check_all_gave_up() {
  if (agents_.empty() || !may_assign()) return;
  const bool all = std::ranges::all_of(agents_, [](const auto& one) { return one.second.gave_up; });
  if (all) stop({JobStatus::kFailed, first_give_up_}, StopMode::kNow);
}

// Not one worker of any agent has got through init(), and none has failed either.
void Scheduler::check_stuck_in_init() {
  if (agents_.empty() || !may_assign()) return;
  for (const auto& [id, agent] : agents_) {
    if (agent.ready) return;
    if (!agent.gave_up && now_ - agent.init_since <= limits_.stuck_timeout()) return;
  }
  stop({JobStatus::kFailed,
        fmt::format("no progress in stage init: every worker has been in init() for more than {}; "
                    "if it needs longer, raise init_timeout or --timeout (3 x {} + 30 s)",
                    in_seconds(limits_.stuck_timeout()),
                    in_seconds(limits_.run_timeout))},
       StopMode::kNow);
}

void Scheduler::check_progress() {
  if (state_.stopped() || finish_said_ || !delayed_.empty()) return;
  const Duration waited = now_ - progress_;
  if (state_.batches().empty() && !state_.listing_ended()) {
    if (waited <= limits_.first_task_timeout) return;
    stop({JobStatus::kFailed,
          fmt::format("no progress in stage listing: no mini-batch and no page of the listing for "
                      "{}; first_task_creation_timeout is {}",
                      in_seconds(waited),
                      in_seconds(limits_.first_task_timeout))},
         StopMode::kNow);
    return;
  }
  if (waited <= limits_.progress_timeout()) return;
  stop({JobStatus::kFailed,
        fmt::format("no progress in stage {} for {}; progress_update_timeout is {}{}",
                    blocked_stage(),
                    in_seconds(waited),
                    in_seconds(limits_.progress_timeout()),
                    root_cause())},
       StopMode::kNow);
}

TimePoint Scheduler::deadline() const {
  const bool no_task = state_.batches().empty() && !state_.listing_ended();
  TimePoint first = progress_ + (no_task ? limits_.first_task_timeout : limits_.progress_timeout());
  for (const auto& [id, agent] : agents_) {
    first = std::min(first, agent.heard + limits_.heartbeat_timeout);
    if (!agent.ready) first = std::min(first, agent.init_since + limits_.stuck_timeout());
  }
  if (limits_.speculate && may_speculate()) {
    if (const auto held = longest_running()) first = std::min(first, held->since + late_after());
  }
  first += milliseconds(1);  // limits end a job when they are exceeded
  return delayed_.empty() ? first : std::min(first, delayed_.front().due);
}

const char* Scheduler::blocked_stage() const {
  if (merging_) return "merge";
  if (agents_.empty()) return "waiting for nodes";
  const auto ready = [](const auto& one) { return one.second.ready; };
  if (std::ranges::none_of(agents_, ready)) return "init";
  const auto busy = [](const auto& one) { return !one.second.held.empty(); };
  return std::ranges::any_of(agents_, busy) ? "run" : "listing";
}

}  // namespace windrow
