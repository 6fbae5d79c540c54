// SPDX-License-Identifier: Apache-2.0
#include "core/plan/glob.h"

#include <gtest/gtest.h>

namespace windrow {
namespace {

struct Case {
  const char* pattern;
  const char* name;
  bool matches;
};

// C153
TEST(Glob, MatchesNamesByStarQuestionMarkAndSet) {
  for (const Case& one : std::initializer_list<Case>{
           {"", "", true},
           {"", "a", false},
           {"*", "", true},
           {"*", ".hidden", true},
           {"*.jpg", "a.jpg", true},
           {"*.jpg", "a.jpg.gz", false},
           {"*.jpg", ".jpg", true},
           {"a*b*c", "aXbYbZc", true},
           {"a*b*c", "aXbY", false},
           {"?", "a", true},
           {"?", "\xc3\xa9", true},
           {"?", "\xff", true},
           {"?", "", false},
           {"?", "ab", false},
           {"[abc]", "b", true},
           {"[abc]", "d", false},
           {"[a-c]x", "bx", true},
           {"[a-c]x", "dx", false},
           {"[!a-c]", "d", true},
           {"[^a-c]", "a", false},
           {"[]]", "]", true},
           {"[a-]", "-", true},
           {"[", "[", true},
           {"[ab", "[ab", true},
           {"[ab", "a", false},
           {"[\xc3\xa0-\xc3\xbf]", "\xc3\xa9", true},
           {"\xc3\xa9*", "\xc3\xa9t\xc3\xa9", true},
           {"a\\b", "a\\b", true},
           {"*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false}}) {
    EXPECT_EQ(glob_matches_name(one.pattern, one.name), one.matches)
        << one.pattern << " and " << one.name;
  }
}

// C153
TEST(Glob, MatchesPathsNameByNameAndAnyDepthByTwoStars) {
  for (const Case& one : std::initializer_list<Case>{{"*.jpg", "a.jpg", true},
                                                     {"*.jpg", "b/a.jpg", false},
                                                     {"*/*.jpg", "b/a.jpg", true},
                                                     {"**/*.jpg", "a.jpg", true},
                                                     {"**/*.jpg", "b/c/a.jpg", true},
                                                     {"b/**", "b/c/a", true},
                                                     {"b/**", "b", false},
                                                     {"b/**/a", "b/a", true},
                                                     {"b/**/a", "b/x/y/a", true},
                                                     {"b/**/a", "c/a", false},
                                                     {"**/c/**/a", "b/c/d/e/a", true},
                                                     {"**", "a", true},
                                                     {"**/**", "a/b", true},
                                                     {"./b//a", "b/a", true},
                                                     {"b", "", false}}) {
    EXPECT_EQ(Glob(one.pattern).matches_path(one.name), one.matches)
        << one.pattern << " and " << one.name;
  }
}

TEST(Glob, KnowsWhichFoldersCannotMatter) {
  const Glob glob("2024-*/*/a");
  EXPECT_TRUE(glob.enter(glob.begin(), "2023-01").empty());
  const Glob::Places year = glob.enter(glob.begin(), "2024-01");
  EXPECT_FALSE(year.empty());
  EXPECT_FALSE(glob.matches(year, "a"));
  const Glob::Places day = glob.enter(year, "x");
  EXPECT_TRUE(glob.matches(day, "a"));
  EXPECT_TRUE(glob.enter(day, "a").empty());
}

// C156
TEST(IgnoreRules, TakeNamesAtAnyDepthAndPathsFromTheTop) {
  const IgnoreRules rules({"*.tmp", ".git", "cache/*", "a/**/z"});
  EXPECT_TRUE(rules.leaves_out("b/c.tmp", "c.tmp"));
  EXPECT_TRUE(rules.leaves_out("b/.git", ".git"));
  EXPECT_TRUE(rules.leaves_out("cache/x", "x"));
  EXPECT_FALSE(rules.leaves_out("b/cache", "cache"));
  EXPECT_TRUE(rules.leaves_out_any("b/.git/config"));
  EXPECT_TRUE(rules.leaves_out_any("a/b/z/deeper"));
  EXPECT_FALSE(rules.leaves_out_any("b/a/z"));
  EXPECT_FALSE(IgnoreRules().leaves_out_any("x"));
}

}  // namespace
}  // namespace windrow
