// SPDX-License-Identifier: Apache-2.0
#include "core/table/parquet_footer.h"

#include <string>

#include <gtest/gtest.h>

#include "core/table/hex_test.h"

namespace windrow {
namespace {

// Written by pyarrow 25.0.1: columns a (int32) and b (string) of five rows in groups of two,
// without compression and statistics.
constexpr std::string_view kThreeGroups =
    "1504193c35001806736368656d611504001502250218016100150c250218016225004c1c000000160a193c192c2600"
    "1c"
    "1502193500061019180161150016041664166426342608292c15041500150200150015101502003c29061926000400"
    "00"
    "0026001c150c1935000610191801621500160416681668269c01266c292c15041500150200150015101502003c1604"
    "19"
    "061926000400000016cc011604260816cc0100192c26001c1502193500061019180161150016041664166426800226"
    "d4"
    "01292c15041500150200150015101502003c29061926000400000026001c150c193500061019180162150016041660"
    "16"
    "6026e00226b802292c15041500150200150015101502003c160419061926020200000016c401160426d40116c40100"
    "19"
    "2c26001c150219350006101918016115001602165c165c26bc03269803292c15041500150200150015101502003c29"
    "06"
    "1926000200000026001c150c19350006101918016215001602165e165e269a0426f403292c15041500150200150015"
    "10"
    "1502003c160219061926000200000016ba01160226980316ba01002820706172717565742d6370702d6172726f7720"
    "76"
    "657273696f6e2032352e302e31192c1c00001c000000";

// The same columns without a row: one group of none.
constexpr std::string_view kNoRows =
    "1504193c35001806736368656d611504001502250218016100150c250218016225004c1c0000001600191c192c2600"
    "1c"
    "1502192500061918016115021600161c161e26002608291c15041500150200000026001c150c192500061918016215"
    "02"
    "1600161c161e26002626291c150415001502000000163816002608163c002820706172717565742d6370702d617272"
    "6f"
    "772076657273696f6e2032352e302e31192c1c00001c000000";

// Small numbers in zigzag, one byte.
std::string number(int value) {
  return {static_cast<char>(value < 0 ? -2 * value - 1 : 2 * value)};
}

// The field `id` (by its number) of a struct with fields in rising order: 0x16 is an i64 one
// further than the last.
std::string i64(int step, int value) {
  return std::string(1, static_cast<char>(step << 4 | 6)) + number(value);
}
std::string list(int step, int size, int type = 12) {
  return {static_cast<char>(step << 4 | 9), static_cast<char>(size << 4 | type)};
}
std::string stop() { return {'\0'}; }

// A row group of one column: rows, what it says of its bytes, and what its column says.
std::string group(int rows, int bytes, int column_bytes) {
  const std::string column = "\x3c" + i64(7, column_bytes) + stop() + stop();
  return list(1, 1) + column + i64(2, rows) + (bytes < 0 ? "" : i64(3, bytes)) + stop();
}

std::string file_of(int rows, const std::vector<std::string>& groups) {
  std::string footer = i64(3, rows) + list(1, static_cast<int>(groups.size()));
  for (const std::string& one : groups) footer += one;
  return footer + stop();
}

std::string refusal(std::string_view footer) {
  const auto groups = parse_parquet_footer(footer);
  return groups ? "" : groups.error().message;
}

std::string tail_of(std::uint32_t length, std::string_view magic = "PAR1") {
  std::string tail(4, '\0');
  for (unsigned i = 0; i < 4; ++i) tail[i] = static_cast<char>(length >> (8 * i));
  return tail.append(magic);
}

std::string tail_refusal(std::string_view tail, std::uint64_t size) {
  const auto length = parquet_footer_length(tail, size);
  return length ? "" : length.error().message;
}

TEST(ParquetFooter, GivesTheRowGroupsThatAWriterMade) {
  const auto groups = parse_parquet_footer(from_hex(kThreeGroups));
  ASSERT_TRUE(groups) << groups.error().message;
  EXPECT_EQ(*groups, (std::vector<RowGroup>{{2, 102}, {2, 98}, {1, 93}}));
  const auto none = parse_parquet_footer(from_hex(kNoRows));
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_EQ(*none, (std::vector<RowGroup>{{0, 30}}));
}

TEST(ParquetFooter, TakesTheSizeOfAGroupAndElseThoseOfItsColumns) {
  const auto groups = parse_parquet_footer(file_of(6, {group(1, 5, 9), group(5, -1, 9)}));
  ASSERT_TRUE(groups) << groups.error().message;
  EXPECT_EQ(*groups, (std::vector<RowGroup>{{1, 5}, {5, 9}}));
  EXPECT_EQ(*parse_parquet_footer(file_of(1, {group(1, 0, 9)})), (std::vector<RowGroup>{{1, 9}}));
  EXPECT_TRUE(parse_parquet_footer(file_of(0, {}))->empty());
}

TEST(ParquetFooter, StepsOverEverythingThatItDoesNotKnow) {
  const std::string flags = {'\x11', '\x12'};                              // fields 1 and 2
  const std::string known = file_of(1, {group(1, 5, 5)}).substr(2);        // from the list on
  const std::string more = std::string("\x13\x7f", 2) +                    // a byte
                           std::string("\x17", 1) + std::string(8, 'd') +  // a double
                           "\x18\x02"
                           "ab" +  // text
                           "\x1a\x33"
                           "abc" +                       // a set of three bytes
                           "\x19\x21\x01\x02" +          // a list of two flags
                           std::string("\x1b\x00", 2) +  // an empty map
                           "\x1b\x01\x83\x01"
                           "ab" +  // a map from text to byte
                           "\x1d" +
                           std::string(16, 'u') +                           // a UUID
                           std::string("\x1c\x19\x1c\x15\x02\x00\x00", 7);  // a struct with a list
  const std::string far = std::string("\x05\x80\x08\x02", 4);               // field 512
  const std::string rows = i64(1, 1);
  const auto groups = parse_parquet_footer(flags + rows + known.substr(0, known.size() - 1) + more +
                                           far + stop() + "signature");
  ASSERT_TRUE(groups) << groups.error().message;
  EXPECT_EQ(*groups, (std::vector<RowGroup>{{1, 5}}));
}

TEST(ParquetFooter, EveryCutOffFooterIsRefused) {
  for (const std::string& whole : {from_hex(kThreeGroups), file_of(1, {group(1, 5, 5)})}) {
    ASSERT_EQ(refusal(whole), "");
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const std::string message = refusal(whole.substr(0, size));
      EXPECT_TRUE(message.starts_with("has a footer that cannot be read: ")) << message << size;
    }
  }
}

TEST(ParquetFooter, AFooterThatContradictsItselfIsRefused) {
  const std::string start = "has a footer that cannot be read: ";
  EXPECT_EQ(refusal(file_of(3, {group(1, 5, 5)})),
            "is a damaged Parquet file: its row groups have 1 rows, and its footer says 3");
  EXPECT_EQ(refusal(stop()), start + "it does not say which rows there are");
  EXPECT_EQ(refusal(i64(3, 1) + stop()), start + "it does not say which rows there are");
  EXPECT_EQ(refusal(list(4, 0) + stop()), start + "it does not say which rows there are");
  EXPECT_EQ(refusal(i64(3, 0) + list(1, 1) + stop() + stop()),
            start + "a row group does not say how many rows it has");
  EXPECT_EQ(refusal(file_of(0, {group(-1, 5, 5)})), start + "a size is below zero");
  EXPECT_EQ(refusal(i64(3, 0) + list(1, 2, 6) + "ab" + stop()),
            start + "a list holds something else");
  EXPECT_EQ(refusal(i64(3, 0) + i64(1, 0) + stop()), start + "a list is something else");
  EXPECT_EQ(refusal(list(3, 0) + stop()), start + "a number is something else");
  EXPECT_EQ(refusal(i64(3, 0) + list(1, 0) + std::string("\x09\x08\x0c", 3) + stop()),
            start + "it lists its row groups twice");
  const std::string elsewhere = list(1, 1) +
                                "\x18\x01"
                                "f" +
                                stop() + i64(2, 1) + stop();
  EXPECT_EQ(refusal(file_of(1, {elsewhere})), start + "its columns lie in other files");
}

TEST(ParquetFooter, HostileLengthsAndDepthsAreRefused) {
  const std::string start = "has a footer that cannot be read: ";
  const std::string huge = "\xff\xff\xff\xff\xff\xff\xff\xff\x7f";
  EXPECT_EQ(refusal(i64(3, 1) + "\x19\xfc" + huge), start + "a list is longer than the footer");
  EXPECT_EQ(refusal("\x19\xfc" + huge), start + "a list is longer than the footer");
  EXPECT_EQ(refusal("\x1b" + huge + "\x33"), start + "a list is longer than the footer");
  EXPECT_EQ(refusal("\x18" + huge), start + "it ends before it should");
  EXPECT_EQ(refusal(std::string("\x19\x20\x00\x00", 4)),
            start + "a list holds nothing that can be");
  EXPECT_EQ(refusal(std::string("\x1b\x01\x30\x00", 4)), start + "a map holds nothing that can be");
  EXPECT_EQ(refusal(std::string(100000, '\x1c')), start + "it is nested too deep");
  EXPECT_EQ(refusal("\x19" + std::string(100000, '\x19')), start + "it is nested too deep");
  EXPECT_EQ(refusal("\x1e"), start + "unknown type");
  EXPECT_EQ(refusal(std::string("\x05\x00", 2)), start + "a field has a number that cannot be");
  EXPECT_EQ(refusal("\x05" + huge), start + "a field has a number that cannot be");

  const std::string largest = "\x36\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01";
  const std::string rows = std::string(largest).replace(0, 1, "\x26");
  const std::string giant = list(1, 0) + rows + stop();
  EXPECT_EQ(refusal(largest + list(1, 2) + giant + giant + stop()),
            start + "its sizes do not add up to a number");
}

TEST(ParquetFooter, TheTailSaysHowLongTheFooterIs) {
  EXPECT_EQ(*parquet_footer_length(tail_of(454), 759), 454U);
  EXPECT_EQ(*parquet_footer_length("longer" + tail_of(747), 759), 747U);
}

TEST(ParquetFooter, WhatIsNoParquetFileIsRefusedByItsTail) {
  EXPECT_EQ(tail_refusal("", 0), "is not a Parquet file: it is empty");
  EXPECT_EQ(tail_refusal("PAR1PAR1", 8), "is not a Parquet file: it has 8 bytes");
  EXPECT_EQ(tail_refusal("PAR1", 100), "is not a Parquet file: it has 100 bytes");
  EXPECT_EQ(tail_refusal(tail_of(10, "PARE"), 100),
            "is an encrypted Parquet file; allowed are those that are not");
  EXPECT_EQ(tail_refusal(tail_of(10, "a,1\n"), 100),
            "is not a Parquet file, or was cut off: it ends in 'a,1\\n' and not in 'PAR1'");
  EXPECT_EQ(tail_refusal(tail_of(89), 100),
            "is a damaged Parquet file: its footer should have 89 bytes, and it has 100 in all");
  EXPECT_EQ(tail_refusal(tail_of(0), 100),
            "is a damaged Parquet file: its footer should have 0 bytes, and it has 100 in all");
  EXPECT_EQ(tail_refusal(tail_of(0x40000001), std::uint64_t{1} << 33U),
            "has a footer that is too large: 1.0 GB; allowed is 1.0 GB");
}

}  // namespace
}  // namespace windrow
