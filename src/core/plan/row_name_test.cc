// SPDX-License-Identifier: Apache-2.0
#include "core/plan/row_name.h"

#include <gtest/gtest.h>

namespace windrow {
namespace {

TEST(RowName, SaysWhereARowStands) {
  const RowPlace place{.line = 17, .offset = 1234, .length = 66, .row = 16};
  EXPECT_EQ(row_name("a/requests.jsonl", place), "a/requests.jsonl:17@1234+66#16");
  const auto read = parse_row_name("a/requests.jsonl:17@1234+66#16");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->file, "a/requests.jsonl");
  EXPECT_EQ(read->place, place);
}

TEST(RowName, TheFileMayHaveAnyName) {
  for (const char* file : {"a:1@2+3#4", "#", "x\ny", "\xff", ":", "a b"}) {
    const std::string name = row_name(file, {1, 2, 3, 4});
    ASSERT_TRUE(parse_row_name(name)) << name;
    EXPECT_EQ(parse_row_name(name)->file, file);
    EXPECT_EQ(file_of_row(name), file);
  }
}

TEST(RowName, OtherNamesAreNone) {
  for (const char* name : {"",
                           "a.jsonl",
                           "a:1",
                           "a:1@2+3",
                           "a:1@2+3#",
                           "a:x@2+3#4",
                           ":1@2+3#4",
                           "a:1@2+3#4x",
                           "a:1@2+3#-4",
                           "a:1@2+3#99999999999999999999"}) {
    EXPECT_FALSE(parse_row_name(name)) << name;
    EXPECT_EQ(file_of_row(name), name);
  }
}

}  // namespace
}  // namespace windrow
