// SPDX-License-Identifier: Apache-2.0
#include "core/table/path_window.h"

#include <gtest/gtest.h>

namespace windrow {
namespace {

MlTable table_of(const std::string& steps) {
  const auto table = read_mltable(
      "MLTable", "type: mltable\npaths:\n  - folder: ./in\ntransformations:\n" + steps);
  EXPECT_TRUE(table);
  return table ? *table : MlTable{};
}

// C962
TEST(PathWindow, TakeAndSkipChooseFiles) {
  const std::uint64_t all = PathWindow().take;
  EXPECT_EQ(*path_window(table_of("  - take: 5\n")), (PathWindow{0, 5}));
  EXPECT_EQ(*path_window(table_of("  - skip: 2\n")), (PathWindow{2, all}));
  EXPECT_EQ(*path_window(table_of("  - skip: 2\n  - take: 3\n")), (PathWindow{2, 3}));
  EXPECT_EQ(*path_window(table_of("  - take: 5\n  - skip: 2\n")), (PathWindow{2, 3}));
  EXPECT_EQ(*path_window(table_of("  - take: 5\n  - skip: 9\n")), (PathWindow{5, 0}));
  EXPECT_EQ(*path_window(table_of("  - extract_columns_from_partition_format: {partition_format: "
                                  "'/{a}/x'}\n  - take: 1\n")),
            (PathWindow{0, 1}));
}

// C962
TEST(PathWindow, OtherStepsAreForReadersOfRows) {
  const auto window = path_window(table_of("  - filter: col('Path') > 'a'\n"));
  ASSERT_FALSE(window);
  EXPECT_NE(window.error().message.find("a job knows take and skip"), std::string::npos);
}

}  // namespace
}  // namespace windrow
