// SPDX-License-Identifier: Apache-2.0
#include "core/plan/cutter.h"

#include <vector>

#include <gtest/gtest.h>

namespace windrow {
namespace {

std::vector<std::uint32_t> sizes(int files, std::uint32_t per_batch) {
  Cutter cutter(per_batch);
  std::vector<std::uint32_t> out;
  for (int i = 0; i < files; ++i) {
    if (const auto cut = cutter.add("f")) out.push_back(cut->items);
  }
  if (const auto cut = cutter.finish()) out.push_back(cut->items);
  return out;
}

// C11
TEST(Cutter, GroupsConsecutiveFilesAndLeavesTheRestInTheLast) {
  EXPECT_EQ(sizes(100, 10), std::vector<std::uint32_t>(10, 10));
  EXPECT_EQ(sizes(23, 5), (std::vector<std::uint32_t>{5, 5, 5, 5, 3}));
  EXPECT_EQ(sizes(12, 10), (std::vector<std::uint32_t>{10, 2}));
  EXPECT_TRUE(sizes(0, 5).empty());
}

TEST(Cutter, KeepsNamesAsTheyAreInOrder) {
  Cutter cutter(2);
  EXPECT_FALSE(cutter.add("a\nb"));
  const auto cut = cutter.add("\xff");
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->names, std::string("a\nb\0\xff", 5));
}

}  // namespace
}  // namespace windrow
