// SPDX-License-Identifier: Apache-2.0
#include "core/progress/explain.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/clock_text.h"
#include "base/counted.h"
#include "base/process_name.h"
#include "base/text.h"
#include "core/progress/progress.h"
#include "core/schedule/error_line.h"

namespace windrow {
namespace {

constexpr std::size_t kAtWorkMax = 8;
// What has begun is in the log of its worker after so long.
constexpr const char* kLogLag = "seconds";

std::string when(WallTime time) {
  ClockText clock;
  std::string out;
  clock.append_log(time, out);
  return out;
}

std::string how_far(const JobOutline& outline) {
  const JobCounts& counts = outline.counts;
  const BatchId done = counts.committed + counts.ended;
  std::string out = fmt::format("{} of {} {} done",
                                human_count(done),
                                counted(outline.batches, "mini-batch"),
                                is_or_are(done));
  if (!outline.listing_ended) out += " (the input is still being listed)";
  if (counts.failed > 0) out += fmt::format(", {} failed", human_count(counts.failed));
  if (counts.items_failed > 0) {
    out += fmt::format("; {} failed", counted(counts.items_failed, "item"));
  }
  return out + ".";
}

// The most frequent error; empty without any.
std::string main_error(const JobOutline& outline) {
  const ErrorCounts& errors = outline.errors;
  const auto most =
      std::ranges::max_element(errors.types, {}, [](const auto& one) { return one.second.count; });
  if (most == errors.types.end()) return "";
  const std::string count = human_count(most->second.count);
  const std::string attempts = counted(errors.attempts, "attempt");
  if (most->second.count == 1) {
    return fmt::format(
        "{} of {} ended with {}.", count, attempts, error_line(most->first, most->second.message));
  }
  return fmt::format("{} of {} ended with {}, as in: {}.",
                     count,
                     attempts,
                     most->first,
                     error_line("", most->second.message));
}

std::string what_it_waits_for(const JobOutline& outline, const JobCircumstances& job) {
  const JobCounts& counts = outline.counts;
  if (!job.running) {
    return fmt::format(
        "Nothing works on it: its process was stopped or killed, or is stuck. `{}` continues, "
        "or says what is in the way.",
        job.next.command);
  }
  if (outline.stopped) return "It is stopping: " + outline.stopped->cause + ".";
  if (outline.publishing) return "Its result is being published.";
  if (outline.all_final) return "Every mini-batch is final; the rows are being merged.";
  const BatchId open = outline.batches - counts.committed - counts.failed - counts.ended;
  if (open == 0 && !outline.listing_ended) return "It waits for more files to be listed.";
  if (open == 0) return "It waits for the disk to keep the last rows.";
  std::string out = fmt::format("{} {} with a worker or {} for one",
                                counted(open, "mini-batch"),
                                is_or_are(open),
                                open == 1 ? "waits" : "wait");
  for (std::size_t i = 0; i < job.at_work.size() && i < kAtWorkMax; ++i) {
    const AtWork& one = job.at_work[i];
    out += fmt::format("{} {} has been at mini-batch {} since {}",
                       i == 0 ? ":" : ",",
                       one.process,
                       one.batch,
                       one.since);
  }
  if (job.at_work.size() > kAtWorkMax) {
    out += fmt::format(", and {} more", human_count(job.at_work.size() - kAtWorkMax));
  }
  return out + ".";
}

std::string after_failure(const NextStep& next) {
  switch (next.kind) {
    case NextKind::kRaise:
      return fmt::format(
          "Every mini-batch is done, so a fixed script would not run: `{}` accepts the failed "
          "items and completes the job.",
          next.command);
    case NextKind::kResume:
    case NextKind::kFix:
      return fmt::format("`{}` continues with it once that is fixed.", next.command);
    case NextKind::kNone:
    case NextKind::kRetry:
    case NextKind::kStartOver:
      break;
  }
  return "It cannot continue: fix the script, and start over.";
}

std::string how_it_ended(const JobOutline& outline, const JobCircumstances& job) {
  const fact::Finished& end = *outline.finished;
  switch (end.status) {
    case JobStatus::kCompleted:
      return job.results.empty()
                 ? "Its mini-batches are done; it keeps no rows."
                 : fmt::format("The result is in {}.", fmt::join(job.results, " and "));
    case JobStatus::kFailed:
      return fmt::format("The reason: {}. {}", end.cause, after_failure(job.next));
    case JobStatus::kCanceled:
    case JobStatus::kRunning:
      break;
  }
  return fmt::format("Somebody stopped it. `{}` continues with it.", job.next.command);
}

std::string verdict_text(const fact::AttemptEnded& ended, std::uint32_t charged_before) {
  switch (ended.verdict) {
    case Verdict::kDone:
      return fmt::format("{} succeeded", counted(ended.succeeded, "item"));
    case Verdict::kRetry:
    case Verdict::kFailed:
      return ended.record.piece.count > 0 ? "a piece has one try"
                                          : fmt::format("charged as try {}", charged_before + 1);
    case Verdict::kReturned:
    case Verdict::kOvertaken:
      break;
  }
  return "not charged";
}

std::string what_happened(const fact::AttemptEnded& ended) {
  const AttemptRecord& record = ended.record;
  if (ended.verdict == Verdict::kOvertaken) return "another attempt was first";
  switch (record.status) {
    case AttemptStatus::kRunDone:
      if (record.error_type.empty()) {
        return fmt::format("run() returned {}", counted(record.returned, "result"));
      }
      break;
    case AttemptStatus::kNodeLost:
      return "its node was lost";
    case AttemptStatus::kReturned:
      return is_attempt(record) ? "its worker was ended before it was done"
                                : "it was handed back before it was begun";
    case AttemptStatus::kRunException:
    case AttemptStatus::kRunTimeout:
    case AttemptStatus::kRunWrongType:
    case AttemptStatus::kDataException:
    case AttemptStatus::kOverheadTimeout:
    case AttemptStatus::kProcessDied:
      break;
  }
  return error_line(record.error_type, record.error_message);
}

std::string attempt_text(const fact::AttemptEnded& ended, std::uint32_t charged_before) {
  const AttemptRecord& record = ended.record;
  std::string where;
  if (record.status != AttemptStatus::kNodeLost && is_attempt(record)) {
    where = fmt::format(" in {}, {}",
                        process_name(record.process),
                        human_duration(std::chrono::microseconds(record.elapsed_us)));
    if (record.memory_peak > 0) where += fmt::format(", {}", human_bytes(record.memory_peak));
  }
  std::string what;
  if (record.piece.count > 0) {
    what = fmt::format(
        ", items {} to {}", record.piece.first, record.piece.first + record.piece.count - 1);
  }
  return fmt::format("Hand-out {}{} ({}node {}{}): {}; {}.",
                     record.token.picked,
                     what,
                     is_attempt(record) ? when(record.start) + ", " : "",
                     record.agent,
                     where,
                     what_happened(ended),
                     verdict_text(ended, charged_before));
}

std::string pieces_text(const BatchStory& batch) {
  std::vector<std::string> bad;
  std::uint32_t open = 0;
  for (const Piece& piece : batch.pieces) {
    open += piece.stage == BatchStage::kPending ? piece.items.count : 0;
    if (piece.stage != BatchStage::kFailed) continue;
    for (std::uint32_t i = 0; i < piece.items.count; ++i) {
      bad.push_back(path_in_quotes(batch.items[piece.items.first + i]));
    }
  }
  std::string out = "It was halved to find what is bad in it: ";
  out += bad.empty() ? "nothing so far"
                     : fmt::format("{} {} bad ({})",
                                   counted(bad.size(), "item"),
                                   is_or_are(bad.size()),
                                   fmt::join(bad, ", "));
  if (open > 0)
    out += fmt::format("; {} {} still to be tried", counted(open, "item"), is_or_are(open));
  return out + ".";
}

std::string pending_text(const JobOutline& outline,
                         const JobCircumstances& job,
                         const BatchStory& batch) {
  if (outline.finished || outline.stopped) {
    return "It is not done: the job was over before." +
           (job.next.command.empty() ? "" : fmt::format(" `{}` continues.", job.next.command));
  }
  if (!job.running) {
    return fmt::format("It is not done, and nothing works on the job: `{}` continues.",
                       job.next.command);
  }
  const auto worker = std::ranges::find_if(job.at_work, [&batch](const AtWork& one) {
    return one.batch == batch.id && one.picked > batch.batch.picked;
  });
  if (worker != job.at_work.end()) {
    return fmt::format("{} has been working on it since {} (hand-out {}).",
                       worker->process,
                       worker->since,
                       worker->picked);
  }
  const bool rows_lost = std::ranges::any_of(
      batch.attempts, [](const auto& one) { return one.verdict == Verdict::kDone; });
  if (rows_lost && batch.pieces.empty()) {
    return "Its rows were lost before they were on the disk, so it is tried again.";
  }
  if (batch.attempts.empty()) {
    return fmt::format("It was not begun, or not before the last {}: it waits behind {}.",
                       kLogLag,
                       counted(batch.pending_before, "mini-batch"));
  }
  return fmt::format("It is tried again: it waits for a worker, or was begun in the last {}.",
                     kLogLag);
}

std::string stage_text(const JobOutline& outline,
                       const JobCircumstances& job,
                       const BatchStory& batch) {
  const Batch& one = batch.batch;
  switch (one.stage) {
    case BatchStage::kPending:
      return pending_text(outline, job, batch);
    case BatchStage::kEnded:
      return job.running ? "It has returned; its rows wait for the disk before they count."
                         : "It had returned, but its rows may not be on the disk: it is tried "
                           "again when the job resumes.";
    case BatchStage::kCommitted:
      return fmt::format("It is committed: {} of {} succeeded.",
                         human_count(one.succeeded),
                         counted(one.items, "item"));
    case BatchStage::kFailed:
      break;
  }
  const std::string why =
      one.losses > 0 && one.tries < job.tries_max
          ? fmt::format("{} were lost with it", counted(one.losses, "node"))
          : fmt::format(
                "{} of {} tries are used up", human_count(one.tries), human_count(job.tries_max));
  return fmt::format("It has failed: {}. Its items are in {}; `windrow retry {}` tries it again.",
                     why,
                     job.failed_items,
                     job.name);
}

// The number behind ` key=` in a line of a log.
std::optional<std::uint32_t> number_of(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  std::uint32_t value = 0;
  const char* const begin = line.data() + at + key.size();
  const auto [end, error] = std::from_chars(begin, line.data() + line.size(), value);
  if (error != std::errc() || end == begin) return std::nullopt;
  return value;
}

}  // namespace

std::optional<AtWork> at_work(std::string_view process, std::string_view log) {
  if (!log.ends_with('\n')) return std::nullopt;  // it is being written
  log.remove_suffix(1);
  const std::string_view line = log.substr(log.rfind('\n') + 1);
  if (line.find("|PICKED ") == std::string_view::npos) return std::nullopt;
  const auto batch = number_of(line, " task=");
  const auto picked = number_of(line, " picked=");
  const auto pid = number_of(line, " pid=");
  if (!batch || !picked || !pid) return std::nullopt;
  return AtWork{std::string(process),
                *batch,
                *picked,
                std::string(line.substr(0, line.find('|'))),
                static_cast<int>(*pid)};
}

std::string job_status(const JobOutline& outline, const JobCircumstances& job) {
  if (job.running) return "Running";
  return outline.finished ? status_text(outline.finished->status) : "Stopped";
}

std::vector<std::string> explain_job(const JobOutline& outline, const JobCircumstances& job) {
  std::vector<std::string> out;
  if (outline.epoch == 0) return {"Job " + job.name + " has not begun."};
  const bool over = outline.finished && !job.running;
  out.push_back(fmt::format("Job {} {} {}{}.",
                            job.name,
                            over          ? lower_case(status_text(outline.finished->status))
                            : job.running ? "is running: it began"
                                          : "is not over: it began",
                            when(over ? outline.finished->wall : outline.started),
                            outline.epoch > 1 ? fmt::format(" and was taken up again {}",
                                                            counted(outline.epoch - 1, "time"))
                                              : ""));
  out.push_back(how_far(outline));
  if (std::string error = main_error(outline); !error.empty()) out.push_back(std::move(error));
  out.push_back(over ? how_it_ended(outline, job) : what_it_waits_for(outline, job));
  return out;
}

BatchStory story_of(const JobState& state, BatchId id) {
  BatchStory story{.id = id, .batch = state.batches()[id]};
  if (const Pieces* const pieces = state.pieces_of(id)) story.pieces = pieces->all();
  story.pending_before = static_cast<std::uint64_t>(std::ranges::count(
      state.batches().begin(), state.batches().begin() + id, BatchStage::kPending, &Batch::stage));
  return story;
}

std::vector<std::string> explain_batch(const JobOutline& outline,
                                       const JobCircumstances& job,
                                       const BatchStory& batch) {
  std::vector<std::string> out;
  const Batch& one = batch.batch;
  out.push_back(one.items == 0 ? fmt::format("Mini-batch {} has no items.", batch.id)
                               : fmt::format("Mini-batch {} has {}, from {} on.",
                                             batch.id,
                                             counted(one.items, "item"),
                                             path_in_quotes(batch.items.front())));
  std::uint32_t charged = 0;
  for (const fact::AttemptEnded& ended : batch.attempts) {
    out.push_back(attempt_text(ended, charged));
    charged += is_charged(ended) ? 1 : 0;
  }
  if (!batch.pieces.empty()) out.push_back(pieces_text(batch));
  out.push_back(stage_text(outline, job, batch));
  return out;
}

}  // namespace windrow
