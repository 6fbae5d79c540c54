// SPDX-License-Identifier: Apache-2.0
#include "master/merger.h"

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "os/fake_file_system.h"
#include "os/fake_loop.h"

namespace windrow {
namespace {

using std::chrono::seconds;

class MergerTest : public testing::Test {
 protected:
  explicit MergerTest(RowForm form = {}) {
    EXPECT_TRUE(fs_.make_folders("/out"));
    EXPECT_TRUE(fs_.make_folders("/job/state/rows"));
    state_.apply(fact::EpochBegan{.epoch = 1, .plan = 1});
    state_.apply(fact::Planned{{{3, 1}}, 10});
    state_.apply(fact::ListingEnded{});
    state_.apply(fact::SegmentOpened{0, 0, "0.1.seg"});
    segment_ = segment_head(0, 1);
    merger_ = std::make_unique<Merger>(
        loop_,
        fs_,
        JobFolder("/job"),
        std::vector<std::string>{"/out/rows.txt", "/out/more.txt"},
        std::move(form),
        1,
        Merger::Callbacks{.on_progress = [](std::uint64_t) {},
                          .on_merged = [this](auto all) { merged_ = std::move(all); },
                          .on_error =
                              [this](const Error& error) {
                                error_ = error.message;
                                error_code_ = error.code;
                              }});
  }

  // The mini-batch returns these rows, in this order of time.
  void done(BatchId id, const std::string& rows) { done(id, {{Chunk{}, rows}}); }

  void done(BatchId id, const std::vector<std::pair<Chunk, std::string>>& chunks) {
    fact::AttemptEnded fact;
    fact.record.token = {1, id, 1};
    fact.record.rows.offset = segment_.size();
    for (auto [chunk, rows] : chunks) {
      chunk.token = fact.record.token;
      fact.record.rows.length += append_chunk(chunk, rows, segment_);
    }
    fact.succeeded = 1;
    state_.apply(fact);
  }

  void commit() {
    fs_.put("/job/state/rows/0.1.seg", segment_);
    state_.apply(fact::SegmentSynced{0, segment_.size(), {}});
    merger_->follow(state_);
  }

  void complete() {
    merger_->complete(state_);
    clock_.run_for(seconds(1));
  }

  std::string publish() {
    std::string said = "nothing";
    merger_->publish({},
                     [&](const Status& status) { said = status ? "" : status.error().message; });
    clock_.run_for(seconds(1));
    return said;
  }

  VirtualClock clock_;
  FakeLoop loop_{clock_};
  FakeFileSystem fs_;
  JobState state_;
  std::string segment_;
  std::unique_ptr<Merger> merger_;
  std::vector<fact::Publishing> merged_;
  std::string error_;
  ErrorCode error_code_{};
};

TEST_F(MergerTest, PutsRowsInOrderOfMiniBatchesWhateverTheOrderOfTheirEnds) {
  done(2, "two\n");
  done(0, "zero\n");
  commit();
  done(1, "one\n");
  commit();
  complete();
  ASSERT_EQ(merged_.size(), 2U);
  EXPECT_EQ(merged_[0].length, 13U);
  EXPECT_EQ(merged_[0].crc, crc32c("zero\none\ntwo\n"));
  EXPECT_FALSE(fs_.content("/out/rows.txt"));
  EXPECT_EQ(publish(), "");
  EXPECT_EQ(fs_.durable()->content("/out/rows.txt"), "zero\none\ntwo\n");
}

TEST_F(MergerTest, LeavesOutMiniBatchesThatFailed) {
  done(0, "zero\n");
  fact::AttemptEnded failed;
  failed.record.token = {1, 1, 1};
  failed.verdict = Verdict::kFailed;
  state_.apply(failed);
  done(2, "two\n");
  commit();
  complete();
  EXPECT_EQ(publish(), "");
  EXPECT_EQ(fs_.content("/out/rows.txt"), "zero\ntwo\n");
}

// C270
TEST_F(MergerTest, PutsEachOutputIntoItsOwnFile) {
  done(1, {{{.output = 1}, "more of one\n"}});
  done(0, {{{}, "zero\n"}, {{.output = 1}, "more of zero\n"}});
  commit();
  complete();
  EXPECT_EQ(publish(), "");
  EXPECT_EQ(fs_.durable()->content("/out/rows.txt"), "zero\n");
  EXPECT_EQ(fs_.durable()->content("/out/more.txt"), "more of zero\nmore of one\n");
}

// C271
TEST_F(MergerTest, WritesTheFirstHeaderAtTheTopAndNoOther) {
  const Chunk header{.kind = ChunkKind::kHeader};
  done(1, {{header, "a b\n"}, {{}, "1 2\n"}});
  done(0, {{header, "a b\n"}, {{}, "0 0\n"}});
  done(2, {{header, "a b\n"}});
  commit();
  complete();
  EXPECT_EQ(publish(), "");
  EXPECT_EQ(fs_.content("/out/rows.txt"), "a b\n0 0\n1 2\n");
}

// Turns every small letter into a capital one, or fails.
class ShapedMergerTest : public MergerTest {
 protected:
  ShapedMergerTest()
      : MergerTest({.shape = [this](File& rows, File& into) -> Status {
                      if (!fails_.empty()) return fail(ErrorCode::kInvalid, "{}", fails_);
                      std::string text(100, '\0');
                      text.resize(rows.read_at(0, text).value_or(0));
                      for (char& c : text) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
                      return into.write_at(0, text);
                    },
                    .one_header = false}) {}

  std::string fails_;
};

// C690
TEST_F(ShapedMergerTest, PublishesWhatIsMadeOfTheRows) {
  done(1, "one\n");
  done(0, "zero\n");
  done(2, {{{.output = 1}, "more\n"}});
  commit();
  complete();
  ASSERT_EQ(merged_.size(), 2U);
  EXPECT_EQ(merged_[0].crc, crc32c("ZERO\nONE\n"));
  EXPECT_EQ(merged_[0].length, 9U);
  EXPECT_EQ(publish(), "");
  EXPECT_EQ(fs_.durable()->content("/out/rows.txt"), "ZERO\nONE\n");
  EXPECT_EQ(fs_.durable()->content("/out/more.txt"), "MORE\n");
}

class OneHeaderMergerTest : public MergerTest {
 protected:
  OneHeaderMergerTest() : MergerTest({.shape = {}, .one_header = true}) {}
};

// C271
TEST_F(OneHeaderMergerTest, PutsNoRowsBelowTheNamesOfOtherColumns) {
  const Chunk header{.kind = ChunkKind::kHeader};
  done(0, {{header, "a,b\n"}, {{}, "1,2\n"}});
  done(1, {{header, "b,a\n"}, {{}, "2,1\n"}});
  done(2, "");
  commit();
  complete();
  EXPECT_TRUE(merged_.empty());
  EXPECT_EQ(error_code_, ErrorCode::kInvalid);
  EXPECT_TRUE(error_.starts_with(
      "the rows cannot be merged: mini-batch 1 has the columns 'b,a', and /out/rows.txt begins "
      "with 'a,b'"))
      << error_;
}

// C691
TEST_F(ShapedMergerTest, TellsWhyNothingCanBeMadeOfTheRows) {
  fails_ = "column 'a' is int64 and string";
  done(0, "zero\n");
  done(1, "one\n");
  done(2, "two\n");
  commit();
  complete();
  EXPECT_TRUE(merged_.empty());
  EXPECT_EQ(error_, "the rows cannot be merged: column 'a' is int64 and string");
  EXPECT_EQ(error_code_, ErrorCode::kInvalid);
  EXPECT_FALSE(fs_.content("/out/rows.txt"));
}

// C270
TEST_F(MergerTest, AfterACrashBetweenTwoNamesTheFirstIsTakenForOurs) {
  done(0, {{{}, "zero\n"}, {{.output = 1}, "more\n"}});
  commit();
  complete();
  fs_.put("/out/rows.txt", "zero\n");
  EXPECT_EQ(publish(), "");
  EXPECT_EQ(fs_.content("/out/more.txt"), "more\n");
}

TEST_F(MergerTest, TakesAFileWithTheSameBytesForItsOwn) {
  done(0, "zero\n");
  commit();
  complete();
  fs_.put("/out/rows.txt", "zero\n");
  EXPECT_EQ(publish(), "");
}

TEST_F(MergerTest, NeverReplacesAForeignFile) {
  done(0, "zero\n");
  commit();
  complete();
  fs_.put("/out/rows.txt", "mine!\n");
  EXPECT_NE(publish().find("is not the result of this job"), std::string::npos);
  EXPECT_EQ(fs_.content("/out/rows.txt"), "mine!\n");
}

TEST_F(MergerTest, ReplacesTheTargetInOneStepWhenAsked) {
  done(0, "zero\n");
  commit();
  complete();
  fs_.put("/out/rows.txt", "old\n");
  fs_.put("/out/rows.txt.windrow-new", "left over\n");
  bool right = false;
  merger_->replace([&](const Status& status) { right = status.has_value(); });
  clock_.run_for(seconds(1));
  EXPECT_TRUE(right);
  EXPECT_EQ(fs_.content("/out/rows.txt"), "zero\n");
  EXPECT_FALSE(fs_.content("/out/rows.txt.windrow-new"));
}

TEST_F(MergerTest, RefusesASegmentThatDoesNotHoldWhatTheJournalSays) {
  done(0, "zero\n");
  segment_[segment_.size() - 2] ^= 1;
  commit();
  complete();
  EXPECT_TRUE(merged_.empty());
  EXPECT_NE(error_.find("is damaged at byte"), std::string::npos);
}

TEST_F(MergerTest, LeavesNothingBehindWhenItIsNotPublished) {
  done(0, "zero\n");
  commit();
  complete();
  merger_.reset();
  EXPECT_FALSE(fs_.content("/out/rows.txt"));
  EXPECT_TRUE(fs_.list("/out")->empty());
}

}  // namespace
}  // namespace windrow
