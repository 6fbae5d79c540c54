// SPDX-License-Identifier: Apache-2.0
//
// The lines of the job report (processed_mini-batches.csv) and of failed_items.jsonl, as text.
//
// Both are projections of the journal and the plan: the same facts give the same lines.
// Thread: one ReportRows by one thread. Failure: none.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/append.h"
#include "base/clock_text.h"
#include "core/schedule/facts.h"

namespace windrow {

// RUN_DONE, RUN_EXCEPTION, ...
std::string_view status_word(AttemptStatus status);
std::string_view status_word(LoadStatus status);

// "user" for what the script did, "system" for the rest, empty for success.
std::string_view error_category(AttemptStatus status);

// The names of a mini-batch, as the plan has them.
struct BatchNames {
  std::uint32_t items = 0;
  std::string_view root;   // absolute folder, no slash at its end
  std::string_view names;  // relative to it unless they begin with a slash, separated by NUL
};

// The mark by which users know a row, as far as it has one (`custom_id`); asked for failed items.
using MarkOfRow = std::function<std::string(const std::string& path)>;

class ReportRows {
 public:
  // `mark`: only where the items are rows. `row_places`: of a table, how its rows are counted.
  explicit ReportRows(MarkOfRow mark = nullptr, std::string row_places = "")
      : mark_(std::move(mark)), row_places_(std::move(row_places)) {}

  static std::string_view header();

  void append(const fact::AttemptEnded& ended, const BatchNames& batch, std::string& out);
  void append(const fact::LoadEnded& ended, std::string& out);

  // One line for every item of a mini-batch that has used up its tries, and for every item that the
  // script reported; one line with item null for those missing from a short return.
  void append_failed_items(const fact::AttemptEnded& ended,
                           const BatchNames& batch,
                           std::uint32_t tries,
                           std::string& out);

 private:
  void append_where(AgentId agent, ProcessNumber process, WallTime start, Line& out);

  MarkOfRow mark_;
  std::string row_places_;
  ClockText clock_;
  std::string root_;         // of the last line
  std::string quoted_root_;  // as the line has it
};

}  // namespace windrow
