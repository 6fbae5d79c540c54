// SPDX-License-Identifier: Apache-2.0
#include "core/output/account.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/counted.h"
#include "base/text.h"

namespace windrow {
namespace {

constexpr std::size_t kSlowest = 10;
constexpr std::size_t kHungriest = 5;
constexpr double kSecond = 1e9;  // in nanoseconds
// Mini-batches that are shorter than this, and cost as much again between them, are too small.
constexpr double kShort = 0.01;
constexpr double kLongEnough = 0.1;
constexpr double kOverheadMax = 0.25;  // of the time of workers
constexpr BatchId kManyBatches = 100;  // for each worker
constexpr std::int64_t kSeen = 2000;   // what is shorter than this part of a line is not seen
constexpr std::int64_t kJump = 3600LL * 1'000'000'000;  // a clock that is so far off was set
constexpr std::int64_t kLongest = 100;  // what is drawn as one is hardly longer than this part

double seconds_of(const Span& span) {
  return static_cast<double>(span.end_ns - span.start_ns) / kSecond;
}

void advise_on_size(const Account& account,
                    const AccountTerms& terms,
                    BatchId batches,
                    std::vector<std::string>& out) {
  const double longest = account.quartiles[4];
  const std::uint64_t size = terms.mini_batch_size;
  if (size > 1 && longest > terms.timeout / 2) {
    const double factor = terms.timeout / 4 / longest;
    const auto smaller =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(size) * factor));
    out.push_back(fmt::format(
        "--mini-batch-size {}: the longest mini-batch took {:.1f} s of the {:g} s that it may "
        "take",
        smaller,
        longest,
        terms.timeout));
  } else if (size > 1 && account.workers > 1 && batches < 4 * account.workers && account.wall > 1) {
    const std::uint64_t smaller =
        std::max<std::uint64_t>(1, size * batches / (8ULL * account.workers));
    out.push_back(fmt::format("--mini-batch-size {}: {} for {} leave some of them idle at the end",
                              smaller,
                              counted(batches, "mini-batch"),
                              counted(account.workers, "worker")));
  } else if (const double busy = account.useful + account.idle;
             size > 0 && batches > kManyBatches * std::max(1U, account.workers) &&
             account.quartiles[2] < kShort && account.idle > kOverheadMax * busy) {
    const double median = std::max(account.quartiles[2], 1e-6);
    const auto most = static_cast<double>(batches / (8ULL * std::max(1U, account.workers)));
    const double factor = std::min(kLongEnough / median, most);
    out.push_back(fmt::format(
        "--mini-batch-size {}: half of the mini-batches took less than {}, and the workers were "
        "idle between them for {:.0f} % of their time",
        static_cast<std::uint64_t>(static_cast<double>(size) * factor),
        human_duration(std::chrono::microseconds(static_cast<std::int64_t>(median * 1e6) + 1)),
        100 * account.idle / busy));
  }
}

void advise_on_workers(const Account& account,
                       const AccountTerms& terms,
                       std::vector<std::string>& out) {
  if (account.workers > 1 && account.init > account.useful && account.useful > 0 &&
      account.init > 1) {
    const auto fewer =
        std::max(1U, static_cast<std::uint32_t>(account.workers * account.useful / account.init));
    out.push_back(
        fmt::format("--workers {}: {:.1f} worker-seconds went into init(), {:.1f} into "
                    "mini-batches that count",
                    fewer,
                    account.init,
                    account.useful));
  } else if (terms.cpus > account.workers && account.workers > 0 &&
             account.idle < 0.1 * account.all() && account.wall > 10) {
    out.push_back(fmt::format("--workers {}: the {} {} busy all the time, and this machine has {}",
                              terms.cpus,
                              counted(account.workers, "worker"),
                              account.workers == 1 ? "was" : "were",
                              counted(terms.cpus, "CPU")));
  }
}

// From the first start to the last end.
std::int64_t length_of(const std::vector<WorkerLine>& lines) {
  std::int64_t began = INT64_MAX;
  std::int64_t ended = INT64_MIN;
  for (const WorkerLine& line : lines) {
    for (const Span& span : line.spans) {
      began = std::min(began, span.start_ns);
      ended = std::max(ended, span.end_ns);
    }
  }
  return began < ended ? ended - began : 0;
}

// Whether `next` is drawn as a part of what comes before it: up to a hundredth of the line, and
// while that is too short to be seen, whether it counts or not.
bool joins(const Span& before, const Span& next, std::int64_t length) {
  if (next.start_ns - before.end_ns >= length / kSeen) return false;
  const std::int64_t so_far = before.end_ns - before.start_ns;
  if (next.kind == before.kind) return so_far < length / kLongest;
  const bool init = next.kind == Span::Kind::kInit || before.kind == Span::Kind::kInit;
  return !init && so_far < length / kSeen;
}

// A million attempts become some thousand spans; what was lost stays in sight.
void merge_spans(std::vector<Span>& spans, std::int64_t length) {
  std::size_t kept = 0;
  for (const Span& span : spans) {
    if (kept == 0 || !joins(spans[kept - 1], span, length)) {
      spans[kept++] = span;
      continue;
    }
    Span& merged = spans[kept - 1];
    merged.kind = std::max(merged.kind, span.kind);
    merged.end_ns = std::max(merged.end_ns, span.end_ns);
    merged.count += span.count;
  }
  spans.resize(kept);
}

}  // namespace

void Accountant::take(const Fact& fact) {
  if (const auto* began = std::get_if<fact::EpochBegan>(&fact)) {
    lives_.push_back({began->wall.nanoseconds, began->wall.nanoseconds});
    time_before_ = job_time_;
    jump_ns_ = 0;
  } else if (const auto* synced = std::get_if<fact::SegmentSynced>(&fact)) {
    job_time_ = std::max(job_time_, synced->job_time);
  } else if (const auto* process = std::get_if<fact::WorkerProcess>(&fact)) {
    const std::int64_t at = straighten(process->wall);
    Worker& worker = worker_of(process->agent, process->process);
    (process->ended ? worker.ended_ns : worker.began_ns) = at;
    if (!lives_.empty()) lives_.back().ended_ns = std::max(lives_.back().ended_ns, at);
  } else if (const auto* load = std::get_if<fact::LoadEnded>(&fact)) {
    const std::int64_t elapsed = std::int64_t{load->elapsed_us} * 1000;
    const std::int64_t end = straighten({load->start.nanoseconds + elapsed});
    add(load->agent, load->process, {Span::Kind::kInit, end - elapsed, end, 0});
  } else if (const auto* finished = std::get_if<fact::Finished>(&fact)) {
    if (!lives_.empty()) lives_.back().ended_ns = straighten(finished->wall);
  } else if (const auto* ended = std::get_if<fact::AttemptEnded>(&fact)) {
    take(*ended);
  }
}

void Accountant::take(const fact::AttemptEnded& ended) {
  const AttemptRecord& record = ended.record;
  if (!is_attempt(record)) return;
  ++attempts_;
  weigh(record);
  if (record.status == AttemptStatus::kNodeLost) return;  // nobody knows in which process
  const bool done = ended.verdict == Verdict::kDone;
  const std::int64_t elapsed = std::int64_t{record.elapsed_us} * 1000;
  const std::int64_t end = straighten({record.start.nanoseconds + elapsed});
  add(record.agent,
      record.process,
      {done ? Span::Kind::kUseful : Span::Kind::kLost, end - elapsed, end, record.token.batch});
  if (!done) return;
  done_.push_back({record.token.batch, record.returned, record.process, record.elapsed_us / 1e6});
}

// Wall time as if nobody had set the clock. The journal says every few seconds how long the job has
// been worked on; what is further away from that than kJump was not time that passed.
std::int64_t Accountant::straighten(WallTime wall) {
  if (lives_.empty()) return wall.nanoseconds;
  const std::int64_t expected = lives_.back().began_ns + (job_time_ - time_before_).count();
  const std::int64_t away = wall.nanoseconds - jump_ns_ - expected;
  if (away > kJump || away < -kJump) jump_ns_ += away;
  return wall.nanoseconds - jump_ns_;
}

// Each mini-batch once, with the most that any of its attempts had.
void Accountant::weigh(const AttemptRecord& record) {
  const HungryBatch one{record.token.batch, record.process, record.memory_peak};
  const bool full = hungriest_.size() == kHungriest;
  if (one.bytes == 0 || (full && one.bytes <= hungriest_.back().bytes)) return;
  const auto same = std::ranges::find(hungriest_, one.batch, &HungryBatch::batch);
  if (same != hungriest_.end() && same->bytes >= one.bytes) return;
  if (same != hungriest_.end()) {
    hungriest_.erase(same);
  } else if (full) {
    hungriest_.pop_back();
  }
  const auto smaller = std::ranges::find_if(
      hungriest_, [&one](const HungryBatch& other) { return other.bytes < one.bytes; });
  hungriest_.insert(smaller, one);
}

Accountant::Worker& Accountant::worker_of(AgentId agent, ProcessNumber process) {
  Worker& worker = workers_[{agent, process}];
  worker.line.agent = agent;
  worker.line.process = process;
  if (!lives_.empty()) worker.life_number = lives_.size() - 1;
  return worker;
}

void Accountant::add(AgentId agent, ProcessNumber process, Span span) {
  Worker& worker = worker_of(agent, process);
  if (worker.began_ns) span.start_ns = std::max(span.start_ns, *worker.began_ns);
  span.end_ns = std::max(span.start_ns, span.end_ns);
  worker.line.spans.push_back(span);
  if (!lives_.empty()) lives_.back().ended_ns = std::max(lives_.back().ended_ns, span.end_ns);
}

// From when to when it was there. An old journal says what it did, and nothing else.
std::pair<std::int64_t, std::int64_t> Accountant::Worker::lived(const Life& life) const {
  const bool idle = line.spans.empty();
  const std::int64_t began = began_ns.value_or(idle ? life.ended_ns : line.spans.front().start_ns);
  const std::int64_t last = idle ? life.ended_ns : line.spans.back().end_ns;
  return {began, ended_ns.value_or(began_ns ? life.ended_ns : last)};
}

std::uint32_t Accountant::most_at_a_time(const std::vector<const Worker*>& workers,
                                         const Life& life) {
  std::vector<std::pair<std::int64_t, int>> changes;
  for (const Worker* worker : workers) {
    const auto [began, ended] = worker->lived(life);
    changes.emplace_back(began, 1);
    changes.emplace_back(ended, -1);
  }
  std::ranges::sort(changes);
  int now = 0;
  int most = 0;
  for (const auto& [at, change] : changes) most = std::max(most, now += change);
  return static_cast<std::uint32_t>(most);
}

// What each process needed until its init(); and the first of them could not begin at once.
double Accountant::start_up(const std::vector<const Worker*>& workers,
                            const Life& life,
                            std::uint32_t at_a_time) {
  double sum = 0;
  std::vector<double> delays;
  for (const Worker* worker : workers) {
    const auto [began, ended] = worker->lived(life);
    const std::vector<Span>& spans = worker->line.spans;
    const std::int64_t first = spans.empty() ? ended : spans.front().start_ns;
    sum += std::max(0.0, static_cast<double>(first - began) / kSecond);
    delays.push_back(std::max(0.0, static_cast<double>(began - life.began_ns) / kSecond));
  }
  std::ranges::sort(delays);
  delays.resize(std::min<std::size_t>(delays.size(), at_a_time));
  for (const double delay : delays) sum += delay;
  return sum;
}

// There were so many workers from the beginning of a life to its end; what they did not use of
// that they were idle.
void Accountant::account_lives(Account& out) const {
  for (std::size_t life = 0; life < lives_.size(); ++life) {
    std::vector<const Worker*> here;
    double used = 0;
    for (const auto& [who, worker] : workers_) {
      if (worker.life_number != life) continue;
      here.push_back(&worker);
      for (const Span& span : worker.line.spans) used += seconds_of(span);
    }
    const auto [began, ended] = lives_[life];
    const double length = static_cast<double>(std::max<std::int64_t>(0, ended - began)) / kSecond;
    const std::uint32_t workers = most_at_a_time(here, lives_[life]);
    const double rest = std::max(0.0, workers * length - used);
    const double starting = std::min(rest, start_up(here, lives_[life], workers));
    out.start_up += starting;
    out.idle += rest - starting;
    out.wall += length;
    out.workers = std::max(out.workers, workers);
  }
}

// Only as much in order as is asked for: there may be a million.
void Accountant::rank(Account& out) {
  if (done_.empty()) return;
  const auto order = [](const SlowBatch& a, const SlowBatch& b) {
    return std::tie(a.seconds, a.batch) < std::tie(b.seconds, b.batch);
  };
  auto from = done_.begin();
  for (std::size_t i = 0; i < out.quartiles.size(); ++i) {
    const auto at = done_.begin() + static_cast<std::ptrdiff_t>((done_.size() - 1) * i / 4);
    std::nth_element(from, at, done_.end(), order);
    out.quartiles[i] = at->seconds;
    from = at;
  }
  const auto count = static_cast<std::ptrdiff_t>(std::min(kSlowest, done_.size()));
  const auto slower = [&order](const SlowBatch& a, const SlowBatch& b) { return order(b, a); };
  std::partial_sort(done_.rbegin(), done_.rbegin() + count, done_.rend(), slower);
  out.slowest.assign(done_.rbegin(), done_.rbegin() + count);
}

Account Accountant::close(bool over, WallTime now) {
  Account out;
  if (!lives_.empty() && !over) {
    lives_.back().ended_ns = std::max(lives_.back().ended_ns, straighten(now));
  }
  rank(out);
  for (auto& [who, worker] : workers_) {
    WorkerLine& line = worker.line;
    // As a rule they are, and there may be a million.
    if (!std::ranges::is_sorted(line.spans, {}, &Span::start_ns)) {
      std::ranges::stable_sort(line.spans, {}, &Span::start_ns);
    }
    for (const Span& span : line.spans) {
      double& sum = span.kind == Span::Kind::kInit     ? out.init
                    : span.kind == Span::Kind::kUseful ? out.useful
                                                       : out.lost;
      sum += seconds_of(span);
    }
  }
  account_lives(out);
  for (auto& [who, worker] : workers_) out.lines.push_back(std::move(worker.line));
  const std::int64_t length = length_of(out.lines);
  for (WorkerLine& line : out.lines) merge_spans(line.spans, length);
  out.attempts = attempts_;
  out.attempts_lost = attempts_ - done_.size();
  out.hungriest = std::move(hungriest_);
  return out;
}

void advise(Account& account, const AccountTerms& terms, BatchId batches) {
  advise_on_size(account, terms, batches, account.advice);
  advise_on_workers(account, terms, account.advice);
}

}  // namespace windrow
