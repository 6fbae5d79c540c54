// SPDX-License-Identifier: Apache-2.0
//
// What a person sees of a run: the bar on a terminal, plain lines elsewhere, and the end.
#pragma once

#include <string>

#include "workspace/local_run.h"

namespace windrow {

class RunScreen final : public RunView {
 public:
  RunScreen();

  void on_progress(const Progress& progress) override;
  void on_note(const std::string& line) override;

  // Status, counts, time, where the result is; for a failure its first traceback and file, last.
  // Returns the exit code of the process. `named`: the user chose name or folder of the job.
  int end(const RunOutcome& outcome, const JobFolder& folder, const std::string& name, bool named);

 private:
  void clear_bar();

  bool terminal_;
  bool bar_shown_ = false;
  Duration last_line_{};
};

}  // namespace windrow
