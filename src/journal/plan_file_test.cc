// SPDX-License-Identifier: Apache-2.0
#include "journal/plan_file.h"

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/words.h"
#include "os/fake_file_system.h"

namespace windrow {
namespace {

const PlanHead kHead{{"/in", "/"}, "formation", {1234}};

class PlanFileTest : public testing::Test {
 protected:
  PlanFileTest() : bytes_(plan_head_bytes(kHead)) {
    append(0, 2, std::string("a\0b", 3), 0);
    append(1, 1, "c", 1);
  }

  void append(BatchId id, std::uint32_t items, std::string_view names, std::uint32_t input) {
    append_plan_batch({.id = id, .items = items, .names = names, .input = input}, 2, bytes_);
  }

  Result<PlanReader> open() {
    fs_.put("/plan", bytes_);
    return PlanReader::open(fs_, "/plan");
  }

  FakeFileSystem fs_;
  std::string bytes_;
};

TEST_F(PlanFileTest, ReadsItsMiniBatchesInAnyOrder) {
  PlanReader plan = *open();
  EXPECT_EQ(plan.head(), kHead);
  ASSERT_TRUE(plan.index(bytes_.size()));
  ASSERT_EQ(plan.size(), 2U);
  EXPECT_EQ(plan.read(1)->names, "c");
  EXPECT_EQ(plan_path(plan.read(1)->root, "c"), "/c");
  EXPECT_EQ(plan_path(plan.read(0)->root, "a"), "/in/a");
  EXPECT_EQ(plan_path(plan.read(0)->root, "/else/where"), "/else/where");
  EXPECT_EQ(split_at_nul(plan.read(0)->names), (std::vector<std::string>{"a", "b"}));
}

// C677
TEST_F(PlanFileTest, APieceIsSomeNamesOrAWindowOfAStretch) {
  bytes_ = plan_head_bytes(kHead);
  append(0, 3, std::string_view("a\0b\0c@0+1#0*0", 13), 0);
  append(1, 1, "t.csv@0+9#0*0", 0);
  append(2, 1, "file", 0);
  PlanReader plan = *open();
  ASSERT_TRUE(plan.index(bytes_.size()));
  EXPECT_EQ(plan.read(0, {1, 2})->names, std::string_view("b\0c@0+1#0*0", 11));
  EXPECT_EQ(plan.read(0, {0, 3})->names, std::string_view("a\0b\0c@0+1#0*0", 13));
  EXPECT_EQ(plan.read(1, {})->names, "t.csv@0+9#0*0");
  EXPECT_EQ(plan.read(1, {0, 1})->names, "t.csv@0+9#0*0/0+1") << "the plan knows of one row only";
  EXPECT_EQ(plan.read(1, {3, 2})->names, "t.csv@0+9#0*0/3+2");
  EXPECT_EQ(plan.read(2, {0, 1})->names, "file");
}

TEST_F(PlanFileTest, RefusesAPlanThatIsShorterThanTheJournalSays) {
  PlanReader plan = *open();
  EXPECT_FALSE(plan.index(bytes_.size() + 1));
}

TEST_F(PlanFileTest, RefusesAMiniBatchThatIsNotTheOneAskedFor) {
  bytes_ = plan_head_bytes(kHead);
  append(7, 1, "c", 0);
  PlanReader plan = *open();
  ASSERT_TRUE(plan.index(bytes_.size()));
  EXPECT_EQ(plan.read(0).error().message, "plan /plan is damaged at mini-batch 0");
}

TEST_F(PlanFileTest, RefusesAMiniBatchOfAnInputThatIsNone) {
  bytes_ = plan_head_bytes(kHead);
  append(0, 1, "c", 2);
  PlanReader plan = *open();
  ASSERT_TRUE(plan.index(bytes_.size()));
  EXPECT_FALSE(plan.read(0));
}

// C166
TEST_F(PlanFileTest, ReadsThePlanOfAnEarlierVersion) {
  bytes_ = file_magic("WRP1", 1);
  append_record_with(bytes_, [](std::string& out) {
    ByteWriter writer(out);
    writer.text("/in");
    writer.text("formation");
    writer.fixed(std::int64_t{1234});
  });
  append_plan_batch({.id = 0, .items = 2, .names = std::string_view("a\0b", 3)}, 1, bytes_);
  PlanReader plan = *open();
  EXPECT_EQ(plan.version(), 1U);
  EXPECT_EQ(plan.head(), (PlanHead{{"/in"}, "formation", {1234}}));
  ASSERT_TRUE(plan.index(bytes_.size()));
  EXPECT_EQ(plan.read(0)->names, std::string_view("a\0b", 3));
  EXPECT_EQ(plan.read(0)->root, "/in");
}

TEST_F(PlanFileTest, RefusesAHeadThatIsNotWhole) {
  bytes_.resize(12);
  EXPECT_EQ(open().error().message, "plan /plan has no whole head");
}

}  // namespace
}  // namespace windrow
