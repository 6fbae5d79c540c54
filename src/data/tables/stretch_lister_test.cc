// SPDX-License-Identifier: Apache-2.0
#include "data/tables/stretch_lister.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "os/fake_file_system.h"

namespace windrow {
namespace {

class StretchListerTest : public testing::Test {
 protected:
  // The stretches of a file with this text, asked for `page` at a time.
  std::vector<Stretch> list(const std::string& text, const TableRules& rules, std::size_t page) {
    FakeFileSystem fs([] { return WallTime{}; });
    EXPECT_TRUE(fs.make_folders("/in"));
    fs.put("/in/a.csv", text);
    Result<StretchLister> lister = StretchLister::open(fs, "/in/a.csv", "a.csv", rules, 100);
    EXPECT_TRUE(lister) << lister.error().message;
    std::vector<std::string> names;
    while (*lister->next(page, names)) {
    }
    next_row_ = lister->next_row();
    std::vector<Stretch> out;
    for (const std::string& name : names) {
      const auto read = parse_stretch_name(name);
      EXPECT_TRUE(read);
      EXPECT_EQ(read->file, "a.csv");
      out.push_back(read->stretch);
    }
    return out;
  }

  std::optional<std::uint64_t> next_row_;
};

TableRules by_bytes(std::uint64_t bytes) {
  TableRules rules;
  rules.bytes = bytes;
  return rules;
}

TableRules by_rows(std::uint32_t rows) {
  TableRules rules = by_bytes(UINT64_MAX);
  rules.rows = rows;
  return rules;
}

std::string csv(int rows, int width) {
  std::string text = "n,x\n";
  for (int i = 0; i < rows; ++i) text += fmt::format("{},{}\n", i, std::string(width, 'x'));
  return text;
}

// C671
TEST_F(StretchListerTest, TextIsCutWhereARecordBegins) {
  const std::string text = csv(50, 13);
  for (std::uint64_t bytes = 1; bytes <= text.size() + 1; ++bytes) {
    std::uint64_t at = 0;
    for (const Stretch& one : list(text, by_bytes(bytes), 3)) {
      EXPECT_EQ(one.offset, at) << bytes;
      ASSERT_GT(one.length, 0U) << bytes;
      at += one.length;
      EXPECT_EQ(text[at - 1], '\n') << bytes;
      // Its last record begins before the boundary that its first one is behind.
      const std::uint64_t last = text.rfind('\n', at - 2) + 1;
      EXPECT_LT(last, (one.offset / bytes + 1) * bytes) << bytes;
    }
    EXPECT_EQ(at, text.size()) << bytes;
    EXPECT_EQ(next_row_, std::nullopt) << "nobody has counted";
  }
}

// C671
TEST_F(StretchListerTest, WithCountingTheCutsAreTheSame) {
  const std::string text = csv(40, 5);
  for (const std::uint64_t bytes : {1U, 9U, 10U, 64U, 200U, 10000U}) {
    TableRules counting = by_bytes(bytes);
    counting.count_rows = true;
    std::uint64_t row = 100;
    std::vector<std::uint64_t> ends;
    for (const Stretch& one : list(text, counting, 1000)) {
      EXPECT_EQ(one.row, row);
      row += one.rows;
      ends.push_back(one.offset + one.length);
    }
    EXPECT_EQ(row, 140U);
    EXPECT_EQ(next_row_, 140U);
    for (const Stretch& one : list(text, by_bytes(bytes), 1000)) {
      // A stretch of the header alone has no rows, so it goes with the next.
      const bool header = one.offset == 0 && one.length <= 4;
      EXPECT_TRUE(header || std::ranges::find(ends, one.offset + one.length) != ends.end());
    }
  }
}

// C672
TEST_F(StretchListerTest, RowsAreCountedExactly) {
  const auto sizes = [this](int rows, const TableRules& rules) {
    std::vector<std::uint32_t> out;
    for (const Stretch& one : list(csv(rows, 3), rules, 2)) out.push_back(one.rows);
    return out;
  };
  EXPECT_EQ(sizes(7, by_rows(3)), (std::vector<std::uint32_t>{3, 3, 1}));
  EXPECT_EQ(sizes(6, by_rows(3)), (std::vector<std::uint32_t>{3, 3}));
  EXPECT_EQ(sizes(0, by_rows(3)), (std::vector<std::uint32_t>{}));
  TableRules both = by_rows(3);
  both.bytes = 12;  // two rows, of 6 bytes each, and less with the header
  EXPECT_LE(std::ranges::max(sizes(30, both)), 3U);
  EXPECT_GT(sizes(30, both).size(), 10U);
}

// C672
TEST_F(StretchListerTest, NoCutFallsIntoQuotes) {
  std::string text = "n,x\n";
  for (int i = 0; i < 30; ++i) text += fmt::format("{},\"a\nb\"\"\n,\"\n", i);
  TableRules rules = by_bytes(20);
  rules.text.multi_line = true;
  const std::vector<Stretch> all = list(text, rules, 7);
  std::uint32_t rows = 0;
  for (const Stretch& one : all) {
    rows += one.rows;
    const std::string_view piece = std::string_view(text).substr(one.offset, one.length);
    EXPECT_EQ(std::ranges::count(piece, '"') % 4, 0) << piece;
  }
  EXPECT_EQ(rows, 30U);
  EXPECT_GT(all.size(), 15U);
}

// C670
TEST_F(StretchListerTest, CompressedTextIsOneStretch) {
  EXPECT_EQ(list("\x1f\x8b" + std::string(5000, 'x'), by_bytes(100), 10),
            std::vector<Stretch>{Stretch{}});
  EXPECT_EQ(list("", by_bytes(100), 10), std::vector<Stretch>{});
}

TEST_F(StretchListerTest, ALineLongerThanTheSizeIsReadOnce) {
  const std::string text = "n\n" + std::string(3U << 20U, '1') + "\n2\n";
  const std::vector<Stretch> all = list(text, by_bytes(1000), 10);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].length, 2U);
}

}  // namespace
}  // namespace windrow
