// SPDX-License-Identifier: Apache-2.0
//
// What a person sees while a job runs: the bar on a terminal, plain lines elsewhere.
#pragma once

#include <string>

#include "cli/voice.h"
#include "workspace/run/local_run.h"

namespace windrow {

class RunScreen final : public RunView {
 public:
  explicit RunScreen(const Voice& voice);

  void on_progress(const Progress& progress) override;
  void on_note(const std::string& line) override;
  void on_detail(const std::string& line) override;

  // The bar goes away, for what is printed next.
  void clear_bar();

 private:
  const Voice& voice_;
  bool terminal_;
  bool bar_shown_ = false;
  Duration last_line_{};
};

}  // namespace windrow
