// SPDX-License-Identifier: Apache-2.0
//
// The part of JobLogs about the report of earlier epochs and the last lines.
#include <utility>

#include <fmt/format.h>

#include "os/machine.h"
#include "workspace/job_logs.h"

namespace windrow {

// Reads journal and plan as they stood when this epoch began.
struct JobLogs::Rebuild {
  FileSystem& fs;
  JobFolder folder;
  JournalEnd end;
  Status status;

  Status run() const;
};

Status JobLogs::Rebuild::run() const {
  const std::string report_path = folder.report() + ".new";
  const std::string failed_path = folder.failed_items() + ".new";
  static_cast<void>(fs.remove(report_path));
  static_cast<void>(fs.remove(failed_path));
  LogFile report(report_path);
  LogFile failed(failed_path);
  report.write(ReportRows::header());
  ReportRows rows;
  JobState state;
  std::optional<PlanReader> plan;
  const auto each = [&](Fact fact) -> Status {
    if (const auto* began = std::get_if<fact::EpochBegan>(&fact);
        began && began->epoch > end.epoch) {
      return fail(ErrorCode::kConflict, "end");
    }
    state.apply(fact);
    if (std::holds_alternative<fact::EpochBegan>(fact)) plan.reset();
    if (const auto* load = std::get_if<fact::LoadEnded>(&fact)) {
      rows.append(*load, report.buffer());
      report.grown();
    }
    const auto* attempt = std::get_if<fact::AttemptEnded>(&fact);
    if (attempt == nullptr) return {};
    if (!plan) {
      ASSIGN_OR_RETURN(plan, PlanReader::open(fs, folder.plan(state.plan())));
    }
    RETURN_IF_ERROR(plan->index(state.plan_bytes()));
    ASSIGN_OR_RETURN(const PlanBatch batch, plan->read(attempt->record.token.batch));
    const BatchNames names{batch.items, plan->head().root, batch.names};
    rows.append(*attempt, names, report.buffer());
    rows.append_failed_items(*attempt, names, state.batches()[batch.id].tries, failed.buffer());
    report.grown();
    failed.grown();
    return {};
  };
  // This epoch's own facts are in the new journal; they end the reading.
  const Result<JournalEnd> read = replay_journals(fs, folder.state(), each);
  if (!read && read.error().code != ErrorCode::kConflict) return std::unexpected(read.error());
  report.flush();
  failed.flush();
  RETURN_IF_ERROR(fs.rename(report_path, folder.report()));
  if (fs.stat(failed_path)) return fs.rename(failed_path, folder.failed_items());
  return {};
}

void JobLogs::rebuild_report(const JournalEnd& end) {
  if (end.epoch == 0) {
    report_.write(ReportRows::header());
    return;
  }
  rebuild_ = std::make_shared<Rebuild>(Rebuild{fs_, folder_, end, {}});
  loop_.blocking([rebuild = rebuild_] { rebuild->status = rebuild->run(); },
                 [self = self_] {
                   if (*self == nullptr) return;
                   JobLogs& logs = **self;
                   if (!logs.rebuild_->status) {
                     logs.note("the report of earlier runs could not be made again: " +
                               logs.rebuild_->status.error().message);
                   }
                   logs.rebuild_.reset();
                   logs.report_.write(std::exchange(logs.waiting_report_, {}));
                   logs.failed_.write(std::exchange(logs.waiting_failed_, {}));
                 });
}

void JobLogs::finish(const JobState& state,
                     JobStatus status,
                     const std::string& cause,
                     const std::string& target) {
  const JobCounts& counts = state.counts();
  std::string result = fmt::format("status: {}\n", status_text(status));
  if (!cause.empty()) result += fmt::format("cause: {}\n", cause);
  if (first_error_) {
    result += fmt::format("first_error: |\n");
    std::string_view rest = first_error_->text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      result += fmt::format("  {}\n", rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    result += fmt::format("where: {}\n", first_error_->where);
  }
  if (status == JobStatus::kCompleted && !target.empty()) {
    result += fmt::format("output: {}\n", target);
  }
  result += fmt::format(
      "counts: mini-batches {}, failed mini-batches {}, attempts {}, items {}, succeeded {}, "
      "failed {}\n",
      state.batches().size(),
      counts.failed,
      counts.attempts,
      counts.items,
      counts.items_succeeded,
      counts.items_failed);
  static_cast<void>(write_whole_file(folder_.result(), result));
  overview_line(fmt::format("{} of {} mini-batches processed, {} failed",
                            counts.committed + counts.failed,
                            state.batches().size(),
                            counts.failed));
  overview_line(
      fmt::format("result: {}{}{}", status_text(status), cause.empty() ? "" : ": ", cause));
  if (first_error_) overview_line("read on: " + first_error_->where);
  flush();
}

}  // namespace windrow
