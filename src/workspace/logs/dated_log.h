// SPDX-License-Identifier: Apache-2.0
//
// A log of which a new file begins every day (UTC): <stem>.<yyyymmddhh>.txt, by the hour of its
// first line, and <stem>.txt, a link to the newest one. A job that resumes on the same day
// continues in the same file.
//
// Thread: one at a time. Failure: as LogFile, lines are lost and nothing else.
#pragma once

#include <optional>
#include <string>

#include "base/clock_text.h"
#include "base/time.h"
#include "os/log_file.h"

namespace windrow {

class DatedLog {
 public:
  explicit DatedLog(std::string stem) : stem_(std::move(stem)) {}

  // The file for a line written at `now`.
  LogFile& at(WallTime now);

  void flush() {
    if (file_) file_->flush();
  }

  // The name that always points to the newest file.
  [[nodiscard]] std::string path() const { return stem_ + ".txt"; }

 private:
  std::string stem_;
  ClockText clock_;
  std::string day_;  // yyyymmdd of file_
  std::optional<LogFile> file_;
};

}  // namespace windrow
