// SPDX-License-Identifier: Apache-2.0
//
// The log of one worker, logs/sys/node/<node>/<process>.txt: when it was ready, when it picked
// which mini-batch, and what came of it.
//
// A mini-batch that ends soon gets both of its lines at once, each with its own time: most take so
// short that a write for each would cost more than they do.
//
// Thread: one at a time. Failure: as of LogFile.
#pragma once

#include <optional>
#include <string>

#include "base/clock_text.h"
#include "base/ids.h"
#include "base/time.h"
#include "core/schedule/facts.h"
#include "os/log_file.h"

namespace windrow {

class ProcessLog {
 public:
  explicit ProcessLog(std::string path) : file_(std::move(path)) {}

  // `pid` is none when it died before it could be asked.
  void loaded(const fact::LoadEnded& load, std::optional<int> pid, ClockText& clock);

  // Says it once for each hand-out.
  void picked(const Token& token, std::uint32_t items, WallTime at, ClockText& clock);

  // A hand-out that no worker had is left out.
  void ended(const AttemptRecord& record, std::uint32_t items, ClockText& clock);

  void flush() { file_.flush(); }

 private:
  template <class Text>
  void begin(WallTime at, std::string_view what, const Token& token, ClockText& clock, Text& out);

  LogFile file_;
  std::string head_ = "|INFO|0|";
  std::string worker_ = " address=127.0.0.1";
  std::optional<Token> picked_;
};

}  // namespace windrow
