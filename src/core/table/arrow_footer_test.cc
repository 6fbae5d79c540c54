// SPDX-License-Identifier: Apache-2.0
#include "core/table/arrow_footer.h"

#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "core/table/hex_test.h"

namespace windrow {
namespace {

// Written by pyarrow 25.0.1: a column of five int8 in batches of two, in a file of 818 bytes.
constexpr std::string_view kThreeBatches =
    "100000000c001400060008000c0010000c000000000004006400000054000000040000000300000088000000000000"
    "00"
    "90000000000000000800000000000000200100000000000090000000000000000800000000000000b8010000000000"
    "00"
    "9000000000000000080000000000000000000000080008000000040008000000040000000100000014000000100014"
    "00"
    "0800060007000c00000010001000000000000102100000001c0000000400000000000000010000006100000008000c"
    "00"
    "08000700080000000000000108000000";

// The message of the third of them, and that of the schema.
constexpr std::string_view kLastBatch =
    "ffffffff8800000014000000000000000c0016000600050008000c000c000000000304001800000008000000000000"
    "00"
    "00000a0018000c00040008000a0000003c000000100000000100000000000000000000000200000000000000000000"
    "00"
    "0000000000000000000000000000000001000000000000000000000001000000010000000000000000000000000000"
    "00";
constexpr std::string_view kSchema =
    "ffffffff780000001000000000000a000c000600050008000a000000000104000c0000000800080000000400080000"
    "00"
    "040000000100000014000000100014000800060007000c00000010001000000000000102100000001c000000040000"
    "00"
    "00000000010000006100000008000c0008000700080000000000000108000000";

constexpr std::string_view kNoBatches =
    "100000000c001400060008000c0010000c000000000004001c0000000c000000040000000000000000000000080008"
    "00"
    "0000040008000000040000000100000014000000100014000800060007000c00000010001000000000000102100000"
    "00"
    "1c0000000400000000000000010000006100000008000c0008000700080000000000000108000000";

constexpr std::size_t kListAt = 0x24;    // of the number of blocks in kThreeBatches
constexpr std::size_t kBlocksAt = 0x28;  // of the blocks
constexpr std::size_t kRowsAt = 0x48;    // of the number of rows in kLastBatch

template <class Number>
std::string with(std::string bytes, std::size_t at, Number value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
  return bytes;
}

std::string refusal(std::string_view footer) {
  const auto blocks = parse_arrow_footer(footer);
  return blocks ? "" : blocks.error().message;
}

std::string batch_refusal(std::string_view message) {
  const auto rows = arrow_batch_rows(message);
  return rows ? "" : rows.error().message;
}

std::string tail_of(std::int32_t length, std::string_view magic = "ARROW1") {
  return with(std::string(4, '\0'), 0, length).append(magic);
}

std::string tail_refusal(std::string_view tail, std::uint64_t size) {
  const auto length = arrow_footer_length(tail, size);
  return length ? "" : length.error().message;
}

TEST(ArrowFooter, GivesTheBlocksThatAWriterMade) {
  const auto blocks = parse_arrow_footer(from_hex(kThreeBatches));
  ASSERT_TRUE(blocks) << blocks.error().message;
  EXPECT_EQ(*blocks, (std::vector<ArrowBlock>{{136, 144, 8}, {288, 144, 8}, {440, 144, 8}}));
  EXPECT_TRUE(parse_arrow_footer(from_hex(kNoBatches))->empty());
}

TEST(ArrowFooter, GivesTheRowsOfABatch) {
  EXPECT_EQ(*arrow_batch_rows(from_hex(kLastBatch)), 1U);
  const std::int64_t many = 5000000000;
  EXPECT_EQ(*arrow_batch_rows(with(from_hex(kLastBatch), kRowsAt, many)), 5000000000U);
  // Files from before Arrow 0.15 have no mark in front of the length.
  EXPECT_EQ(*arrow_batch_rows(from_hex(kLastBatch).substr(4)), 1U);
}

// A table of no fields at all: an offset, places of fields (4 bytes, none), and the table.
TEST(ArrowFooter, AFieldThatIsLeftOutHasItsDefault) {
  const std::string bare = from_hex(
      "08000000"
      "04000400"
      "04000000");
  EXPECT_TRUE(parse_arrow_footer(bare)->empty());
  EXPECT_EQ(batch_refusal(from_hex("ffffffff0c000000") + bare),
            "is a damaged Arrow file: a record batch leads to places outside of it");
  // A message of kind 3 whose header is such a table: no rows.
  const std::string message = from_hex(
      "10000000"
      "0a000c00000004000800"
      "0000"
      "0c000000"
      "03000000"
      "08000000"
      "04000400"
      "04000000");
  EXPECT_EQ(*arrow_batch_rows(from_hex("24000000") + message), 0U);
}

TEST(ArrowFooter, EveryCutOffFooterIsRefused) {
  const std::string footer = from_hex(kThreeBatches);
  for (std::size_t size = 0; size < kBlocksAt + 72; ++size) {
    EXPECT_NE(refusal(footer.substr(0, size)), "") << size;
  }
  const std::string message = from_hex(kLastBatch);
  for (std::size_t size = 0; size < message.size(); ++size) {
    EXPECT_EQ(batch_refusal(message.substr(0, size)),
              "is a damaged Arrow file: a record batch has a length that cannot be")
        << size;
  }
}

TEST(ArrowFooter, PlacesOutsideAreRefused) {
  const std::string footer = from_hex(kThreeBatches);
  const std::string outside = "is a damaged Arrow file: its footer leads to places outside of it";
  for (const std::uint32_t far : {0U, 205U, 208U, 0x7fffffffU, 0xffffffffU}) {
    EXPECT_EQ(refusal(with(footer, 0, far)), outside) << far;
  }
  for (const std::int32_t back : {17, 1000, -192, -1000, INT32_MIN, INT32_MAX}) {
    EXPECT_EQ(refusal(with(footer, 16, back)), outside) << back;
  }
  EXPECT_EQ(refusal(with(footer, 4, std::uint16_t{3})), outside);    // too few places
  EXPECT_EQ(refusal(with(footer, 14, std::uint16_t{20})), outside);  // a field behind its table
  const std::string more =
      "is a damaged Arrow file: its footer lists more record batches than it holds";
  EXPECT_EQ(refusal(with(footer, kListAt, std::uint32_t{8})), more);
  EXPECT_EQ(refusal(with(footer, kListAt, 0xffffffffU)), more);
}

TEST(ArrowFooter, BlocksThatCannotBeAreRefused) {
  const std::string footer = from_hex(kThreeBatches);
  const std::string place =
      "is a damaged Arrow file: its footer has a record batch at a place that cannot be";
  EXPECT_EQ(refusal(with(footer, kBlocksAt, std::int64_t{-8})), place);
  EXPECT_EQ(refusal(with(footer, kBlocksAt, std::int64_t{7})), place);
  EXPECT_EQ(refusal(with(footer, kBlocksAt + 8, std::int32_t{0})), place);
  EXPECT_EQ(refusal(with(footer, kBlocksAt + 8, std::int32_t{-1})), place);
  EXPECT_EQ(refusal(with(footer, kBlocksAt + 16, std::int64_t{-1})), place);
  const std::string large =
      "is a damaged Arrow file: its footer has a record batch that is too large";
  EXPECT_EQ(refusal(with(footer, kBlocksAt + 8, (std::int32_t{1} << 30) + 1)), large);
  EXPECT_EQ(refusal(with(footer, kBlocksAt, INT64_MAX)), large);
  EXPECT_EQ(refusal(with(footer, kBlocksAt + 16, INT64_MAX)), large);
  const std::string overlap = "is a damaged Arrow file: its footer has record batches that overlap";
  EXPECT_EQ(refusal(with(footer, kBlocksAt + 16, std::int64_t{8})), "");
  EXPECT_EQ(refusal(with(footer, kBlocksAt + 16, std::int64_t{9})), overlap);
  EXPECT_EQ(refusal(with(footer, kBlocksAt, std::int64_t{440})), overlap);
}

TEST(ArrowFooter, MessagesThatAreNoBatchAreRefused) {
  EXPECT_EQ(batch_refusal(from_hex(kSchema)),
            "is a damaged Arrow file: a record batch is a message of another kind");
  EXPECT_EQ(batch_refusal(with(from_hex(kLastBatch), kRowsAt, std::int64_t{-1})),
            "is a damaged Arrow file: a record batch has fewer rows than none");
  EXPECT_EQ(batch_refusal(with(from_hex(kLastBatch), 4, std::uint32_t{0})),
            "is a damaged Arrow file: a record batch has a length that cannot be");
  EXPECT_EQ(batch_refusal(with(from_hex(kLastBatch), 8, std::uint32_t{0x1000})),
            "is a damaged Arrow file: a record batch leads to places outside of it");
}

TEST(ArrowFooter, TheTailSaysHowLongTheFooterIs) {
  EXPECT_EQ(*arrow_footer_length(tail_of(208), 818), 208U);
  EXPECT_EQ(*arrow_footer_length("before" + tail_of(800), 818), 800U);
}

TEST(ArrowFooter, WhatIsNoArrowFileIsRefusedByItsTail) {
  EXPECT_EQ(tail_refusal("", 0), "is not an Arrow file: it is empty");
  EXPECT_EQ(tail_refusal("ARROW1", 6), "is not an Arrow file: it has 6 bytes");
  EXPECT_EQ(tail_refusal(std::string("\1\2\xff\xff\xff\xff\0\0\0\0", 10), 100),
            "is an Arrow stream; allowed is the Arrow IPC file, as pyarrow.ipc.new_file and "
            "to_feather() write it");
  EXPECT_EQ(tail_refusal(tail_of(8, "xxFEA1"), 100),
            "is a file of Feather V1; allowed is V2, the Arrow IPC file");
  EXPECT_EQ(tail_refusal(tail_of(8, "a,b,c\n"), 100),
            "is not an Arrow file, or was cut off: it ends in 'a,b,c\\n' and not in 'ARROW1'");
  for (const std::int32_t length : {0, -1, 83, INT32_MIN, INT32_MAX}) {
    EXPECT_EQ(tail_refusal(tail_of(length), 100),
              fmt::format("is a damaged Arrow file: its footer should have {} bytes, and it has "
                          "100 in all",
                          length));
  }
  EXPECT_EQ(tail_refusal(tail_of((1 << 30) + 1), std::uint64_t{1} << 33U),
            "has a footer that is too large: 1.0 GB; allowed is 1.0 GB");
}

}  // namespace
}  // namespace windrow
