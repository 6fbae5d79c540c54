// SPDX-License-Identifier: Apache-2.0
#include "core/plan/stretch_name.h"

#include <gtest/gtest.h>

namespace windrow {
namespace {

TEST(StretchName, ReadsBackWhateverTheFileIsCalled) {
  for (const std::string_view file : {"a.csv", "a@1+2#3*4", "a b/c:d/5+6", "\xff\n", "x/1+2"}) {
    for (const Stretch& stretch : {Stretch{}, Stretch{17, 9000, 500, 250}}) {
      const std::string name = stretch_name(file, stretch);
      const auto read = parse_stretch_name(name);
      ASSERT_TRUE(read) << name;
      EXPECT_EQ(read->file, file);
      EXPECT_EQ(read->stretch, stretch);
      EXPECT_EQ(read->window, ItemRange{});
      EXPECT_EQ(file_of_stretch(name), file);
    }
  }
}

TEST(StretchName, AWindowOfAWindowCountsFromTheStretch) {
  const std::string name = stretch_name("a.csv", {17, 9000, 500, 250});
  const std::string some = window_name(name, {100, 50});
  EXPECT_EQ(some, "a.csv@17+9000#500*250/100+50");
  EXPECT_EQ(window_name(some, {7, 3}), "a.csv@17+9000#500*250/107+3");
  const auto read = parse_stretch_name(some);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->file, "a.csv");
  EXPECT_EQ(read->window, (ItemRange{100, 50}));
  EXPECT_EQ(read->stretch, (Stretch{17, 9000, 500, 250}));
}

TEST(StretchName, OtherNamesAreThoseOfFiles) {
  for (const std::string_view name : {"a.csv",
                                      "",
                                      "@1+2#3*4",
                                      "a@1+2#3*",
                                      "a@1+2#3",
                                      "a@1+2*3#4",
                                      "a@-1+2#3*4",
                                      "a@1+2#3*4/5",
                                      "a@1+2#3*4/5+0",
                                      "a@1+2#3*4294967296",
                                      "a@1+2#3*4/4294967296+1"}) {
    EXPECT_FALSE(parse_stretch_name(name)) << name;
    EXPECT_EQ(file_of_stretch(name), name);
  }
}

}  // namespace
}  // namespace windrow
