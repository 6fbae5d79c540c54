// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace windrow {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Text, KnowsWhichBytesAreUtf8) {
  EXPECT_EQ(utf8_length("a"), 1U);
  EXPECT_EQ(utf8_length("\xc3\xa4"), 2U);
  EXPECT_EQ(utf8_length("\xe2\x82\xac"), 3U);
  EXPECT_EQ(utf8_length("\xf0\x9f\x8c\xbe"), 4U);
  EXPECT_EQ(utf8_length("\xf4\x8f\xbf\xbf"), 4U) << "U+10FFFF";
  for (const std::string_view bad : {"",
                                     "\x80",
                                     "\xc3",
                                     "\xc0\x80",
                                     "\xc1\xbf",
                                     "\xe0\x80\x80",
                                     "\xed\xa0\x80",
                                     "\xed\xbf\xbf",
                                     "\xf0\x80\x80\x80",
                                     "\xf4\x90\x80\x80",
                                     "\xf8\x88\x80\x80",
                                     "\xff",
                                     "\xe2\x82"}) {
    EXPECT_EQ(utf8_length(bad), 0U) << escape_bytes(bad);
  }
  EXPECT_EQ(utf8_length("\xed\x9f\xbf"), 3U) << "the last before the surrogates";
  EXPECT_EQ(utf8_length("\xee\x80\x80"), 3U) << "the first after the surrogates";
}

TEST(Text, FindsTheFirstByteThatIsNotUtf8) {
  EXPECT_EQ(find_invalid_utf8("gr\xc3\xbcn"), std::string_view::npos);
  EXPECT_EQ(find_invalid_utf8("gr\xfcn"), 2U);
  EXPECT_EQ(find_invalid_utf8("ab\xe2\x82"), 2U);
}

TEST(Text, EscapesWhatATerminalMustNotSee) {
  EXPECT_EQ(escape_bytes("a\nb\tc\rd\x1b[31m\x7f"), "a\\nb\\tc\\rd\\x1b[31m\\x7f");
  EXPECT_EQ(escape_bytes("\xff\\"), "\\xff\\\\");
  EXPECT_EQ(escape_bytes(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(escape_bytes("gr\xc3\xbcn"), "gr\xc3\xbcn");
}

TEST(Text, QuotesAndCutsLongTextBetweenCharacters) {
  EXPECT_EQ(in_quotes("abc"), "'abc'");
  EXPECT_EQ(path_in_quotes(std::string(300, 'x') + "\n"), "'" + std::string(300, 'x') + "\\n'");
  EXPECT_EQ(in_quotes(std::string(80, 'x')), "'" + std::string(80, 'x') + "'");
  EXPECT_EQ(in_quotes(std::string(81, 'x')), "'" + std::string(80, 'x') + "...'");
  EXPECT_EQ(in_quotes(std::string(79, 'x') + "\xe2\x82\xac"), "'" + std::string(79, 'x') + "...'");
}

TEST(Text, CountsTheEditsBetweenTwoWords) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("naem", "name"), 1U) << "a swap is one edit";
  EXPECT_EQ(edit_distance("mini_batch_sise", "mini_batch_size"), 1U);
}

TEST(Text, OffersTheNearestNameAndNoneWhenAllAreFar) {
  constexpr std::array<std::string_view, 4> kNames = {"name", "tags", "inputs", "input_data"};
  EXPECT_EQ(nearest_name("naem", kNames), "name");
  EXPECT_EQ(nearest_name("Inputs", kNames), "inputs");
  EXPECT_EQ(nearest_name("inputdata", kNames), "input_data");
  EXPECT_EQ(nearest_name("colour", kNames), std::nullopt);
  EXPECT_EQ(nearest_name("", kNames), std::nullopt);
  EXPECT_EQ(nearest_name(std::string(1 << 20, 'a'), kNames), std::nullopt);
  EXPECT_EQ(nearest_name("xy", {}), std::nullopt);
}

TEST(Text, SaysDurationsInTheUnitThatFits) {
  EXPECT_EQ(human_duration(Duration::zero()), "0 us");
  EXPECT_EQ(human_duration(microseconds(850)), "850 us");
  EXPECT_EQ(human_duration(milliseconds(999)), "999 ms");
  EXPECT_EQ(human_duration(milliseconds(3450)), "3.4 s");
  EXPECT_EQ(human_duration(milliseconds(9999)), "9.9 s");
  EXPECT_EQ(human_duration(seconds(59)), "59 s");
  EXPECT_EQ(human_duration(seconds(125)), "2 min 5 s");
  EXPECT_EQ(human_duration(hours(1)), "1 h 0 min");
  EXPECT_EQ(human_duration(hours(76)), "3 d 4 h");
  EXPECT_EQ(human_duration(-seconds(5)), "-5.0 s");
  EXPECT_EQ(human_duration(Duration::min()), "-106751 d 23 h");
}

TEST(Text, GroupsTheDigitsOfCounts) {
  EXPECT_EQ(human_count(0), "0");
  EXPECT_EQ(human_count(999), "999");
  EXPECT_EQ(human_count(1000), "1,000");
  EXPECT_EQ(human_count(18446744073709551615ULL), "18,446,744,073,709,551,615");
}

TEST(Text, SaysBytesInUnitsOf1024) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1536), "1.5 KB");
  EXPECT_EQ(human_bytes((1ULL << 20U) - 1), "1.0 MB");
  EXPECT_EQ(human_bytes(18446744073709551615ULL), "16384.0 PB");
}

TEST(Text, TrimsAndLowersAsciiOnly) {
  EXPECT_EQ(trimmed(" \t a b \r\n"), "a b");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(lower_case("InFo\xc3\x84"), "info\xc3\x84");
}

}  // namespace
}  // namespace windrow
