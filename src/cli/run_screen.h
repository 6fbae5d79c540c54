// SPDX-License-Identifier: Apache-2.0
//
// What a person sees while a job runs: the bar on a terminal, plain lines elsewhere, and at the end
// how it ended.
#pragma once

#include <functional>
#include <string>

#include "cli/voice.h"
#include "workspace/run/run_view.h"

namespace windrow {

class RunScreen final : public RunView {
 public:
  explicit RunScreen(const Voice& voice);

  // For a job that leaves the terminal when it runs: `on_running` gets its name. No bar is shown.
  RunScreen(const Voice& voice, std::function<void(const std::string&)> on_running);

  void on_stage(JobStage stage, const std::string& job) override;
  void on_progress(const Progress& progress) override;
  void on_note(const std::string& line) override;
  void on_detail(const std::string& line) override;
  void on_error(const std::string& text) override;
  void on_end(const RunEnd& end) override;

  // The bar goes away, for what is printed next.
  void clear_bar();

 private:
  const Voice& voice_;
  std::function<void(const std::string&)> on_running_;
  bool terminal_;
  bool bar_shown_ = false;
  Duration last_line_{};
};

}  // namespace windrow
