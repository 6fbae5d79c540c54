// SPDX-License-Identifier: Apache-2.0
#include "core/progress/explain.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/clock_text.h"
#include "base/counted.h"
#include "base/text.h"
#include "core/progress/progress.h"
#include "core/schedule/error_line.h"

namespace windrow {
namespace {

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
        "Nothing works on it: its process was stopped or killed, or did not go on. `{}` goes on, "
        "or says what is in the way.",
        job.resume);
  }
  if (outline.stopped) return "It is stopping: " + outline.stopped->cause + ".";
  if (outline.publishing) return "Its result is being published.";
  if (outline.all_final) return "Every mini-batch is final; the rows are being merged.";
  const BatchId open = outline.batches - counts.committed - counts.failed - counts.ended;
  if (open == 0 && !outline.listing_ended) return "It waits for more files to be listed.";
  if (open == 0) return "It waits for the disk to keep the last rows.";
  return fmt::format("{} {} with a worker or {} for one.",
                     counted(open, "mini-batch"),
                     is_or_are(open),
                     open == 1 ? "waits" : "wait");
}

std::string how_it_ended(const JobOutline& outline, const JobCircumstances& job) {
  const fact::Finished& end = *outline.finished;
  if (failed_for_good(outline)) {
    return fmt::format("The reason: {}. It cannot go on: mend the script, and start afresh.",
                       end.cause);
  }
  switch (end.status) {
    case JobStatus::kCompleted:
      return job.results.empty()
                 ? "Its mini-batches are done; it keeps no rows."
                 : fmt::format("The result is in {}.", fmt::join(job.results, " and "));
    case JobStatus::kFailed:
      return fmt::format(
          "The reason: {}. `{}` goes on with it once that is mended{}.",
          end.cause,
          job.resume,
          job.resume.ends_with("--changed-code") ? "" : ", with --changed-code if in the script");
    case JobStatus::kCanceled:
    case JobStatus::kRunning:
      break;
  }
  return fmt::format("Somebody stopped it. `{}` goes on with it.", job.resume);
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
      break;
  }
  return "not charged";
}

std::string what_happened(const AttemptRecord& record) {
  switch (record.status) {
    case AttemptStatus::kRunDone:
      if (record.error_type.empty()) {
        return fmt::format("run() returned {}", counted(record.returned, "result"));
      }
      break;
    case AttemptStatus::kNodeLost:
      return "its node was lost";
    case AttemptStatus::kReturned:
      return "it was handed back unprocessed";
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
  if (record.status != AttemptStatus::kNodeLost && record.status != AttemptStatus::kReturned) {
    where = fmt::format(" in process{:03}, {}",
                        record.process,
                        human_duration(std::chrono::microseconds(record.elapsed_us)));
    if (record.memory_peak > 0) where += fmt::format(", {}", human_bytes(record.memory_peak));
  }
  std::string what;
  if (record.piece.count > 0) {
    what = fmt::format(
        ", items {} to {}", record.piece.first, record.piece.first + record.piece.count - 1);
  }
  return fmt::format("Hand-out {}{} ({}, node {}{}): {}; {}.",
                     record.token.picked,
                     what,
                     when(record.start),
                     record.agent,
                     where,
                     what_happened(record),
                     verdict_text(ended, charged_before));
}

bool is_charged(const fact::AttemptEnded& ended) {
  return ended.record.piece.count == 0 && ended.record.status != AttemptStatus::kNodeLost &&
         (ended.verdict == Verdict::kRetry || ended.verdict == Verdict::kFailed);
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
    return fmt::format("It is not done and will not be: the job was over before. `{}` goes on.",
                       job.resume);
  }
  if (!job.running) {
    return fmt::format("It is not done, and nothing works on the job: `{}` goes on.", job.resume);
  }
  const bool rows_lost = std::ranges::any_of(
      batch.attempts, [](const auto& one) { return one.verdict == Verdict::kDone; });
  if (rows_lost && batch.pieces.empty()) {
    return "Its rows were lost before they were on the disk, so it is tried again.";
  }
  if (batch.attempts.empty()) {
    return fmt::format("No attempt at it has ended: it is with a worker, or waits behind {}.",
                       counted(batch.pending_before, "mini-batch"));
  }
  return "It is tried again: it is with a worker, or waits for one.";
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
                           "again when the job goes on.";
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

}  // namespace

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
