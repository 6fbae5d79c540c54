// SPDX-License-Identifier: Apache-2.0
#include "core/plan/cutter.h"

#include <vector>

#include <gtest/gtest.h>

namespace windrow {
namespace {

std::vector<std::uint32_t> sizes(int files, std::uint32_t per_batch) {
  Cutter cutter({.files = per_batch});
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
  Cutter cutter({.files = 2});
  EXPECT_FALSE(cutter.add("a\nb"));
  const auto cut = cutter.add("\xff");
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->names, std::string("a\nb\0\xff", 5));
}

std::vector<std::uint32_t> sizes_by_bytes(const std::vector<std::uint64_t>& files, BatchSize size) {
  Cutter cutter(size);
  std::vector<std::uint32_t> out;
  for (const std::uint64_t bytes : files) {
    if (const auto cut = cutter.add("f", bytes)) out.push_back(cut->items);
  }
  if (const auto cut = cutter.finish()) out.push_back(cut->items);
  return out;
}

// C157
TEST(Cutter, ClosesBeforeAByteCapWouldBePassedAndLeavesALargerFileAlone) {
  const BatchSize bytes{.files = 1000, .bytes = 10};
  using Sizes = std::vector<std::uint32_t>;
  EXPECT_EQ(sizes_by_bytes({4, 4, 4}, bytes), (Sizes{2, 1}));
  EXPECT_EQ(sizes_by_bytes({5, 5, 1}, bytes), (Sizes{2, 1}));
  EXPECT_EQ(sizes_by_bytes({1, 11, 1, 1}, bytes), (Sizes{1, 1, 2}));
  EXPECT_EQ(sizes_by_bytes({11, 0, 0}, bytes), (Sizes{1, 2}));
  EXPECT_EQ(sizes_by_bytes({}, bytes), Sizes{});
}

// C157
TEST(Cutter, ClosesAtWhicheverCapComesFirst) {
  const BatchSize both{.files = 2, .bytes = 10};
  EXPECT_EQ(sizes_by_bytes({1, 1, 1, 9, 9, 1}, both), (std::vector<std::uint32_t>{2, 2, 2}));
  EXPECT_EQ(sizes_by_bytes({1, 10, 1, 1}, both), (std::vector<std::uint32_t>{1, 1, 2}));
  EXPECT_EQ(sizes_by_bytes({20, 20}, {.files = 1, .bytes = 10}),
            (std::vector<std::uint32_t>{1, 1}));
}

// C158
TEST(Cutter, PutsTheLargestFirstAndKeepsTheOrderOfEqualOnes) {
  std::vector<Cut> cuts = {{1, "a", 5}, {1, "b", 9}, {1, "c", 5}, {1, "d", 9}};
  sort_largest_first(cuts);
  std::string order;
  for (const Cut& cut : cuts) order += cut.names;
  EXPECT_EQ(order, "bdac");
}

}  // namespace
}  // namespace windrow
