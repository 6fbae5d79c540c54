// SPDX-License-Identifier: Apache-2.0
//
// The part of the Supervisor about workers that are replaced between two mini-batches, and about
// the line that tells of a worker's end.
#include <utility>

#include <fmt/format.h>

#include "base/counted.h"
#include "base/process_name.h"
#include "base/text.h"
#include "core/supervise/supervisor.h"

namespace windrow {
namespace {

struct ExitLine {
  int code = 0;
  std::string why;
};

}  // namespace

bool Supervisor::may_take(const Worker& worker) const {
  if (worker.state != State::kReady || worker.clogged || worker.recycling) return false;
  const std::size_t begun = worker.succeeded + worker.failed + worker.sent.size();
  if (limits_.wear.batches_max > 0 && begun >= limits_.wear.batches_max) return false;
  // A worker that is weighed after each mini-batch must not have read the next one by then.
  return worker.sent.size() < (limits_.wear.rss_max > 0 ? 1 : depth_);
}

// Why the worker is to be replaced; empty when it is not.
std::string Supervisor::worn_out(const Worker& worker) const {
  const WorkerWear& wear = limits_.wear;
  if (worker.failed > limits_.failed_max) {
    return fmt::format(
        "{} failed in it, {} succeeded", counted(worker.failed, "attempt"), worker.succeeded);
  }
  if (wear.batches_max > 0 && worker.succeeded + worker.failed >= wear.batches_max) {
    return fmt::format("it has done {} (max_batches_per_worker)",
                       counted(wear.batches_max, "mini-batch"));
  }
  if (wear.rss_max > 0 && worker.rss > wear.rss_max) {
    return fmt::format("it holds {}, more than max_rss_per_worker {}",
                       human_bytes(worker.rss),
                       human_bytes(wear.rss_max));
  }
  return "";
}

// What it has not read goes to others; what it has read it may end.
void Supervisor::recycle_if_worn(ProcessNumber process,
                                 Worker& worker,
                                 TimePoint now,
                                 Orders& out) {
  if (worker.state != State::kReady) return;
  if (!worker.recycling) {
    std::string why = worn_out(worker);
    if (why.empty()) return;
    worker.recycling = true;
    worker.recycle_why = std::move(why);
    if (!worker.sent.empty()) {
      out.emplace_back(order::TakeBack{process, static_cast<std::uint32_t>(worker.sent.size())});
    }
  }
  end_recycled(process, worker, now, out);
}

void Supervisor::end_recycled(ProcessNumber process, Worker& worker, TimePoint now, Orders& out) {
  if (worker.state != State::kReady || !worker.sent.empty()) return;
  worker.state = State::kEnding;
  worker.since = now;
  worker.reason = EndReason::kRecycled;
  next_check_ = std::min(next_check_, now + limits_.shutdown_timeout);
  out.emplace_back(order::Shutdown{process});
}

void Supervisor::note_end(const WorkerEnd& end, const Worker& worker, Orders& out) const {
  const int own = end.signal != 0 ? -end.signal : end.exit_code;
  ExitLine line{own, worker.kill_why.empty() ? describe_end(end) : worker.kill_why};
  switch (worker.reason) {
    case EndReason::kItself:
    case EndReason::kMisbehaved:
      break;
    case EndReason::kRunTimeout:
    case EndReason::kOverheadTimeout:
    case EndReason::kInitTimeout:
      line.code = kExitTimeLimit;
      break;
    case EndReason::kMemory:
    case EndReason::kOvertaken:
      line.code = kExitToldToStop;
      break;
    case EndReason::kStopped:
    case EndReason::kShutdown:
    case EndReason::kRecycled: {
      // One that dies by itself on the way is reported as such.
      if (worker.kill_why.empty() && own != 0) break;
      const bool recycled = worker.reason == EndReason::kRecycled;
      const bool failing = recycled && worker.failed > limits_.failed_max;
      line.code = !failing               ? kExitToldToStop
                  : worker.succeeded > 0 ? kExitFailedOften
                                         : kExitFailedAlways;
      const std::string late = worker.kill_why.empty() ? "" : "; " + worker.kill_why;
      line.why = recycled ? "replaced: " + worker.recycle_why + late : "told to stop" + late;
      break;
    }
  }
  out.emplace_back(order::Note{
      fmt::format("{} exited with {}: {}", process_name(end.process), line.code, line.why)});
}

}  // namespace windrow
