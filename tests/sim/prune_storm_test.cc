// SPDX-License-Identifier: Apache-2.0
//
// Workspaces of any content under any rules: nothing goes that must stay, and what the rules ask
// for goes unless something holds it.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/prune/prune_plan.h"
#include "core/spec/age.h"
#include "drawn_value.h"
#include "random.h"
#include "storm.h"

namespace windrow::sim {
namespace {

class PruneStorm {
 public:
  explicit PruneStorm(std::uint64_t seed) : random_(seed) {}

  void run() {
    draw();
    const PrunePlan plan = plan_prune(all_, rules_);
    ASSERT_EQ(plan.verdicts.size(), all_.size());
    std::uint64_t freed = 0;
    std::uint64_t rest = 0;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const PruneVerdict& verdict = plan.verdicts[i];
      (verdict.goes ? freed : rest) += all_[i].bytes;
      EXPECT_FALSE(verdict.why.empty());
      judge(i, plan);
    }
    EXPECT_EQ(plan.freed, freed);
    EXPECT_EQ(plan.rest, rest);
    if (rules_.quota && rest > *rules_.quota) judge_quota(plan);
  }

 private:
  bool maybe(std::uint32_t per_mille) { return random_.per_mille(per_mille); }

  void draw() {
    const std::uint32_t count = random_.between(0, 12);
    for (std::uint32_t i = 0; i < count; ++i) {
      Stored one;
      one.name = fmt::format("job{}", i);
      one.kind = static_cast<StoredKind>(random_.below(5));
      one.state = static_cast<StoredState>(random_.below(5));
      one.age = std::chrono::hours(random_.between(0, 24 * 60));
      one.bytes = random_.below(1000);
      if (maybe(100)) one.in_use = "somebody works in it";
      one.results = maybe(200);
      if (i > 0 && maybe(200)) one.needs.push_back(random_.below(i));
      all_.push_back(one);
    }
    if (maybe(500)) rules_.older_than = std::chrono::hours(random_.between(0, 24 * 60));
    if (maybe(400)) rules_.keep = random_.below(6);
    if (maybe(400)) rules_.quota = random_.below(5000);
    if (maybe(200)) rules_.state = static_cast<StoredState>(random_.between(1, 4));
    rules_.unfinished = maybe(300);
  }

  [[nodiscard]] bool can_go_on(const Stored& one) const {
    return one.state == StoredState::kUnfinished || one.state == StoredState::kCanceled;
  }

  void judge(std::size_t i, const PrunePlan& plan) {
    const Stored& one = all_[i];
    if (!plan.verdicts[i].goes) return;
    EXPECT_TRUE(one.in_use.empty());
    for (std::size_t by = 0; by < all_.size(); ++by) {
      if (std::ranges::find(all_[by].needs, i) != all_[by].needs.end()) {
        EXPECT_TRUE(plan.verdicts[by].goes) << by << " needs " << i;
      }
    }
    if (one.kind == StoredKind::kLeftover) return;
    EXPECT_TRUE(rules_.unfinished || !can_go_on(one));
    EXPECT_TRUE(!rules_.state || one.state == *rules_.state);
    const bool has_rule = rules_.older_than || rules_.keep || rules_.quota;
    const bool by_age = !rules_.quota && rules_.older_than;
    EXPECT_TRUE(!by_age || one.age > *rules_.older_than);
    EXPECT_TRUE(has_rule || one.age > kPruneAge);
    if (rules_.keep) {
      const auto newer = std::ranges::count_if(all_, [&one](const Stored& other) {
        return other.kind == one.kind && other.age <= one.age;
      });
      EXPECT_GT(static_cast<std::uint64_t>(newer), *rules_.keep);
    }
  }

  // What is left beyond the quota is held by something.
  void judge_quota(const PrunePlan& plan) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      EXPECT_TRUE(plan.verdicts[i].goes || plan.verdicts[i].why != "the rules keep it");
    }
  }

  Random random_;
  std::vector<Stored> all_;
  PruneRules rules_;
};

class AgeStorm {
 public:
  explicit AgeStorm(std::uint64_t seed) : random_(seed) {}

  void run() {
    const std::uint64_t count = random_.per_mille(800) ? random_.below(9000) : random_.next();
    const std::string unit = draw_from(random_, {"h", "d", "w", "H", " d ", "", "x", "dd"});
    const std::string text = random_.per_mille(100) ? unit : std::to_string(count) + unit;
    const Result<Duration> age = parse_age(text);
    const std::uint64_t hours = unit == "h" || unit == "H" ? 1 : unit == "w" ? 168 : 24;
    const bool known = unit == "h" || unit == "H" || unit == "d" || unit == "w" || unit == " d ";
    const bool right = known && text != unit && count <= 24ULL * 36525 / hours;
    ASSERT_EQ(age.has_value(), right) << text;
    EXPECT_TRUE(!right || *age == std::chrono::hours(count * hours)) << text;
  }

 private:
  Random random_;
};

TEST(PruneStorm, NothingGoesThatMustStay) { play_storms<PruneStorm>(2000); }

TEST(PruneStorm, AgesAreWhatTheySay) { play_storms<AgeStorm>(2000); }

}  // namespace
}  // namespace windrow::sim
