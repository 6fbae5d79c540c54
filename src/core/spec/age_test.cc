// SPDX-License-Identifier: Apache-2.0
#include "core/spec/age.h"

#include <gtest/gtest.h>

namespace windrow {
namespace {

// C631
TEST(Age, HoursDaysAndWeeksAreReadAndAnythingElseRefused) {
  EXPECT_EQ(*parse_age("12h"), std::chrono::hours(12));
  EXPECT_EQ(*parse_age(" 30 D "), std::chrono::hours(720));
  EXPECT_EQ(*parse_age("8w"), std::chrono::hours(1344));
  EXPECT_EQ(*parse_age("0d"), Duration(0));
  EXPECT_EQ(*parse_age("36525d"), std::chrono::hours(876600));
  for (const char* text : {"", "d", "30", "-1d", "1.5d", "30 days", "1d2h", "d30"}) {
    EXPECT_FALSE(parse_age(text)) << text;
  }
  EXPECT_EQ(parse_age("36526d").error().message, "'36526d' is out of range; at most 36525d");
  EXPECT_FALSE(parse_age("99999999999999999999h"));
}

}  // namespace
}  // namespace windrow
