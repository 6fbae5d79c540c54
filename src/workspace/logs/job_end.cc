// SPDX-License-Identifier: Apache-2.0
//
// The part of JobLogs about the report of earlier epochs and the last lines.
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/counted.h"
#include "journal/accepted_input.h"
#include "os/machine.h"
#include "workspace/logs/job_logs.h"
#include "workspace/logs/row_mark.h"

namespace windrow {

namespace {

// How many items mini-batches have, where the plan did not know.
class CountedItems {
 public:
  void note(const fact::Counted& found) {
    items_.resize(std::max<std::size_t>(items_.size(), found.batch + 1));
    items_[found.batch] = found.items;
  }
  [[nodiscard]] std::uint32_t of(const PlanBatch& batch) const {
    return batch.id < items_.size() ? items_[batch.id].value_or(batch.items) : batch.items;
  }

 private:
  std::vector<std::optional<std::uint32_t>> items_;
};

}  // namespace

// Reads journal and plan as they stood when this epoch began.
struct JobLogs::Rebuild {
  FileSystem& fs;
  JobFolder folder;
  JournalEnd end;
  InputAs input_as;
  std::string row_places;
  bool failed_afresh;  // what had failed is tried again, so it is no dead letter
  Status status;
  ReportSummary summary;
  std::optional<FirstError> first_error;
  bool items_reported = false;

  Status run();
  [[nodiscard]] Result<std::uint64_t> facts_before_afresh() const;
};

// How many facts lie before the last time that failed mini-batches started over.
Result<std::uint64_t> JobLogs::Rebuild::facts_before_afresh() const {
  if (failed_afresh) return std::numeric_limits<std::uint64_t>::max();
  std::uint64_t facts = 0;
  std::uint64_t found = 0;
  RETURN_IF_ERROR(replay_journals(fs, folder.state(), [&](const Fact& fact) {
    ++facts;
    const auto* reopened = std::get_if<fact::Reopened>(&fact);
    if (reopened != nullptr && reopened->failed_afresh) found = facts;
    return Status();
  }));
  return found;
}

Status JobLogs::Rebuild::run() {
  const std::string report_path = folder.report() + ".new";
  const std::string failed_path = folder.failed_items() + ".new";
  static_cast<void>(fs.remove(report_path));
  static_cast<void>(fs.remove(failed_path));
  LogFile report(report_path);
  LogFile failed(failed_path);
  report.write(ReportRows::header());
  ReportRows rows(mark_of_row(fs, input_as), row_places);
  // Not a whole JobState: a million mini-batches would be held twice.
  Epoch plan_epoch = 0;
  std::uint64_t plan_bytes = 0;
  std::map<BatchId, std::uint32_t> tries;  // of those that failed at least once
  CountedItems counted;
  std::optional<PlanReader> plan;
  ASSIGN_OR_RETURN(const std::uint64_t afresh, facts_before_afresh());
  std::uint64_t facts = 0;
  const auto each = [&](Fact& fact) -> Status {
    ++facts;
    if (const auto* began = std::get_if<fact::EpochBegan>(&fact)) {
      if (began->epoch > end.epoch) return fail(ErrorCode::kConflict, "end");
      plan_epoch = began->plan;
      plan.reset();
    } else if (const auto* planned = std::get_if<fact::Planned>(&fact)) {
      plan_bytes = planned->plan_bytes;
    } else if (const auto* reopened = std::get_if<fact::Reopened>(&fact)) {
      if (reopened->failed_afresh) tries.clear();
    } else if (const auto* load = std::get_if<fact::LoadEnded>(&fact)) {
      rows.append(*load, report.buffer());
      summary.add(*load);
      if (facts > afresh) note_first_error(folder, *load, first_error);
      report.grown();
    }
    if (const auto* found = std::get_if<fact::Counted>(&fact)) counted.note(*found);
    const auto* attempt = std::get_if<fact::AttemptEnded>(&fact);
    if (attempt == nullptr) return {};
    if (!plan) {
      ASSIGN_OR_RETURN(plan, PlanReader::open(fs, folder.plan(plan_epoch)));
    }
    RETURN_IF_ERROR(plan->index(plan_bytes));
    ASSIGN_OR_RETURN(PlanBatch batch,
                     plan->read(attempt->record.token.batch, attempt->record.piece));
    if (attempt->record.piece.count == 0) batch.items = counted.of(batch);
    const bool charged =
        attempt->verdict == Verdict::kRetry || attempt->verdict == Verdict::kFailed;
    const std::uint32_t used = charged ? ++tries[batch.id] : 0;
    const BatchNames names{batch.items, batch.root, batch.names};
    rows.append(*attempt, names, report.buffer());
    summary.add(*attempt, batch.items);
    if (facts > afresh) note_first_error(folder, attempt->record, first_error);
    items_reported = items_reported || !attempt->record.reported.empty();
    const bool tried_again = attempt->verdict == Verdict::kFailed && facts <= afresh;
    if (!tried_again) rows.append_failed_items(*attempt, names, used, failed.buffer());
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
  static_cast<void>(fs.remove(folder.failed_items()));  // those that it held are tried again
  return {};
}

void JobLogs::rebuild_report(const JournalEnd& end, bool failed_afresh) {
  if (end.epoch == 0) {
    report_.write(ReportRows::header());
    return;
  }
  rebuild_ = std::make_shared<Rebuild>(
      Rebuild{fs_, folder_, end, input_as_, row_places_, failed_afresh, {}, {}, {}, false});
  loop_.blocking([rebuild = rebuild_] { rebuild->status = rebuild->run(); },
                 [self = self_] {
                   if (*self == nullptr) return;
                   JobLogs& logs = **self;
                   if (!logs.rebuild_->status) {
                     logs.note("the report of earlier runs could not be made again: " +
                               logs.rebuild_->status.error().message);
                   }
                   logs.summary_.add(logs.rebuild_->summary);
                   logs.first_error_ = first_of(std::move(logs.rebuild_->first_error),
                                                std::move(logs.first_error_));
                   logs.items_reported_ |= logs.rebuild_->items_reported;
                   logs.rebuild_.reset();
                   logs.report_.write(std::exchange(logs.waiting_report_, {}));
                   logs.failed_.write(std::exchange(logs.waiting_failed_, {}));
                 });
}

// The last lines of the driver log: all that somebody needs who reads nothing else.
void JobLogs::say_where(JobStatus status,
                        const std::string& cause,
                        const std::vector<std::string>& targets) {
  const char* level = status == JobStatus::kCompleted ? "INFO" : "ERROR";
  std::uint64_t lost = driver_.lost() + report_.lost() + failed_.lost();
  if (lost > 0) warn(fmt::format("{} of log lines could not be written", counted(lost, "byte")));
  if (status == JobStatus::kCompleted) {
    for (const std::string& target : targets) system_line(driver_, level, "output: " + target);
  }
  if (first_error_) overview_line("read on: " + first_error_->where);
  system_line(driver_, level, "logs: " + folder_.logs());
  const std::string where = first_error_ ? "; see " + first_error_->where : std::string();
  system_line(driver_,
              level,
              fmt::format("status: {}{}{}{}",
                          status_text(status),
                          cause.empty() ? "" : ": ",
                          cause,
                          status == JobStatus::kCompleted ? "" : where));
}

// What job_result.txt says.
std::string JobLogs::result_text(const JobState& state,
                                 const std::string& status,
                                 const std::string& cause,
                                 const std::vector<std::string>& targets) const {
  std::string result = fmt::format("status: {}\n", status);
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
  for (const std::string& target : targets) result += fmt::format("output: {}\n", target);
  const JobCounts& counts = state.counts();
  return result + fmt::format(
                      "counts: mini-batches {}, failed mini-batches {}, attempts {}, items {}, "
                      "succeeded {}, failed {}\n",
                      state.batches().size(),
                      counts.failed,
                      counts.attempts,
                      counts.items,
                      counts.items_succeeded,
                      counts.items_failed);
}

void JobLogs::forget_result() { static_cast<void>(fs_.remove(folder_.result())); }

void JobLogs::stopped(const JobState& state, const std::string& cause) {
  overview_line("stopped: " + cause);
  const std::string result = result_text(state, "Stopped", cause, {});
  const std::string log = first_error_ ? "" : fmt::format("where: {}\n", folder_.driver_log());
  static_cast<void>(write_whole_file(folder_.result(), result + log));
  system_line(driver_, "ERROR", "status: Stopped: " + cause);
  flush();
}

void JobLogs::finish(const JobState& state,
                     JobStatus status,
                     const std::string& cause,
                     const std::vector<std::string>& targets) {
  const JobCounts& counts = state.counts();
  const bool completed = status == JobStatus::kCompleted;
  std::string result = result_text(
      state, status_text(status), cause, completed ? targets : std::vector<std::string>());
  for (const AcceptedInput& accepted : read_accepted_input(fs_, folder_.state())) {
    result += fmt::format("accepted_input: {}\n", accepted_text(accepted));
    overview_line("input: " + accepted_text(accepted));
  }
  static_cast<void>(write_whole_file(folder_.result(), result));
  overview_line(fmt::format("{} of {} mini-batches processed, {} failed",
                            counts.committed + counts.failed,
                            state.batches().size(),
                            counts.failed));
  overview_line(
      fmt::format("result: {}{}{}", status_text(status), cause.empty() ? "" : ": ", cause));
  write_metrics(state);
  write_anew(folder_.process_summary(), summary_.process_csv());
  write_anew(folder_.node_summary(), summary_.node_csv());
  system_line(master_, "INFO", "finished: " + status_text(status));
  say_where(status, cause, targets);
  flush();
}

}  // namespace windrow
