// SPDX-License-Identifier: Apache-2.0
#include "cli/run_screen.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"
#include "os/machine.h"

namespace windrow {
namespace {

constexpr int kScreen = 2;  // standard error: standard output stays free for programs
constexpr Duration kLineEvery = std::chrono::seconds(30);

int exit_code(const RunOutcome& outcome) {
  if (outcome.end != MasterEnd::kFinished) return kExitFailed;
  switch (outcome.status) {
    case JobStatus::kCompleted:
      return kExitCompleted;
    case JobStatus::kCanceled:
      return kExitCancelled;
    case JobStatus::kFailed:
    case JobStatus::kRunning:
      return outcome.refused ? kExitRefused : kExitFailed;
  }
  return kExitFailed;
}

// What the user may do next, if anything. `named`: the same command would mean the same job.
std::string advice(const RunOutcome& outcome, int code, const std::string& job, bool named) {
  if (outcome.end == MasterEnd::kHeldUp) {
    return fmt::format(
        "Go on when it is as it was (move away what is additional), by the same command or: "
        "windrow "
        "job resume {}\nStart afresh: the same command with --new\n",
        job);
  }
  if (code == kExitCancelled || outcome.end == MasterEnd::kBroken) {
    return fmt::format("Go on with it by the same command, or: windrow job resume {}\n", job);
  }
  if (code == kExitCompleted && outcome.counts.failed > 0) {
    return fmt::format("Run the failed mini-batches again: windrow retry {}\n", job);
  }
  if (outcome.end != MasterEnd::kFinished || outcome.status != JobStatus::kFailed) return "";
  if (outcome.counts.committed > 0) {
    return fmt::format(
        "\nGo on with it: windrow job resume {}, with --changed-code when you mended the script\n"
        "Publish what is done: windrow job merge {}\n",
        job,
        job);
  }
  return named ? fmt::format("Mend the cause, then: windrow job resume {} --changed-code\n", job)
               : "Mend the cause, then give the same command again\n";
}

}  // namespace

RunScreen::RunScreen() : terminal_(is_terminal(kScreen)) {}

void RunScreen::on_progress(const Progress& progress) {
  if (terminal_) {
    // The cursor waits at the start: when the window shrinks and the bar is broken into several
    // lines, it stays with the first one, and everything from there on is ours to clear.
    const std::string bar = progress_bar(progress, terminal_width(kScreen) - 1, true);
    write_out(kScreen, "\r" + bar + "\x1b[J\r");
    bar_shown_ = true;
  } else if (progress.job_time - last_line_ >= kLineEvery) {
    last_line_ = progress.job_time;
    write_out(kScreen, progress_line(progress) + "\n");
  }
}

void RunScreen::on_note(const std::string& line) {
  clear_bar();
  write_out(kScreen, line + "\n");
}

void RunScreen::clear_bar() {
  if (bar_shown_) write_out(kScreen, "\r\x1b[J");
  bar_shown_ = false;
}

int RunScreen::end(const RunOutcome& outcome,
                   const JobFolder& folder,
                   const std::string& name,
                   bool named) {
  clear_bar();
  // A name is enough for a job in its usual place.
  const bool at_home = !name.empty() && folder.root().ends_with("/jobs/" + name);
  const std::string& job = at_home ? name : folder.root();
  const bool finished = outcome.end == MasterEnd::kFinished;
  if (outcome.refused) {
    std::string out = fmt::format("Refused: {}\n", outcome.cause);
    if (outcome.first_error) {
      const std::string text(trimmed(outcome.first_error->text));
      if (text.contains('\n')) out += text + "\n";  // the line with the syntax error
    }
    out += fmt::format("  from {}\n",
                       outcome.first_error ? outcome.first_error->where : folder.root());
    out += advice(outcome, kExitRefused, job, named);
    write_out(kScreen, out);
    return kExitRefused;
  }
  std::string out = finished ? status_text(outcome.status) : "Stopped";
  if (outcome.status != JobStatus::kCanceled && !outcome.cause.empty()) out += ": " + outcome.cause;
  out += "\n";
  out += fmt::format("  mini-batches  {} of {} done, {} failed\n",
                     human_count(outcome.counts.committed),
                     human_count(outcome.batches),
                     human_count(outcome.counts.failed));
  out += fmt::format("  items         {} succeeded, {} failed\n",
                     human_count(outcome.counts.items_succeeded),
                     human_count(outcome.counts.items_failed));
  out += fmt::format("  time          {}\n", human_duration(outcome.job_time));
  if (outcome.status == JobStatus::kCompleted) {
    for (const std::string& target : outcome.targets) {
      out += fmt::format("  result        {}\n", target);
    }
    if (outcome.targets.empty()) {
      out += "  result        none: without append_row_to rows are counted and not kept\n";
    }
  }
  const int code = exit_code(outcome);
  if (outcome.counts.items_failed > 0) {
    out += fmt::format("  failed items  {}\n", folder.failed_items());
    if (code == kExitCompleted && outcome.first_error) {
      out += fmt::format("  first error   {}\n", outcome.first_error->line);
    }
    if (outcome.items_short > 0) {
      out += fmt::format(
          "  missing       {} items have no row: run() returned fewer elements than it got "
          "items{}\n",
          human_count(outcome.items_short),
          outcome.items_reported ? ", or called them failed" : "");
    }
  }
  out += fmt::format("  job folder    {}\n", folder.root());
  if ((code == kExitFailed || code == kExitRefused) && outcome.first_error) {
    out += fmt::format(
        "\n{}\n  from {}\n", trimmed(outcome.first_error->text), outcome.first_error->where);
  }
  out += advice(outcome, code, job, named);
  write_out(kScreen, out);
  return code;
}

}  // namespace windrow
