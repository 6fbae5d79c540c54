// SPDX-License-Identifier: Apache-2.0
//
// Files with keys in their paths in a storm: those with the same drawn values of the keys that
// count come together, in the order of the values.
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/table/key_groups.h"
#include "drawn_value.h"
#include "storm.h"

namespace windrow::sim {
namespace {

class KeyGroupsStorm {
 public:
  explicit KeyGroupsStorm(std::uint64_t seed) : random_(seed) {}

  void run() {
    draw_rules();
    auto groups = KeyGroups::of(rules_);
    if (broken_) return expect_refusal(groups, message_);
    if (unknown_ && !rules_.format.empty()) return expect_refusal(groups, "partition key 'zone'");
    ASSERT_TRUE(groups) << groups.error().message;
    for (int round = 0; round < 2; ++round) {
      for (std::uint32_t i = random_.between(0, 20); i > 0; --i) add(*groups);
      judge(groups->take());
      expected_.clear();
    }
    EXPECT_TRUE(groups->take().empty());
  }

 private:
  void draw_rules() {
    if (random_.per_mille(600)) {
      rules_.format = draw_from(random_, {"/{b}/{a}-{c}.csv", "/{b}/{a}-{c}"});
      broken_ = random_.per_mille(100);
      if (broken_) rules_.format += "{";
      message_ = "has no '}' after it";
    }
    std::vector<std::string> keys = {"a", "b", "c"};
    for (std::uint32_t i = random_.between(0, 3); i > 0; --i) {
      const std::size_t at = random_.below(keys.size());
      rules_.keys.push_back(keys[at]);
      keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(at));
    }
    unknown_ = random_.per_mille(100);
    if (unknown_) rules_.keys.emplace_back("zone");
  }

  template <class Value>
  static void expect_refusal(const Result<Value>& result, const std::string& message) {
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().message.find(message), std::string::npos) << result.error().message;
  }

  // A file with drawn values; now and then one whose path does not say them.
  void add(KeyGroups& groups) {
    std::map<std::string, std::string> values;
    for (const char* key : {"a", "b", "c"}) {
      values[key] = draw_from(random_, {"1", "10", "2", "north", "\xc3\xa9"});
    }
    const bool lost = random_.per_mille(50);
    std::string path = "base/";
    if (!rules_.format.empty()) {
      path += values["b"] + "/" + (lost ? "" : values["a"] + "-" + values["c"]) + ".csv";
    } else {
      for (const char* key : {"c", "a", "b"}) {
        path += std::string(lost ? "k" : key) + "=" + values[key] + "/";
      }
      path += "x.csv";
    }
    const std::string name = "file" + std::to_string(count_++);
    const Status added = groups.add(path, name);
    if (!rules_.keys.empty() && (lost || unknown_)) {
      ASSERT_FALSE(added) << path;
      EXPECT_NE(added.error().message.find("base/"), std::string::npos) << added.error().message;
      return;
    }
    ASSERT_TRUE(added) << added.error().message;
    std::vector<std::string> counted;
    for (const std::string& key : rules_.keys) counted.push_back(values[key]);
    if (rules_.format.ends_with("{c}")) {  // and what the file is called behind it
      for (std::size_t i = 0; i < counted.size(); ++i) {
        if (rules_.keys[i] == "c") counted[i] += ".csv";
      }
    }
    expected_[counted].push_back(name);
  }

  void judge(const std::vector<std::vector<std::string>>& groups) {
    std::vector<std::vector<std::string>> expected;
    for (const auto& [values, names] : expected_) expected.push_back(names);
    EXPECT_EQ(groups, expected);
  }

  Random random_;
  KeyRules rules_;
  bool broken_ = false;
  bool unknown_ = false;
  std::string message_;
  std::map<std::vector<std::string>, std::vector<std::string>> expected_;
  int count_ = 0;
};

TEST(KeyGroupsStorm, FilesWithTheSameValuesComeTogether) { play_storms<KeyGroupsStorm>(); }

}  // namespace
}  // namespace windrow::sim
