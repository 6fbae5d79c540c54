// SPDX-License-Identifier: Apache-2.0
#include "cli/run_screen.h"

#include "os/machine.h"

namespace windrow {
namespace {

constexpr int kScreen = 2;  // standard error: standard output stays free for programs
constexpr Duration kLineEvery = std::chrono::seconds(30);

}  // namespace

RunScreen::RunScreen(const Voice& voice) : voice_(voice), terminal_(is_terminal(kScreen)) {}

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

void RunScreen::clear_bar() {
  // Its line by itself first: tmux keeps in its history what is cleared from the top of a window.
  if (bar_shown_) write_out(kScreen, "\r\x1b[K\x1b[J");
  bar_shown_ = false;
}

}  // namespace windrow
