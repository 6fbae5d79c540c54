// SPDX-License-Identifier: Apache-2.0
#include "journal/fact_codec.h"

#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace windrow {
namespace {

AttemptRecord full_record() {
  return AttemptRecord{.token = {7, 4711, 3},
                       .agent = 2,
                       .process = 19,
                       .status = AttemptStatus::kRunException,
                       .line_break = true,
                       .returned = 10,
                       .rows = {5, 1ULL << 40, 12345},
                       .start = {1234567890123456789},
                       .elapsed_us = 17,
                       .run_us = 16,
                       .cpu_us = 15,
                       .memory_peak = 1ULL << 33,
                       .error_type = "ValueError",
                       .error_message = "no good: \xff\n",
                       .traceback = "Traceback (most recent call last):"};
}

std::vector<Fact> one_of_each() {
  return {fact::EpochBegan{3, 2, {99}},
          fact::Planned{{{100, 10}, {1, 3}}, 4096},
          fact::ListingEnded{},
          fact::SegmentOpened{1, 0, "0.3.seg"},
          fact::SegmentSynced{1, 1ULL << 35, std::chrono::seconds(5)},
          fact::AgentLost{4, 1},
          fact::WorkerProcess{2, 19, true, {77}},
          fact::LoadEnded{0, 6, LoadStatus::kException, {5}, 1, 2, "E", "m", "t"},
          fact::AttemptEnded{full_record(), Verdict::kFailed, 4},
          fact::Stopped{JobStatus::kFailed, "cause"},
          fact::Publishing{"/out/rows.txt", 77, 0xdeadbeef},
          fact::Finished{JobStatus::kCompleted, "", {8}},
          fact::Reopened{true},
          fact::Halved{7, {3, 9}},
          fact::Counted{8, 12345}};
}

TEST(FactCodec, GivesBackWhatWasWritten) {
  ASSERT_EQ(one_of_each().size(), std::variant_size_v<Fact>);
  for (const Fact& fact : one_of_each()) {
    std::string bytes;
    encode_fact(fact, bytes);
    const Result<Fact> back = decode_fact(bytes);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_TRUE(*back == fact) << "kind " << fact.index();
  }
}

TEST(FactCodec, AStopSaysWhetherItIsForGood) {
  std::string bytes;
  encode_fact(fact::Stopped{JobStatus::kFailed, "cause", true}, bytes);
  const Result<Fact> back = decode_fact(bytes);
  ASSERT_TRUE(back);
  EXPECT_TRUE(std::get<fact::Stopped>(*back).for_good);
}

TEST(FactCodec, RefusesEveryFactThatIsCutShortOrTooLong) {
  for (const Fact& fact : one_of_each()) {
    std::string bytes;
    encode_fact(fact, bytes);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(decode_fact(bytes.substr(0, size))) << fact.index() << " cut at " << size;
    }
    EXPECT_FALSE(decode_fact(bytes + '\0')) << fact.index();
  }
}

TEST(FactCodec, KeepsReportedItemsBehindTheRestAndOnlyWhenThereAreSome) {
  fact::AttemptEnded plain{full_record(), Verdict::kDone, 8};
  fact::AttemptEnded with = plain;
  with.record.reported = {{4, "blurred: \xff"}, {9, ""}};
  std::string before;
  std::string after;
  encode_fact(plain, before);
  encode_fact(with, after);
  EXPECT_TRUE(after.starts_with(before));
  const Result<Fact> back = decode_fact(after);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_TRUE(*back == Fact(with));
  for (std::size_t size = before.size() + 1; size < after.size(); ++size) {
    EXPECT_FALSE(decode_fact(after.substr(0, size))) << size;
  }
  EXPECT_FALSE(decode_fact(before + "\xff\xff\xff\x7f"));  // a count that cannot be
}

// C440
TEST(FactCodec, KeepsStagedFilesBehindReportedItems) {
  fact::AttemptEnded plain{full_record(), Verdict::kDone, 8};
  fact::AttemptEnded with = plain;
  with.record.files = {{1, "a/b \xff", 1ULL << 40}, {0, "c", 0}};
  for (const bool reported : {false, true}) {
    if (reported) with.record.reported = {{4, "blurred"}};
    std::string before;
    std::string after;
    encode_fact(plain, before);
    encode_fact(with, after);
    EXPECT_TRUE(after.starts_with(before));
    const Result<Fact> back = decode_fact(after);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_TRUE(*back == Fact(with));
    EXPECT_FALSE(decode_fact(after.substr(0, after.size() - 1)));
    EXPECT_FALSE(decode_fact(after + '\0'));
  }
}

// C604
TEST(FactCodec, KeepsThePieceBehindEverythingElse) {
  fact::AttemptEnded with{full_record(), Verdict::kDone, 8};
  for (const int lists : {0, 1, 2}) {
    if (lists == 1) with.record.reported = {{4, "blurred"}};
    if (lists == 2) with.record.files = {{1, "a", 1}};
    with.record.piece = {};
    std::string before;
    encode_fact(with, before);
    with.record.piece = {300, 7};
    std::string after;
    encode_fact(with, after);
    EXPECT_TRUE(after.starts_with(before));
    const Result<Fact> back = decode_fact(after);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_TRUE(*back == Fact(with));
    EXPECT_FALSE(decode_fact(after.substr(0, after.size() - 1)));
    EXPECT_FALSE(decode_fact(after.substr(0, after.size() - 1) + '\0')) << "no items";
    EXPECT_FALSE(decode_fact(after + '\0'));
  }
}

TEST(FactCodec, RefusesKindsAndValuesItDoesNotKnow) {
  EXPECT_FALSE(decode_fact(std::string("\x63", 1)));
  std::string bytes;
  encode_fact(fact::Stopped{JobStatus::kFailed, ""}, bytes);
  bytes[1] = 9;
  EXPECT_FALSE(decode_fact(bytes));
}

}  // namespace
}  // namespace windrow
