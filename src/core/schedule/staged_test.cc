// SPDX-License-Identifier: Apache-2.0
//
// Files that scripts write, where outputs are staged: which attempt's count, and when.
#include <gtest/gtest.h>

#include "core/schedule/scheduler_test.h"

namespace windrow {
namespace {

using std::chrono::seconds;

class StagedTest : public testing::Test, protected SchedulerProbe {
 protected:
  Event wrote(BatchId batch, std::uint32_t picked, std::vector<StagedFile> files) {
    Event event = done(7, batch, picked);
    std::get<event::AttemptEnded>(event).record.files = std::move(files);
    return event;
  }
  void two_batches(Limits limits = {}) {
    begin(std::move(limits));
    plan(2);
    join(7, 2, 2);
  }
  const AttemptRecord& last() { return std::get<fact::AttemptEnded>(facts_.back()).record; }
};

// C440 C443
TEST_F(StagedTest, FilesArePlacedWhenTheirAttemptIsCommittedAndNotBefore) {
  two_batches();
  EXPECT_EQ(at(seconds(1), wrote(0, 1, {{0, "a"}})), "");
  EXPECT_EQ(at(seconds(2), event::SegmentSynced{7, 110}), "place 0#1 ");
  EXPECT_EQ(at(seconds(3), wrote(1, 1, {{0, "b"}})), "");
  EXPECT_EQ(at(seconds(4), event::SegmentSynced{7, 120}), "stop a7 0 merge place 1#1 ");
}

// C440
TEST_F(StagedTest, FilesOfALostAttemptAreForgottenAndTheirNamesAreFree) {
  two_batches();
  at(seconds(1), wrote(0, 1, {{0, "a"}}));
  at(seconds(2), event::AgentLost{7});
  EXPECT_TRUE(scheduler_->state().staged().empty());
  EXPECT_FALSE(scheduler_->state().writer_of({0, "a"}));
  join(7, 2, 2, seconds(3));
  at(seconds(4), wrote(0, 2, {{0, "a"}}));
  EXPECT_EQ(at(seconds(5), event::SegmentSynced{7, 110}), "place 0#2 ");
}

// C443
TEST_F(StagedTest, AJobIsNotOverBeforeItsFilesAreInPlace) {
  Limits limits;
  limits.append_row = false;
  two_batches(limits);
  at(seconds(1), done(7, 0, 1));
  at(seconds(1), wrote(1, 1, {{0, "a"}}));
  EXPECT_EQ(at(seconds(2), event::SegmentSynced{7, 200}), "stop a7 0 place 1#1 ");
  EXPECT_EQ(at(seconds(3), event::AgentStopped{7}), "");
  EXPECT_EQ(at(seconds(4), event::Placed{1}), "finish 1 ");
}

// C443
TEST_F(StagedTest, AJobThatFailsPlacesWhatItHasCommitted) {
  two_batches();
  at(seconds(1), wrote(0, 1, {{0, "a"}}));
  EXPECT_EQ(at(seconds(2), event::SegmentSynced{7, 110}), "place 0#1 ");
  EXPECT_EQ(at(seconds(3), event::CancelAsked{true}), "stop a7 2 ");
  EXPECT_EQ(at(seconds(4), event::AgentStopped{7}), "");
  EXPECT_EQ(at(seconds(5), event::Placed{1}), "finish 3 ");
}

// C444
TEST_F(StagedTest, ANewMasterAsksAgainForWhatItsPredecessorHadCommitted) {
  two_batches();
  at(seconds(1), wrote(0, 1, {{0, "a"}}));
  at(seconds(1), wrote(1, 1, {{0, "b"}}));
  at(seconds(2), event::SegmentSynced{7, 110});
  JobState state = scheduler_->state();
  scheduler_.emplace(std::move(state), Limits{});
  Decision out;
  scheduler_->begin({.epoch = 2}, now_, reopen_, out);
  EXPECT_EQ(note(out), "place 0#1 ");
  EXPECT_FALSE(scheduler_->state().writer_of({0, "b"}));
}

// C442
TEST_F(StagedTest, ANameThatAnotherMiniBatchHasWrittenFailsTheAttempt) {
  two_batches();
  at(seconds(1), wrote(0, 1, {{0, "x/a"}}));
  at(seconds(1), wrote(1, 1, {{0, "b"}, {0, "x/a"}}));
  EXPECT_EQ(last().error_type, "FileExistsError");
  EXPECT_EQ(last().error_message.substr(0, 50),
            "'x/a' is in the way of what mini-batch 0 has writt");
  EXPECT_TRUE(last().files.empty());
  EXPECT_EQ(batch(1).tries, 1U);
  EXPECT_FALSE(scheduler_->state().writer_of({0, "b"}));
  EXPECT_EQ(at(seconds(2), event::SegmentSynced{7, 200}), "place 0#1 ");
}

// C442
TEST_F(StagedTest, AFileAndAFolderOfOneNameAreInEachOthersWay) {
  two_batches();
  at(seconds(1), wrote(0, 1, {{0, "x/a"}}));
  const JobState& state = scheduler_->state();
  EXPECT_EQ(state.writer_of({0, "x"}), 0U);
  EXPECT_EQ(state.writer_of({0, "x/a/b"}), 0U);
  EXPECT_FALSE(state.writer_of({0, "x/ab"}));
  EXPECT_FALSE(state.writer_of({0, "xa"}));
  EXPECT_FALSE(state.writer_of({1, "x/a"}));  // another output
}

// C442
TEST_F(StagedTest, TheResultAndFilesOfOthersAreNotWrittenOver) {
  two_batches({.reserved_names = {{0, "rows.txt"}}});
  at(seconds(1), wrote(0, 1, {{0, "rows.txt"}}));
  EXPECT_EQ(last().error_message, "'rows.txt' is the name of the result; write to another one");
  at(seconds(1), wrote(1, 1, {{0, "old", 1, true}}));
  EXPECT_EQ(last().error_message,
            "'old' exists in the output and is not of this job; remove it, or set output_exists: "
            "overwrite");
}

// C442
TEST_F(StagedTest, FilesOfOthersAreReplacedWhenAsked) {
  two_batches({.replace_files = true});
  at(seconds(1), wrote(0, 1, {{0, "old", 1, true}}));
  EXPECT_EQ(last().status, AttemptStatus::kRunDone);
}

}  // namespace
}  // namespace windrow
