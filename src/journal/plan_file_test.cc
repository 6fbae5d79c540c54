// SPDX-License-Identifier: Apache-2.0
#include "journal/plan_file.h"

#include <gtest/gtest.h>

#include "os/fake_file_system.h"

namespace windrow {
namespace {

const PlanHead kHead{"/in", "formation", {1234}};

class PlanFileTest : public testing::Test {
 protected:
  PlanFileTest() : bytes_(plan_head_bytes(kHead)) {
    append_plan_batch(0, 2, std::string("a\0b", 3), bytes_);
    append_plan_batch(1, 1, "c", bytes_);
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
  EXPECT_EQ(split_names(plan.read(0)->names), (std::vector<std::string>{"a", "b"}));
}

TEST_F(PlanFileTest, RefusesAPlanThatIsShorterThanTheJournalSays) {
  PlanReader plan = *open();
  EXPECT_FALSE(plan.index(bytes_.size() + 1));
}

TEST_F(PlanFileTest, RefusesAMiniBatchThatIsNotTheOneAskedFor) {
  bytes_ = plan_head_bytes(kHead);
  append_plan_batch(7, 1, "c", bytes_);
  PlanReader plan = *open();
  ASSERT_TRUE(plan.index(bytes_.size()));
  EXPECT_EQ(plan.read(0).error().message, "plan /plan is damaged at mini-batch 0");
}

TEST_F(PlanFileTest, RefusesAHeadThatIsNotWhole) {
  bytes_.resize(12);
  EXPECT_EQ(open().error().message, "plan /plan has no whole head");
}

}  // namespace
}  // namespace windrow
