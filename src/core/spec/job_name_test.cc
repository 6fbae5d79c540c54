// SPDX-License-Identifier: Apache-2.0
#include "core/spec/job_name.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace windrow {
namespace {

std::string name_for(std::string_view script, std::uint64_t random = 0) {
  return generate_job_name(script, "2026-11-15", random);
}

TEST(JobName, IsMadeOfScriptDateAndTwoWords) {
  EXPECT_EQ(name_for("score.py"), "score-2026-11-15-able-adder");
  EXPECT_EQ(name_for("/a/b/My Score.v2.py", 9 + 34 * 64), "my_score.v2-2026-11-15-calm-heron");
  EXPECT_EQ(name_for("jobs/digits.yml"), "digits-2026-11-15-able-adder");
}

TEST(JobName, IsValidWhateverTheScriptIsCalled) {
  for (const std::string& script : {std::string(".py"),
                                    std::string(""),
                                    std::string("---.py"),
                                    std::string("../..py"),
                                    std::string("\xff\n.py"),
                                    std::string(5000, 'x'),
                                    std::string("a/")}) {
    EXPECT_TRUE(check_job_name(name_for(script, 12345))) << name_for(script);
  }
  EXPECT_EQ(name_for("\xff.py"), "job-2026-11-15-able-adder");
}

TEST(JobName, DifferentNumbersGiveFourThousandNames) {
  std::set<std::string> names;
  for (std::uint64_t random = 0; random < 4096; ++random) names.insert(name_for("a.py", random));
  EXPECT_EQ(names.size(), 4096U);
  EXPECT_EQ(name_for("a.py", 4096), name_for("a.py", 0));
  EXPECT_TRUE(check_job_name(name_for("a.py", ~std::uint64_t{0})));
}

TEST(JobName, GivenByAUserMustBeAFolderNameThatLooksLikeNoFlag) {
  for (const char* good : {"a", "A-b_c.9", "_x", "0"}) EXPECT_TRUE(check_job_name(good)) << good;
  EXPECT_TRUE(check_job_name(std::string(255, 'a')));
  EXPECT_FALSE(check_job_name(std::string(256, 'a')));
  for (const char* bad : {"", ".", "..", ".a", "-a", "a/b", "a b", "a\n", "\xc3\xa4", "\xff"}) {
    EXPECT_FALSE(check_job_name(bad)) << bad;
  }
  EXPECT_EQ(check_job_name("a/b").error().message,
            "'a/b' is not a job name; allowed are 1 to 255 letters, digits, '-', '_' and '.', not "
            "starting with '-' or '.'");
}

}  // namespace
}  // namespace windrow
