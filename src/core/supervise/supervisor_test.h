// SPDX-License-Identifier: Apache-2.0
//
// For tests: a supervisor whose answers are short texts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "core/supervise/supervisor.h"

namespace windrow {

// A supervisor whose orders are short texts: "5>p0" sends mini-batch 5 to process 0, "5:6" reports
// an attempt at 5 with status 6.
class SupervisorProbe {
 protected:
  std::string begin(std::uint32_t slots) {
    limits_.slots = slots;
    supervisor_.emplace(limits_);
    supervisor_->begin(now_, out_);
    return said();
  }

  std::string said() {
    supervisor_->check_invariants();
    std::string text;
    for (Order& order : out_) text += text_of(order);
    out_.clear();
    return text;
  }

  std::string text_of(Order& order) {
    if (const auto* start = std::get_if<order::StartWorker>(&order)) {
      return fmt::format("start p{} ", start->process);
    }
    if (auto* send = std::get_if<order::Send>(&order)) {
      last_sent_ = send->work;
      return fmt::format("{}>p{} ", send->work.token.batch, send->process);
    }
    if (const auto* back = std::get_if<order::TakeBack>(&order)) {
      return fmt::format("back {} from p{} ", back->count, back->process);
    }
    if (const auto* end = std::get_if<order::Shutdown>(&order)) {
      return fmt::format("shutdown p{} ", end->process);
    }
    if (const auto* stack = std::get_if<order::ShowStack>(&order)) {
      return fmt::format("stack p{} ", stack->process);
    }
    if (const auto* kill = std::get_if<order::Kill>(&order)) {
      return fmt::format("kill p{} ", kill->process);
    }
    if (const auto* attempt = std::get_if<order::ReportAttempt>(&order)) {
      last_error_ = attempt->record.error_message;
      last_traceback_ = attempt->record.traceback;
      return fmt::format(
          "{}:{} ", attempt->record.token.batch, static_cast<int>(attempt->record.status));
    }
    if (const auto* load = std::get_if<order::ReportLoad>(&order)) {
      return fmt::format("load p{}:{} ", load->load.process, static_cast<int>(load->load.status));
    }
    if (const auto* gave_up = std::get_if<order::ReportGaveUp>(&order)) {
      last_error_ = gave_up->cause;
      return "gave up ";
    }
    if (const auto* note = std::get_if<order::Note>(&order)) {
      last_note_ = note->text;
      return "";
    }
    if (const auto* warn = std::get_if<order::Warn>(&order)) {
      last_warning_ = warn->text;
      return "warn ";
    }
    if (std::holds_alternative<order::ReportTakenBack>(order)) return "taken back ";
    if (std::holds_alternative<order::AllStopped>(order)) return "all stopped ";
    return "";  // windows
  }

  static Token token(BatchId batch) { return {1, batch, 1}; }
  static Work work(BatchId batch) { return {token(batch), 2, 0, "paths"}; }

  std::string give(BatchId batch) {
    supervisor_->give(work(batch), now_, out_);
    return said();
  }
  std::string ready(ProcessNumber process) {
    supervisor_->ready(process, {.process = process}, now_, out_);
    return said();
  }
  std::string answer(ProcessNumber process,
                     BatchId batch,
                     AttemptStatus status = AttemptStatus::kRunDone) {
    CHECK(supervisor_->expects(process, token(batch)));
    AttemptRecord record;
    record.status = status;
    record.token = token(batch);
    record.elapsed_us = 1'000'000;
    supervisor_->answered(process, record, now_, out_);
    return said();
  }
  std::string exits(ProcessNumber process,
                    WorkerPhase phase,
                    BatchId batch = 0,
                    std::vector<Work> unread = {},
                    int signal = 11) {
    WorkerEnd end{.process = process, .signal = signal};
    end.page = {phase, batch, 1, now_};
    end.stack = stack_;
    supervisor_->exited(end, std::move(unread), now_, {}, out_);
    return said();
  }
  std::string check(const std::map<ProcessNumber, WorkerPage>& pages) {
    supervisor_->check(pages, now_, out_);
    return said();
  }
  // So many percent of the machine's memory are available.
  std::string memory(std::uint64_t percent) {
    supervisor_->sampled({{.total = 100 << 20U, .available = percent << 20U}}, now_, out_);
    return said();
  }
  std::string taken_back(ProcessNumber process, std::vector<Work> works) {
    supervisor_->taken_back(process, std::move(works), now_, out_);
    return said();
  }
  WorkerPage page(WorkerPhase phase, BatchId batch, Duration ago) {
    return {phase, batch, 1, now_ - ago};
  }

  SuperviseLimits limits_;
  TimePoint now_ = TimePoint(std::chrono::seconds(1000));
  std::optional<Supervisor> supervisor_;
  Orders out_;
  Work last_sent_;
  std::string last_error_;
  std::string last_traceback_;
  std::string stack_;  // what workers that end have shown
  std::string last_note_;
  std::string last_warning_;
};

}  // namespace windrow
