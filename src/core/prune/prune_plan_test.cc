// SPDX-License-Identifier: Apache-2.0
#include "core/prune/prune_plan.h"

#include <gtest/gtest.h>

namespace windrow {
namespace {

constexpr Duration kDay = std::chrono::hours(24);

class PrunePlanTest : public testing::Test {
 protected:
  Stored& add(const std::string& name, int days, std::uint64_t bytes = 10) {
    all_.push_back({.name = name, .state = StoredState::kCompleted, .age = days * kDay});
    all_.back().bytes = bytes;
    return all_.back();
  }

  // The names of those that go, in the order of the list.
  std::string gone() {
    plan_ = plan_prune(all_, rules_);
    std::string names;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      EXPECT_FALSE(plan_.verdicts[i].why.empty());
      if (plan_.verdicts[i].goes) names += all_[i].name + " ";
    }
    return names;
  }
  [[nodiscard]] const std::string& why(std::size_t i) const { return plan_.verdicts[i].why; }

  std::vector<Stored> all_;
  PruneRules rules_;
  PrunePlan plan_;
};

// C631
TEST_F(PrunePlanTest, WithoutARuleWhatIsOlderThanThirtyDaysGoes) {
  add("old", 31);
  add("month", 30);
  add("new", 0).results = true;
  EXPECT_EQ(gone(), "old ");
  EXPECT_EQ(why(0), "older than 30 d");
  EXPECT_EQ(plan_.freed, 10U);
  EXPECT_EQ(plan_.rest, 20U);
}

// C631
TEST_F(PrunePlanTest, TheNewestOfEachKindStayAndAgeNarrowsThemFurther) {
  add("c", 1);
  add("b", 2);
  add("a", 3);
  add("trial", 9).kind = StoredKind::kTrial;
  rules_.keep = 1;
  EXPECT_EQ(gone(), "b a ");
  EXPECT_EQ(why(0), "among the newest 1");
  rules_.older_than = 2 * kDay;
  EXPECT_EQ(gone(), "a ");
  rules_.keep = 0;
  rules_.older_than = std::nullopt;
  EXPECT_EQ(gone(), "c b a trial ");
}

// C632
TEST_F(PrunePlanTest, AQuotaTakesTheEldestUntilTheRestFits) {
  add("new", 1);
  add("eldest", 9);
  add("middle", 5);
  rules_.quota = 20;
  EXPECT_EQ(gone(), "eldest ");
  rules_.quota = 19;
  EXPECT_EQ(gone(), "eldest middle ");
  EXPECT_EQ(why(1), "more than 19 B are kept");
  rules_.keep = 3;
  EXPECT_EQ(gone(), "");
  EXPECT_EQ(plan_.rest, 30U);
}

// C632
TEST_F(PrunePlanTest, AQuotaComesAfterTheAge) {
  add("old", 9);
  add("middle", 5);
  add("new", 1);
  rules_ = {.older_than = 8 * kDay, .quota = 20};
  EXPECT_EQ(gone(), "old ");
  rules_.quota = 10;
  EXPECT_EQ(gone(), "old middle ");
}

// C633
TEST_F(PrunePlanTest, WhatIsInUseOrCouldGoOnStays) {
  add("used", 99).in_use = "a process works in it";
  add("killed", 99).state = StoredState::kUnfinished;
  add("canceled", 99).state = StoredState::kCanceled;
  add("failed", 99).state = StoredState::kFailed;
  EXPECT_EQ(gone(), "failed ");
  EXPECT_EQ(why(0), "a process works in it");
  EXPECT_TRUE(plan_.verdicts[1].resumable);
  EXPECT_FALSE(plan_.verdicts[0].resumable);
  rules_.quota = 0;
  EXPECT_EQ(gone(), "failed ");
  rules_.unfinished = true;
  EXPECT_EQ(gone(), "killed canceled failed ");
}

// C634
TEST_F(PrunePlanTest, WhatStaysKeepsWhatItNeeds) {
  add("first", 90);
  add("second", 60).needs = {0};
  add("third", 1).needs = {1};
  EXPECT_EQ(gone(), "");
  EXPECT_EQ(why(0), "second needs it");
  EXPECT_EQ(why(1), "third needs it");
  all_[2].age = 31 * kDay;
  EXPECT_EQ(gone(), "first second third ");
}

// C634
TEST_F(PrunePlanTest, AQuotaTakesAJobBeforeTheElderOneThatItNeeds) {
  add("first", 90);
  add("retry", 60).needs = {0};
  add("other", 1);
  rules_.quota = 20;
  EXPECT_EQ(gone(), "retry ");
  rules_.quota = 10;
  EXPECT_EQ(gone(), "first retry ");
}

// C631
TEST_F(PrunePlanTest, AStateLeavesEverythingElseAlone) {
  add("failed", 99).state = StoredState::kFailed;
  add("done", 99);
  add("cache", 99).kind = StoredKind::kCache;
  all_[2].state = StoredState::kNone;
  rules_.state = StoredState::kFailed;
  EXPECT_EQ(gone(), "failed ");
  EXPECT_EQ(why(1), "not failed");
}

// C635
TEST_F(PrunePlanTest, WhatAStoppedPruneLeftGoesWhateverTheRulesAre) {
  add("rest", 0).kind = StoredKind::kLeftover;
  rules_ = {.older_than = 99 * kDay, .keep = 99, .state = StoredState::kFailed};
  EXPECT_EQ(gone(), "rest ");
}

// C630
TEST_F(PrunePlanTest, AResultThatGoesAlongIsSaid) {
  add("old", 31).results = true;
  EXPECT_EQ(gone(), "old ");
  EXPECT_EQ(why(0), "older than 30 d; its result goes too");
}

}  // namespace
}  // namespace windrow
