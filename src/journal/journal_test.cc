// SPDX-License-Identifier: Apache-2.0
#include "journal/journal.h"

#include <gtest/gtest.h>

#include "os/fake_file_system.h"
#include "os/fake_loop.h"

namespace windrow {
namespace {

using std::chrono::seconds;

class JournalTest : public testing::Test {
 protected:
  JournalTest() { EXPECT_TRUE(fs_.make_folders("/state")); }

  // One master's life: takes over what is there and appends these facts.
  std::unique_ptr<Journal> take_over() {
    const Result<ReplayedJob> job = replay_job(fs_, "/state");
    EXPECT_TRUE(job) << job.error().message;
    std::uint64_t size = 0;
    auto file = Journal::create(fs_, "/state", job->end, size);
    EXPECT_TRUE(file) << file.error().message;
    auto journal = std::make_unique<Journal>(
        loop_, *std::move(file), size, Appender::Options{}, [this](const Error&) { ++errors_; });
    journal->append(fact::EpochBegan{.epoch = job->end.highest + 1, .plan = 1});
    return journal;
  }

  Result<ReplayedJob> replay() { return replay_job(fs_, "/state"); }

  VirtualClock clock_;
  FakeLoop loop_{clock_};
  FakeFileSystem fs_;
  int errors_ = 0;
};

TEST_F(JournalTest, GivesBackItsFactsAcrossEpochs) {
  auto first = take_over();
  first->append(fact::Planned{{{3, 2}}, 10});
  clock_.run_for(seconds(1));
  auto second = take_over();
  second->append(fact::ListingEnded{});
  clock_.run_for(seconds(1));
  const auto job = replay();
  ASSERT_TRUE(job);
  EXPECT_EQ(job->end.epoch, 2U);
  EXPECT_EQ(job->state.batches().size(), 3U);
  EXPECT_TRUE(job->state.listing_ended());
}

TEST_F(JournalTest, IgnoresWhatAMasterWritesAfterAnotherTookOver) {
  auto old = take_over();
  clock_.run_for(seconds(1));
  auto next = take_over();
  old->append(fact::Planned{{{3, 2}}, 10});
  next->append(fact::Planned{{{1, 1}}, 5});
  clock_.run_for(seconds(1));
  EXPECT_EQ(replay()->state.batches().size(), 1U);
}

TEST_F(JournalTest, UsesTheGoodPartOfTheNewestFile) {
  auto journal = take_over();
  journal->append(fact::Planned{{{3, 2}}, 10});
  clock_.run_for(seconds(1));
  std::string bytes = *fs_.content("/state/journal.1");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  fs_.put("/state/journal.1", bytes);
  ASSERT_TRUE(replay());
  EXPECT_TRUE(replay()->state.batches().empty());
}

TEST_F(JournalTest, RefusesDamageThatALaterJournalBuildsOn) {
  auto first = take_over();
  clock_.run_for(seconds(1));
  auto second = take_over();
  clock_.run_for(seconds(1));
  std::string bytes = *fs_.content("/state/journal.1");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  fs_.put("/state/journal.1", bytes);
  EXPECT_NE(replay().error().message.find("/state/journal.1 is damaged"), std::string::npos);
  ASSERT_TRUE(fs_.remove("/state/journal.1"));
  EXPECT_EQ(replay().error().message, "journal /state/journal.1 is missing or damaged");
}

TEST_F(JournalTest, SkipsAJournalWhoseMasterDiedCreatingIt) {
  auto first = take_over();
  clock_.run_for(seconds(1));
  const std::string torn_ones[] = {"", "WRJ1", std::string("WRJ1\0\0\0\0", 8)};
  for (const std::string& torn : torn_ones) {
    fs_.put("/state/journal.2", torn);
    ASSERT_TRUE(replay()) << replay().error().message;
    EXPECT_EQ(replay()->end.epoch, 1U);
    EXPECT_EQ(replay()->end.highest, 2U);
  }
}

TEST_F(JournalTest, RefusesTheSecondOfTwoMastersThatTakeOverAtOnce) {
  const JournalEnd nothing;
  std::uint64_t size = 0;
  ASSERT_TRUE(Journal::create(fs_, "/state", nothing, size));
  EXPECT_EQ(Journal::create(fs_, "/state", nothing, size).error().code, ErrorCode::kConflict);
}

TEST_F(JournalTest, SurvivesAPowerCutWhateverItsPredecessorHadNotSynced) {
  auto first = take_over();
  first->append(fact::Planned{{{3, 2}}, 10});
  // Written but not synced, as by a master that was killed between the two.
  fs_.watch([](FakeFileSystem::Call call, const std::string&, std::size_t) {
    return call == FakeFileSystem::Call::kSync ? std::optional(FakeFileSystem::Fault{})
                                               : std::nullopt;
  });
  clock_.run_for(seconds(1));
  fs_.watch(nullptr);
  auto second = take_over();
  const auto kept = fs_.durable();
  const Result<ReplayedJob> job = replay_job(*kept, "/state");
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->state.batches().size(), 3U);
  EXPECT_EQ(errors_, 1);
}

TEST_F(JournalTest, CallsBackInOrderWhenFactsAreDurable) {
  auto journal = take_over();
  std::string said;
  journal->when_durable([&] { said += "a"; });
  journal->append(fact::ListingEnded{});
  journal->when_durable([&] { said += "b"; });
  EXPECT_EQ(said, "");
  clock_.run_for(seconds(1));
  EXPECT_EQ(said, "ab");
  journal->when_durable([&] { said += "c"; });
  EXPECT_EQ(said, "abc");
}

}  // namespace
}  // namespace windrow
