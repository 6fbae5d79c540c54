// SPDX-License-Identifier: Apache-2.0
//
// Who watches a run. All calls come on the loop's thread.
#pragma once

#include <string>

#include "core/progress/progress.h"
#include "wire/control/control_lines.h"
#include "workspace/run/run_end.h"

namespace windrow {

class RunView {
 public:
  virtual ~RunView() = default;
  virtual void on_stage(JobStage stage, const std::string& job) = 0;
  virtual void on_progress(const Progress& progress) = 0;  // several times a second
  virtual void on_note(const std::string& line) = 0;       // something to know, once
  // What happened inside: a worker starts or ends, an attempt fails.
  virtual void on_detail(const std::string& line) = 0;
  // What the script raised, with its traceback.
  virtual void on_error(const std::string& text) = 0;
  virtual void on_end(const RunEnd& end) = 0;
};

}  // namespace windrow
