// SPDX-License-Identifier: Apache-2.0
//
// The report of jobs of any size and speed, in a storm of facts: what it adds up is counted again,
// and what it advises has its reason.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "core/output/account.h"
#include "random.h"
#include "storm.h"

namespace windrow::sim {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

class AccountStorm {
 public:
  explicit AccountStorm(std::uint64_t seed) : random_(seed) {
    workers_ = random_.between(1, 6);
    size_ = random_.between(1, 50);
    run_us_ = random_.between(1, random_.per_mille(500) ? 100'000 : 30'000'000);
    init_us_ = random_.between(1, random_.per_mille(500) ? 1'000 : 40'000'000);
  }

  void run() {
    const std::uint32_t lives = random_.between(0, 3);
    for (std::uint32_t life = 0; life < lives; ++life) live();
    judge();
  }

 private:
  void take(const Fact& fact) {
    const Status possible = state_.check(fact);
    ASSERT_TRUE(possible) << possible.error().message;
    state_.apply(fact);
    accountant_.take(fact);
  }

  void live() {
    take(fact::EpochBegan{.epoch = ++epoch_, .plan = 1, .wall = {now_}});
    const BatchId batches = random_.between(0, random_.per_mille(500) ? 5 : 60);
    if (batches > 0) take(fact::Planned{{{batches, size_}}, ++plan_});
    std::vector<std::int64_t> free(workers_, now_);
    for (std::uint32_t i = 0; i < workers_; ++i) start_worker(i, free[i]);
    for (BatchId i = 0; i < batches; ++i) {
      const auto worker = static_cast<std::uint32_t>(random_.below(workers_));
      attempt(planned_ + i, worker, free[worker]);
    }
    planned_ += batches;
    now_ = std::ranges::max(free) + random_.between(0, 5) * kSecond;
  }

  void start_worker(std::uint32_t slot, std::int64_t& at) {
    if (random_.per_mille(50)) return;  // it never gets so far
    at += random_.between(0, 2) * kSecond;
    take(fact::LoadEnded{
        .agent = 0, .process = process(slot), .start = {at}, .elapsed_us = init_us_});
    init_ += init_us_ / 1e6;
    at += std::int64_t{init_us_} * 1000;
  }

  void attempt(BatchId batch, std::uint32_t slot, std::int64_t& at) {
    const std::uint32_t elapsed = random_.between(1, run_us_);
    fact::AttemptEnded ended;
    ended.record.token = {epoch_, batch, 1};
    ended.record.process = process(slot);
    ended.record.start = {at};
    ended.record.elapsed_us = elapsed;
    ended.record.memory_peak = random_.per_mille(100) ? random_.below(1U << 30U) : 0;
    ended.record.status = AttemptStatus::kRunException;
    ended.record.error_type = "ValueError";
    ended.verdict = Verdict::kRetry;
    std::uint64_t& peak = peaks_[batch];
    peak = std::max(peak, ended.record.memory_peak);
    if (random_.per_mille(50)) {
      ended.record.status = AttemptStatus::kNodeLost;
    } else {
      lost_ += elapsed / 1e6;
      ++drawn_;
    }
    take(ended);
    ++attempts_;
    at += std::int64_t{elapsed} * 1000;
  }

  // A worker of its own in every life.
  [[nodiscard]] ProcessNumber process(std::uint32_t slot) const {
    return static_cast<ProcessNumber>(epoch_ * 10 + slot);
  }

  // However many were drawn as one, none is left out, and there are no more than can be seen.
  void judge_lines(const std::vector<WorkerLine>& lines) const {
    std::uint64_t attempts = 0;
    for (const WorkerLine& line : lines) {
      EXPECT_TRUE(std::ranges::is_sorted(line.spans, {}, &Span::start_ns));
      EXPECT_LE(line.spans.size(), 5000U);
      for (const Span& span : line.spans) {
        if (span.kind != Span::Kind::kInit) attempts += span.count;
      }
    }
    EXPECT_EQ(attempts, drawn_);
  }

  void judge_memory(const std::vector<HungryBatch>& hungriest) const {
    std::vector<std::uint64_t> all;
    for (const auto& [batch, bytes] : peaks_) {
      if (bytes > 0) all.push_back(bytes);
    }
    std::ranges::sort(all, std::greater());
    all.resize(std::min<std::size_t>(all.size(), 5));
    std::vector<std::uint64_t> said;
    for (const HungryBatch& one : hungriest) {
      EXPECT_EQ(one.bytes, peaks_.at(one.batch));
      said.push_back(one.bytes);
    }
    EXPECT_EQ(said, all);
  }

  void judge() {
    const AccountTerms terms{.timeout = random_.per_mille(500) ? 60.0 : 1.0,
                             .mini_batch_size = random_.per_mille(800) ? size_ : 0,
                             .cpus = random_.between(0, 16)};
    Account account = Accountant(accountant_).close(state_.finished().has_value(), {now_});
    advise(account, terms, static_cast<BatchId>(state_.batches().size()));
    EXPECT_EQ(account.attempts, attempts_);
    judge_memory(account.hungriest);
    EXPECT_NEAR(account.init, init_, 1e-6);
    EXPECT_NEAR(account.lost, lost_, 1e-6);
    EXPECT_GE(account.start_up, 0);
    EXPECT_GE(account.idle, 0);
    EXPECT_LE(account.workers, workers_);
    for (const std::string& one : account.advice) {
      EXPECT_TRUE(one.starts_with("--mini-batch-size ") || one.starts_with("--workers ")) << one;
    }
    judge_texts(account);
  }

  void judge_texts(const Account& account) {
    const std::string name = random_.per_mille(200) ? "<a & \"b\">" : "job";
    const Result<Json> json = parse_json(account_json(account, name, "Running"));
    ASSERT_TRUE(json);
    EXPECT_EQ(*json->find("attempts")->get<std::int64_t>(),
              static_cast<std::int64_t>(account.attempts));
    const std::string page = account_page(account, name);
    EXPECT_EQ(page.find("<a &"), std::string::npos);
    std::size_t shown = 0;
    for (std::size_t at = 0; (at = page.find("<svg", at)) != std::string::npos; ++at) ++shown;
    const bool drawn = std::ranges::any_of(
        account.lines, [](const WorkerLine& line) { return !line.spans.empty(); });
    EXPECT_EQ(shown > 0, drawn);
    judge_lines(account.lines);
    const std::string text = account_text(account, name);
    for (const std::string& one : account.advice) {
      EXPECT_NE(text.find(one.substr(0, one.find(':'))), std::string::npos) << text;
    }
  }

  Random random_;
  JobState state_;
  Accountant accountant_;
  std::uint32_t workers_ = 1;
  std::uint32_t size_ = 1;
  std::uint32_t run_us_ = 1;
  std::uint32_t init_us_ = 1;
  std::int64_t now_ = 1'700'000'000 * kSecond;
  Epoch epoch_ = 0;
  BatchId planned_ = 0;
  std::uint64_t plan_ = 0;
  std::uint64_t attempts_ = 0;
  std::uint64_t drawn_ = 0;  // attempts of which it is known in which process they were
  std::map<BatchId, std::uint64_t> peaks_;
  double init_ = 0;
  double lost_ = 0;
};

TEST(AccountStorm, EverySecondIsCountedOnce) { play_storms<AccountStorm>(200); }

}  // namespace
}  // namespace windrow::sim
