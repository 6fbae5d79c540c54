// SPDX-License-Identifier: Apache-2.0
#include "core/output/report_summary.h"

#include <algorithm>
#include <string_view>

#include "base/append.h"
#include "base/process_name.h"

namespace windrow {
namespace {

constexpr std::string_view kColumns =
    "Attempts,Done,Failed,Items,Elapsed Seconds,Process Seconds,Run Method Seconds,"
    "Useful Seconds,Retry Seconds,Init Seconds,Idle Seconds\n";

}  // namespace

void ReportSummary::Sums::lived(WallTime start, std::uint32_t elapsed) {
  first_ns = std::min(first_ns, start.nanoseconds);
  last_ns = std::max(last_ns, start.nanoseconds + std::int64_t{elapsed} * 1000);
}

void ReportSummary::Sums::add(const Sums& other) {
  attempts += other.attempts;
  done += other.done;
  failed += other.failed;
  items += other.items;
  elapsed_us += other.elapsed_us;
  process_us += other.process_us;
  run_us += other.run_us;
  useful_us += other.useful_us;
  retry_us += other.retry_us;
  init_us += other.init_us;
  first_ns = std::min(first_ns, other.first_ns);
  last_ns = std::max(last_ns, other.last_ns);
}

// Between the start of init() and the end of the last attempt; what came after is not known.
std::uint64_t ReportSummary::Sums::lifetime_idle_us() const {
  if (last_ns <= first_ns) return 0;
  const auto lived_us = static_cast<std::uint64_t>(last_ns - first_ns) / 1000;
  const std::uint64_t busy_us = elapsed_us + init_us;
  return lived_us > busy_us ? lived_us - busy_us : 0;
}

void ReportSummary::add(const fact::LoadEnded& load) {
  Sums& sums = processes_[{load.agent, load.process}];
  sums.init_us += load.elapsed_us;
  sums.lived(load.start, load.elapsed_us);
}

void ReportSummary::add(const fact::AttemptEnded& ended, std::uint32_t items) {
  const AttemptRecord& record = ended.record;
  // Nobody worked on it, or nobody knows in which process.
  if (!is_attempt(record) || record.status == AttemptStatus::kNodeLost) return;
  Sums& sums = processes_[{record.agent, record.process}];
  const bool done = ended.verdict == Verdict::kDone;
  const bool charged = ended.verdict == Verdict::kRetry || ended.verdict == Verdict::kFailed;
  sums.attempts += 1;
  sums.done += done ? 1 : 0;
  sums.failed += charged ? 1 : 0;
  if (done) sums.items += items;
  sums.elapsed_us += record.elapsed_us;
  sums.process_us += record.cpu_us;
  sums.run_us += record.run_us;
  (done ? sums.useful_us : sums.retry_us) += record.elapsed_us;
  sums.lived(record.start, record.elapsed_us);
}

void ReportSummary::add(const ReportSummary& other) {
  for (const auto& [key, sums] : other.processes_) processes_[key].add(sums);
}

void ReportSummary::append_sums(const Sums& sums, std::uint64_t idle_us, std::string& out) {
  for (const std::uint64_t count : {sums.attempts, sums.done, sums.failed, sums.items}) {
    out.push_back(',');
    append_number(count, out);
  }
  for (const std::uint64_t us : {sums.elapsed_us,
                                 sums.process_us,
                                 sums.run_us,
                                 sums.useful_us,
                                 sums.retry_us,
                                 sums.init_us,
                                 idle_us}) {
    out.push_back(',');
    append_seconds(us, out);
  }
  out.push_back('\n');
}

std::string ReportSummary::process_csv() const {
  std::string out = "Node Id,Process,";
  out.append(kColumns);
  for (const auto& [key, sums] : processes_) {
    append_number(key.first, out);
    out.push_back(',');
    append_process_name(key.second, out);
    append_sums(sums, sums.lifetime_idle_us(), out);
  }
  return out;
}

std::string ReportSummary::node_csv() const {
  std::map<AgentId, Sums> nodes;
  for (const auto& [key, sums] : processes_) {
    nodes[key.first].add(sums);
    nodes[key.first].idle_us += sums.lifetime_idle_us();
  }
  std::string out = "Node Id,";
  out.append(kColumns);
  for (const auto& [node, sums] : nodes) {
    append_number(node, out);
    append_sums(sums, sums.idle_us, out);
  }
  return out;
}

}  // namespace windrow
