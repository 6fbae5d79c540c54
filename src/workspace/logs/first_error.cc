// SPDX-License-Identifier: Apache-2.0
#include "workspace/logs/first_error.h"

#include <utility>

#include <fmt/format.h>

#include "base/process_name.h"
#include "core/output/report_row.h"
#include "core/schedule/error_line.h"

namespace windrow {
namespace {

bool is_better(bool script, const std::optional<FirstError>& first) {
  return !first || (script && !first->script);
}

// Attempts and loads have the same fields about their error.
template <class Record>
FirstError error_of(const JobFolder& folder, const Record& record, bool script) {
  const std::string name = process_name(record.process);
  const std::string line = fmt::format("{}: {}", record.error_type, record.error_message);
  const bool died = record.error_type == "ProcessDied";
  FirstError error{.line = error_line(record.error_type, record.error_message), .script = script};
  if (record.traceback.empty()) {  // the process reported nothing itself
    error.where = folder.user_error_summary();
  } else if (died) {
    error.where = fmt::format("{}/{}.stderr.txt", folder.sys_node(record.agent), name);
  } else {
    error.where = fmt::format("{}/{}.txt", folder.user("error", record.agent), name);
  }
  if (record.traceback.empty()) {
    error.text = line;
  } else {
    error.text = died ? line + "\n" + record.traceback : record.traceback;
  }
  return error;
}

}  // namespace

void note_first_error(const JobFolder& folder,
                      const AttemptRecord& record,
                      std::optional<FirstError>& first) {
  if (record.error_type.empty()) return;
  const bool script = error_category(record.status) == "user";
  if (is_better(script, first)) first = error_of(folder, record, script);
}

void note_first_error(const JobFolder& folder,
                      const fact::LoadEnded& load,
                      std::optional<FirstError>& first) {
  if (load.status != LoadStatus::kDone && is_better(true, first)) {
    first = error_of(folder, load, true);
  }
}

std::optional<FirstError> first_of(std::optional<FirstError> earlier,
                                   std::optional<FirstError> later) {
  return later && is_better(later->script, earlier) ? std::move(later) : std::move(earlier);
}

}  // namespace windrow
