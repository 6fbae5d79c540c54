// SPDX-License-Identifier: Apache-2.0
#include "workspace/run/run_end.h"

#include <fmt/format.h>

#include "base/counted.h"
#include "base/exit_code.h"
#include "base/json.h"
#include "base/text.h"
#include "core/progress/job_outline.h"
#include "core/progress/progress.h"

namespace windrow {
namespace {

std::string status_word(const RunOutcome& outcome) {
  if (outcome.refused) return "Refused";
  return outcome.end == RunEnding::kFinished ? status_text(outcome.status) : "Stopped";
}

bool completed(const RunEnd& end) { return exit_code(end.outcome) == kExitCompleted; }

// What else there is for a retry whose input is not what it was; may be empty.
std::string rest_advice(const RunEnd& end) {
  if (end.table) return "Start over, with all that was fixed: the command of the first job\n";
  if (end.failed_before.empty()) return "";
  return fmt::format(
      "Continue without a file that is gone: copy {}, delete its lines there, and run the rest as "
      "a "
      "job of its own: windrow run SCRIPT --input @COPY\n",
      end.failed_before);
}

std::string same_command(const RunEnd& end) {
  return fmt::format("the same command{}", end.named ? ", with --new" : "");
}

// To a failed job of which something is left to run.
std::string fix_advice(const RunEnd& end) {
  const RunOutcome& outcome = end.outcome;
  const bool nothing_done = outcome.counts.committed == 0;
  if (nothing_done && end.speaks && outcome.batches > 0 && !outcome.refused) {
    return "Does the program speak the worker protocol? --command-mode filter, or lines, is for "
           "programs that\nread paths and write rows: run the command again with it" +
           std::string(end.named ? ", and with --new\n" : "\n");
  }
  if (nothing_done && !end.named) return "Fix the cause, then run the same command again\n";
  std::string out =
      fmt::format("Fix the cause, then: {}{}\n",
                  end.next.command,
                  nothing_done ? "; with other settings the same command with them and --new" : "");
  if (outcome.counts.items_succeeded > 0) {
    out += fmt::format("Publish what is done: windrow job merge {}\n", end.job);
  }
  return out;
}

// To a job that is over.
std::string next_advice(const RunEnd& end) {
  const NextStep& next = end.next;
  switch (next.kind) {
    case NextKind::kNone:
      break;
    case NextKind::kRetry:
      return fmt::format(
          "Run {} again: {}\n",
          end.outcome.counts.failed > 0 ? "the failed mini-batches" : "the bad items",
          next.command);
    case NextKind::kStartOver:
      return fmt::format("Fix the cause, then run the same command again{}\n",
                         end.named ? ", with --new" : "");
    case NextKind::kRaise:
      return fmt::format(
          "Every mini-batch is done, so resuming runs nothing again. Accept the failed items: {}\n"
          "Run everything again, with a fixed script: {}\n",
          next.command,
          same_command(end));
    case NextKind::kResume:
      return fmt::format("When that is fixed: {}\n", next.command);
    case NextKind::kFix:
      return fix_advice(end);
  }
  return "";
}

// What the user may do next, if anything.
std::string advice(const RunEnd& end) {
  const RunOutcome& outcome = end.outcome;
  const int code = exit_code(outcome);
  const std::string& job = end.job;
  if (outcome.end == RunEnding::kNewerInput) {
    return fmt::format(
        "Continue with these files as they are now, and keep what is done: windrow job resume {} "
        "--accept-input\n{}",
        job,
        end.retry ? "" : "Start over: the same command with --new\n");
  }
  if (outcome.end == RunEnding::kHeldUp && end.retry) {
    return fmt::format(
        "Continue when it is as it was (put back what is missing, move away what is additional): "
        "windrow job resume {}\n{}",
        job,
        rest_advice(end));
  }
  if (outcome.end == RunEnding::kHeldUp) {
    return fmt::format(
        "Continue when it is as it was (put back what is missing, move away what is additional), "
        "by "
        "the same command or: windrow job resume {}\n"
        "Start over: the same command with --new\n",
        job);
  }
  if (code == kExitCancelled || outcome.end == RunEnding::kBroken) {
    const bool broken = outcome.end == RunEnding::kBroken;
    return fmt::format("{} by the same command, or: windrow job resume {}\n",
                       broken ? "When that is fixed, continue with it" : "Continue with it",
                       job);
  }
  if (outcome.end != RunEnding::kFinished) return "";
  return next_advice(end);
}

std::string counts_text(const RunOutcome& outcome) {
  return fmt::format(
      "  mini-batches  {} of {} done, {} failed\n"
      "  items         {} succeeded, {} failed\n"
      "  time          {}\n",
      human_count(outcome.counts.committed),
      human_count(outcome.batches),
      human_count(outcome.counts.failed),
      human_count(outcome.counts.items_succeeded),
      human_count(outcome.counts.items_failed),
      human_duration(outcome.job_time));
}

std::string places_text(const RunEnd& end, bool quiet) {
  std::string out;
  if (completed(end)) {
    for (const std::string& target : end.outcome.targets) {
      out += fmt::format("  result        {}\n", target);
    }
    if (end.outcome.targets.empty()) {
      out += "  result        none: without append_row_to rows are counted and not kept\n";
    }
  }
  if (end.outcome.counts.items_failed > 0) {
    out += fmt::format("  failed items  {}\n", end.folder.failed_items());
    if (!end.first_failed.empty()) out += fmt::format("  first failed  {}\n", end.first_failed);
    if (completed(end) && end.outcome.first_error) {
      out += fmt::format("  first error   {}\n", end.outcome.first_error->line);
    }
  }
  if (end.outcome.items_bad > 0) {
    out +=
        fmt::format("  bad items     {} failed alone; all others of their mini-batches are kept\n",
                    counted(end.outcome.items_bad, "item"));
  }
  if (end.outcome.items_short > 0) {
    const bool advise = end.may_retry_short && !end.outcome.items_reported;
    out +=
        fmt::format("  missing       {} {} no row: fewer were returned than there were items{}{}\n",
                    counted(end.outcome.items_short, "item"),
                    has_or_have(end.outcome.items_short),
                    end.outcome.items_reported ? ", or called them failed" : "",
                    advise ? "; --set retry_short_returns=true tries such mini-batches again" : "");
  }
  if (!quiet || !completed(end)) out += fmt::format("  job folder    {}\n", end.folder.root());
  if (end.outcome.end == RunEnding::kBroken || end.outcome.end == RunEnding::kHeldUp) {
    out += fmt::format("  log           {}\n", end.folder.driver_log());
  }
  return out;
}

std::string first_error_text(const RunEnd& end) {
  const int code = exit_code(end.outcome);
  if ((code != kExitFailed && code != kExitRefused) || !end.outcome.first_error) return "";
  std::string_view text = end.outcome.first_error->text;
  while (text.ends_with('\n')) text.remove_suffix(1);
  // A refusal in one line was its cause, and is printed.
  const bool said = end.outcome.refused && text.find('\n') == std::string_view::npos;
  return fmt::format(
      "{}  from {}\n", said ? "" : fmt::format("\n{}\n", text), end.outcome.first_error->where);
}

}  // namespace

int exit_code(const RunOutcome& outcome) {
  if (outcome.refused) return kExitRefused;
  if (outcome.end != RunEnding::kFinished) return kExitFailed;
  switch (outcome.status) {
    case JobStatus::kCompleted:
      return kExitCompleted;
    case JobStatus::kCanceled:
      return kExitCancelled;
    case JobStatus::kFailed:
    case JobStatus::kRunning:
      return kExitFailed;
  }
  return kExitFailed;
}

std::string end_text(const RunEnd& end, bool quiet) {
  const RunOutcome& outcome = end.outcome;
  std::string out = status_word(outcome);
  if (outcome.status != JobStatus::kCanceled && !outcome.cause.empty()) out += ": " + outcome.cause;
  out += "\n";
  if (!outcome.refused) {  // nothing of it ran
    if (!quiet) out += counts_text(outcome);
    out += places_text(end, quiet);
  }
  if (!quiet || !completed(end)) out += advice(end);
  return out + first_error_text(end);
}

std::string end_json(const RunEnd& end) {
  const RunOutcome& outcome = end.outcome;
  JsonWriter json;
  json.begin_object().field("job", end.name).field("job_folder", end.folder.root());
  json.field("status", status_word(outcome)).field("exit_code", exit_code(outcome));
  json.field("cause", outcome.cause).field("mini_batches", outcome.batches);
  json.field("mini_batches_done", outcome.counts.committed);
  json.field("mini_batches_failed", outcome.counts.failed);
  json.field("items_succeeded", outcome.counts.items_succeeded);
  json.field("items_failed", outcome.counts.items_failed);
  json.field("seconds", std::chrono::duration<double>(outcome.job_time).count());
  json.key("results").begin_array();
  if (completed(end)) {
    for (const std::string& target : outcome.targets) json.value(target);
  }
  json.end_array().key("failed_items");
  if (outcome.counts.items_failed > 0) {
    json.value(end.folder.failed_items());
  } else {
    json.null();
  }
  json.key("first_error");
  if (outcome.first_error) {
    json.begin_object().field("text", outcome.first_error->text);
    json.field("where", outcome.first_error->where).end_object();
  } else {
    json.null();
  }
  json.end_object();
  return json.text() + "\n";
}

}  // namespace windrow
