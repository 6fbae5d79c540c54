// SPDX-License-Identifier: Apache-2.0
//
// The part of the Agent about workers that end.
#include <algorithm>
#include <utility>

#include "agent/agent.h"

namespace windrow {
namespace {

constexpr std::uint64_t kTailMax = 4096;  // bytes of a dead worker's stderr

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
                .out_of_memory = exit.out_of_memory,
                .why = exit.why,
                .page = host_->page(process)};
  if (exit.started && !exit.killed_by_us) end.stderr_tail = stderr_tail(process);
  std::vector<Work> unread = take_unread(process, UINT32_MAX);
  host_->forget(process);
  supervisor_->exited(end, std::move(unread), loop_.now(), loop_.wall_now(), orders_);
  carry_out();
}

// What it wrote to descriptor 2, or when that is nothing, to sys.stderr.
std::string Agent::stderr_tail(ProcessNumber process) {
  const std::string name = "/" + process_name(process) + ".stderr.txt";
  std::string tail;
  for (const std::string& folder : {config_.folders.process_raw, config_.folders.user_stderr}) {
    const Result<std::unique_ptr<File>> file = fs_.open(folder + name);
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
