// SPDX-License-Identifier: Apache-2.0
#include "core/output/account.h"

#include <gtest/gtest.h>

namespace windrow {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

class AccountTest : public testing::Test {
 protected:
  void SetUp() override {
    take(fact::EpochBegan{1, 1, {0}});
    take(fact::Planned{{{4, 10}}, 10});
    take(fact::SegmentOpened{0, 0, "0.1.seg"});
  }
  void take(const Fact& fact) {
    state_.apply(fact);
    accountant_.take(fact);
  }
  void loads(ProcessNumber process, std::int64_t from, std::int64_t to) {
    take(fact::LoadEnded{.process = process,
                         .start = {from * kSecond},
                         .elapsed_us = static_cast<std::uint32_t>((to - from) * 1'000'000)});
  }
  void works(BatchId batch,
             ProcessNumber process,
             std::int64_t from,
             std::int64_t to,
             Verdict verdict = Verdict::kDone) {
    fact::AttemptEnded ended{.verdict = verdict};
    ended.record.token = {1, batch, 1};
    ended.record.process = process;
    ended.record.start = {from * kSecond};
    ended.record.elapsed_us = static_cast<std::uint32_t>((to - from) * 1'000'000);
    ended.record.memory_peak = 100 + batch;
    if (verdict != Verdict::kDone) ended.record.status = AttemptStatus::kRunException;
    take(ended);
  }
  void process(ProcessNumber process, std::int64_t at, bool ended = false) {
    take(fact::WorkerProcess{.process = process, .ended = ended, .wall = {at * kSecond}});
  }
  void worked_on(std::int64_t seconds) {
    take(fact::SegmentSynced{0, 0, std::chrono::seconds(seconds)});
  }
  Account close(AccountTerms terms = {}) {
    Account account = Accountant(accountant_).close(state_.finished().has_value(), {});
    advise(account, terms, static_cast<BatchId>(state_.batches().size()));
    return account;
  }

  JobState state_;
  Accountant accountant_;
};

// C623
TEST_F(AccountTest, EverySecondOfEveryWorkerIsSomewhere) {
  loads(0, 1, 3);
  loads(1, 2, 3);
  works(0, 0, 3, 7);
  works(1, 1, 3, 5, Verdict::kRetry);
  works(1, 1, 6, 8);
  take(fact::Finished{JobStatus::kCompleted, "", {10 * kSecond}});
  const Account account = close();
  EXPECT_DOUBLE_EQ(account.init, 3);
  EXPECT_DOUBLE_EQ(account.useful, 6);
  EXPECT_DOUBLE_EQ(account.lost, 2);
  EXPECT_DOUBLE_EQ(account.start_up, 3);  // one second of the first, two of the second
  EXPECT_DOUBLE_EQ(account.idle, 6);      // 3 + 3: after their last, and one between
  EXPECT_DOUBLE_EQ(account.all(), 20);    // two workers for ten seconds
  EXPECT_EQ(account.workers, 2U);
  EXPECT_EQ(account.attempts, 3U);
  EXPECT_EQ(account.attempts_lost, 1U);
}

// C909
TEST_F(AccountTest, WorkersWithoutWorkAndReplacementsAreWorkersToo) {
  process(0, 1);
  process(1, 1);
  loads(0, 2, 3);
  works(0, 0, 3, 5, Verdict::kRetry);
  process(0, 5, true);
  process(2, 5);
  loads(2, 7, 8);  // it takes two seconds until its init()
  works(0, 2, 8, 9);
  process(1, 10, true);  // this one never got through its start
  process(2, 10, true);
  take(fact::Finished{JobStatus::kCompleted, "", {10 * kSecond}});
  const Account account = close();
  EXPECT_EQ(account.workers, 2U);
  EXPECT_EQ(account.lines.size(), 3U);
  EXPECT_DOUBLE_EQ(account.all(), 20);
  EXPECT_DOUBLE_EQ(account.init, 2);
  EXPECT_DOUBLE_EQ(account.lost, 2);
  EXPECT_DOUBLE_EQ(account.useful, 1);
  EXPECT_DOUBLE_EQ(account.start_up, 2 + 1 + 9 + 2);  // the engine, and each of the processes
  EXPECT_DOUBLE_EQ(account.idle, 1);
}

// C905 C910
TEST_F(AccountTest, WhatHadRunCountsAsAnAttemptHoweverItEnded) {
  process(0, 0);
  loads(0, 0, 1);
  works(0, 0, 1, 2);
  works(0, 0, 2, 4, Verdict::kOvertaken);
  fact::AttemptEnded never{.verdict = Verdict::kReturned};
  never.record.token = {1, 1, 1};
  never.record.status = AttemptStatus::kReturned;
  take(never);
  const Account account = close();
  EXPECT_EQ(account.attempts, 2U);
  EXPECT_EQ(account.attempts, state_.counts().attempts);
  EXPECT_DOUBLE_EQ(account.lost, 2);
}

// C914
TEST_F(AccountTest, AClockThatIsSetMeanwhileIsNotIdleTime) {
  constexpr std::int64_t kTwoDays = 2 * 24 * 3600;
  for (const std::int64_t jump : {kTwoDays, -kTwoDays}) {
    Accountant accountant;
    std::swap(accountant, accountant_);
    state_ = {};
    SetUp();
    process(0, 0);
    loads(0, 0, 1);
    works(0, 0, 1, 2);
    worked_on(2);
    works(1, 0, jump + 2, jump + 4);
    worked_on(4);
    works(2, 0, jump + 4, jump + 6);
    take(fact::Finished{JobStatus::kCompleted, "", {(jump + 7) * kSecond}});
    const Account account = close();
    EXPECT_NEAR(account.wall, 7, 3);
    EXPECT_DOUBLE_EQ(account.useful, 5);
    EXPECT_LT(account.idle, 3);
  }
}

// C911
TEST_F(AccountTest, MiniBatchesThatAreTooSmallAreAdvisedAgainst) {
  take(fact::Planned{{{996, 10}}, 20});
  loads(0, 0, 1);
  for (BatchId batch = 0; batch < 1000; ++batch) {
    fact::AttemptEnded ended;
    ended.record.token = {1, batch, 1};
    ended.record.start = {kSecond + batch * 4'000'000LL};
    ended.record.elapsed_us = 2000;  // of every four milliseconds
    take(ended);
  }
  EXPECT_EQ(
      close({.mini_batch_size = 10}).advice,
      std::vector<std::string>{"--mini-batch-size 500: half of the mini-batches took less than "
                               "2 ms, and the workers were idle between them for 50 % of "
                               "their time"});
  EXPECT_TRUE(close().advice.empty()) << "there is no size to change";
}

// C623
TEST_F(AccountTest, TheHungriestComeFirstAndOnceEach) {
  works(3, 0, 1, 2, Verdict::kRetry);
  for (const BatchId batch : {2U, 3U, 0U, 1U}) works(batch, 0, 1, 2);
  const Account account = close();
  std::vector<BatchId> batches;
  for (const HungryBatch& one : account.hungriest) batches.push_back(one.batch);
  EXPECT_EQ(batches, (std::vector<BatchId>{3, 2, 1, 0}));
  EXPECT_EQ(account.hungriest.front().bytes, 103U);
  EXPECT_NE(account_text(account, "job").find("Most memory of a worker\n  mini-batch 3  "),
            std::string::npos);
}

// C623
TEST_F(AccountTest, TheSlowestComeFirstAndTheSpreadIsShown) {
  loads(0, 0, 1);
  works(0, 0, 1, 2);
  works(1, 0, 2, 4);
  works(2, 0, 4, 7);
  works(3, 0, 7, 17);
  const Account account = close();
  ASSERT_EQ(account.slowest.size(), 4U);
  EXPECT_EQ(account.slowest.front().batch, 3U);
  EXPECT_EQ(account.quartiles, (std::array<double, 5>{1, 1, 2, 3, 10}));
}

// C624
TEST_F(AccountTest, ItSaysWhatToChangeAndWhy) {
  loads(0, 0, 1);
  works(0, 0, 1, 41);
  EXPECT_EQ(close({.timeout = 60, .mini_batch_size = 10}).advice,
            std::vector<std::string>{"--mini-batch-size 3: the longest mini-batch took 40.0 s of "
                                     "the 60 s that it may take"});
  EXPECT_TRUE(close({.timeout = 600}).advice.empty()) << "there is no size to change";
  loads(1, 0, 90);
  works(1, 1, 90, 91);
  EXPECT_EQ(close({.timeout = 600}).advice,
            std::vector<std::string>{"--workers 1: 91.0 worker-seconds went into init(), 41.0 into "
                                     "mini-batches that count"});
}

// C623
TEST_F(AccountTest, ThePageHasARowForEachWorkerAndEscapesNames) {
  loads(0, 0, 1);
  works(0, 0, 1, 2);
  loads(1, 0, 1);
  works(1, 1, 1, 3, Verdict::kRetry);
  const std::string page = account_page(close(), "<job>");
  EXPECT_NE(page.find("<h1>&lt;job&gt;</h1>"), std::string::npos);
  for (const char* part : {">process000<", ">process001<", "class=\"useful\"", "class=\"lost\""}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(page.find("http"), std::string::npos) << "it needs nothing else";
}

// C623
TEST_F(AccountTest, AJobWithoutAnythingHasAnAccountToo) {
  const Account account = close();
  EXPECT_EQ(account.all(), 0);
  EXPECT_NE(account_page(account, "x").find("No worker has done anything"), std::string::npos);
  EXPECT_NE(account_json(account, "x", "Running").find("\"attempts\": 0"), std::string::npos);
}

}  // namespace
}  // namespace windrow
