// SPDX-License-Identifier: Apache-2.0
//
// The part of the Agent about workers that end.
#include <algorithm>
#include <utility>

#include "agent/agent.h"
#include "base/process_name.h"

namespace windrow {
namespace {

constexpr std::uint64_t kTailMax = 4096;    // bytes of a dead worker's stderr
constexpr std::uint64_t kStackMax = 32768;  // and of its stack

}  // namespace

void Agent::on_exit(ProcessNumber process, const WorkerExit& exit) {
  if (!settings_.staged.empty()) discard(private_folder(process));
  if (orphans_.erase(process) > 0 || !supervisor_) {
    host_->forget(process);
    return;
  }
  WorkerEnd end{.process = process,
                .started = exit.started,
                .exit_code = exit.exit_code,
                .signal = exit.signal,
                .memory_peak = exit.memory_peak,
                .user_us = exit.user_us,
                .system_us = exit.system_us,
                .out_of_memory = exit.out_of_memory,
                .why = exit.why,
                .page = host_->page(process)};
  if (settings_.input_as != InputAs::kTable) end.page.items.reset();  // the plan knows
  if (exit.started && !exit.killed_by_us) end.stderr_tail = stderr_tail(process);
  end.stack = stack_shown(process);
  log_.limit_output(process);
  std::vector<Work> unread = take_unread(process, UINT32_MAX);
  bundles_.erase(process);
  host_->forget(process);
  const WallTime wall = loop_.wall_now();
  say(to_master::WorkerProcess{{.process = process, .ended = true, .wall = wall}});
  supervisor_->exited(end, std::move(unread), loop_.now(), wall, orders_);
  carry_out();
}

std::string Agent::raw_stderr(ProcessNumber process) const {
  return config_.folders.process_raw + "/" + process_name(process) + ".stderr.txt";
}

// What it wrote to descriptor 2 after it was asked where it is; nothing when it was not asked.
std::string Agent::stack_shown(ProcessNumber process) {
  const auto asked = stacks_.extract(process);
  if (!asked) return "";
  const Result<std::unique_ptr<File>> file = fs_.open(raw_stderr(process));
  std::string text(kStackMax, '\0');
  text.resize(file ? (*file)->read_at(asked.mapped(), text).value_or(0) : 0);
  return text;
}

// What it wrote to descriptor 2, or when that is nothing, to sys.stderr.
std::string Agent::stderr_tail(ProcessNumber process) {
  const std::string own = config_.folders.user_stderr + "/" + process_name(process) + ".stderr.txt";
  std::string tail;
  for (const std::string& path : {raw_stderr(process), own}) {
    const Result<std::unique_ptr<File>> file = fs_.open(path);
    const Result<std::uint64_t> size = file ? (*file)->size() : 0;
    if (!file || !size || *size == 0) continue;
    tail.resize(std::min(*size, kTailMax));
    tail.resize((*file)->read_at(*size - tail.size(), tail).value_or(0));
    if (*size > kTailMax) tail.erase(0, tail.find('\n') + 1);
    if (!tail.empty()) break;
  }
  return tail;
}

}  // namespace windrow
