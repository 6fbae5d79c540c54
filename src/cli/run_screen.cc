// SPDX-License-Identifier: Apache-2.0
#include "cli/run_screen.h"

#include <utility>

#include "os/machine.h"

namespace windrow {
namespace {

constexpr int kScreen = 2;  // standard error: standard output stays free for programs
constexpr Duration kLineEvery = std::chrono::seconds(30);

}  // namespace

RunScreen::RunScreen(const Voice& voice) : voice_(voice), terminal_(is_terminal(kScreen)) {}

RunScreen::RunScreen(const Voice& voice, std::function<void(const std::string&)> on_running)
    : voice_(voice), on_running_(std::move(on_running)), terminal_(false) {}

void RunScreen::on_stage(JobStage stage, const std::string& job) {
  if (stage == JobStage::kRunning && on_running_) on_running_(job);
}

void RunScreen::on_progress(const Progress& progress) {
  if (voice_.quiet()) return;
  if (terminal_) {
    // The cursor waits at the start: when the window shrinks and the bar is broken into several
    // lines, it stays with the first one, and everything from there on is ours to clear.
    const std::string bar = progress_bar(progress, terminal_width(kScreen) - 1, true);
    write_out(kScreen, "\r" + bar + "\x1b[J\r");
    bar_shown_ = true;
  } else if (progress.job_time - last_line_ >= kLineEvery) {
    last_line_ = progress.job_time;
    write_out(kScreen, progress_line(progress) + "\n");
  }
}

void RunScreen::on_note(const std::string& line) {
  clear_bar();
  voice_.say(line + "\n");
}

void RunScreen::on_detail(const std::string& line) {
  if (voice_.verbose()) on_note(line);
}

// The log has it, and the summary the first of them.
void RunScreen::on_error(const std::string& /*text*/) {}

void RunScreen::on_end(const RunEnd& end) {
  clear_bar();
  if (voice_.json()) {
    write_out(1, end_json(end));
  } else {
    write_out(kScreen, end_text(end, voice_.quiet()));
  }
}

void RunScreen::clear_bar() {
  // Its line by itself first: tmux keeps in its history what is cleared from the top of a window.
  if (bar_shown_) write_out(kScreen, "\r\x1b[K\x1b[J");
  bar_shown_ = false;
}

}  // namespace windrow
