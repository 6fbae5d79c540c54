// SPDX-License-Identifier: Apache-2.0
#include "workspace/logs/process_log.h"

#include <fmt/format.h>

#include "base/append.h"
#include "core/output/report_row.h"

namespace windrow {
namespace {

WallTime later(WallTime time, std::uint32_t microseconds) {
  return {time.nanoseconds + std::int64_t{microseconds} * 1000};
}

}  // namespace

// Time, level, process, what happened, who and which mini-batch.
template <class Text>
void ProcessLog::begin(
    WallTime at, std::string_view what, const Token& token, ClockText& clock, Text& out) {
  clock.append_log(at, out);
  out.append(head_).append(what).append(worker_).append(" task=");
  append_number(token.batch, out);
  out.append(" picked=");
  append_number(token.picked, out);
}

void ProcessLog::loaded(const fact::LoadEnded& load, std::optional<int> pid, ClockText& clock) {
  if (pid) {
    head_ = fmt::format("|INFO|{}|", *pid);
    worker_ = fmt::format(" address=127.0.0.1 pid={}", *pid);
  }
  clock.append_log(later(load.start, load.elapsed_us), file_.buffer());
  fmt::format_to(std::back_inserter(file_.buffer()),
                 "{}{}{} duration={:.6f}\n",
                 head_,
                 status_word(load.status),
                 worker_,
                 load.elapsed_us / 1e6);
  file_.grown();
}

void ProcessLog::picked(const Token& token, std::uint32_t items, WallTime at, ClockText& clock) {
  if (picked_ == token) return;
  picked_ = token;
  Line out;
  begin(at, "PICKED", token, clock, out);
  out.append(" total=");
  append_number(items, out);
  out.push_back('\n');
  file_.write(out.text());
}

void ProcessLog::ended(const AttemptRecord& record, std::uint32_t items, ClockText& clock) {
  if (record.start.nanoseconds == 0) return;
  // What comes back without having been run was never picked.
  if (is_attempt(record)) picked(record.token, items, record.start, clock);
  const std::uint32_t succeeded =
      record.status == AttemptStatus::kRunDone ? succeeded_items(record, items) : 0;
  Line out;
  const auto field = [&out](std::string_view key, std::uint64_t value) {
    out.append(key);
    append_number(value, out);
  };
  const auto seconds = [&out](std::string_view key, std::uint32_t microseconds) {
    out.append(key);
    append_seconds(microseconds, out);
  };
  begin(
      later(record.start, record.elapsed_us), status_word(record.status), record.token, clock, out);
  field(" total=", items);
  field(" succeeded=", succeeded);
  field(" failed=", items - succeeded);
  out.append(" start=");
  clock.append_iso(record.start, out);
  seconds(" duration=", record.elapsed_us);
  seconds(" process_time=", record.cpu_us);
  seconds(" run_method_time=", record.run_us);
  out.push_back('\n');
  file_.write(out.text());
}

}  // namespace windrow
