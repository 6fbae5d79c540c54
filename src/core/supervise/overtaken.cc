// SPDX-License-Identifier: Apache-2.0
//
// The part of the Supervisor about attempts that are of no use any more because another one was
// first. Nobody is charged for their ends.
#include <algorithm>

#include "core/supervise/supervisor.h"

namespace windrow {

void Supervisor::cancel(const Token& token, TimePoint now, Orders& out) {
  const auto is_it = [&token](const auto& one) { return one.token == token; };
  if (std::erase_if(queue_, is_it) > 0) return;
  for (auto& [process, worker] : workers_) {
    if (std::ranges::none_of(worker.sent, is_it)) continue;
    overtaken_.insert(token);
    end_overtaken(process, worker, now, out);
  }
}

// What the worker has in hand can only be ended with the worker itself.
void Supervisor::end_overtaken(ProcessNumber process, Worker& worker, TimePoint now, Orders& out) {
  if (overtaken_.empty() || worker.state != State::kReady || worker.sent.empty()) return;
  if (!overtaken_.contains(worker.sent.front().token)) return;
  kill(process, worker, EndReason::kOvertaken, "another attempt was first", now, out);
}

}  // namespace windrow
