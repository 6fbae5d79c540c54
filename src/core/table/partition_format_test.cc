// SPDX-License-Identifier: Apache-2.0
#include "core/table/partition_format.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace windrow {
namespace {

// The values joined by '|', or the refusal.
std::string values(std::string_view format, std::string_view path) {
  const auto parsed = PartitionFormat::parse(format);
  if (!parsed) return parsed.error().message;
  const auto found = parsed->match(path);
  return found ? fmt::format("{}", fmt::join(*found, "|")) : found.error().message;
}

std::string refusal(std::string_view format) {
  const auto parsed = PartitionFormat::parse(format);
  return parsed ? "" : parsed.error().message;
}

std::string hive(std::string_view path) {
  const auto found = match_hive(path);
  if (!found) return found.error().message;
  std::string text;
  for (const auto& [key, value] : *found) text += fmt::format("{}:{} ", key, value);
  return text;
}

struct Case {
  const char* format;
  const char* path;
  const char* values;
};

TEST(PartitionFormat, NamesItsKeysInTheirOrder) {
  const auto format = PartitionFormat::parse("/{Region}/{Day:yyyy/MM/dd}/{the file}.csv");
  ASSERT_TRUE(format) << format.error().message;
  EXPECT_EQ(format->keys(), (std::vector<std::string>{"Region", "Day", "the file"}));
}

TEST(PartitionFormat, TakesValuesFromTheEndOfThePath) {
  for (const Case& one :
       std::initializer_list<Case>{{"/{Region}/{Day:yyyy/MM/dd}/data.csv",
                                    "base/North/2020/03/01/data.csv",
                                    "North|2020-03-01"},
                                   {"/{a}/{b}.csv", "q/w/xy.csv", "w|xy"},
                                   {"{a}/{b}.csv", "q/w/xy.csv", "w|xy"},
                                   {"/{a}/{b}.csv", "w/xy.csv", "w|xy"},
                                   {"/{a}/{b}.csv", "/w/xy.csv", "w|xy"},
                                   {"/q/{a}/{b}.csv", "q/w/xy.csv", "w|xy"},
                                   {"/{a}/{b}", "q/w/xy.csv", "w|xy.csv"},
                                   {"/{a}.{b}", "q/x.tar.gz", "x.tar|gz"},
                                   {"/q/{a}.csv", "q/w/q/xy.csv", "xy"},
                                   {"x{a}.csv", "q/axbxc.csv", "bxc"},
                                   {"/{a}.csv", "q/\xc3\xbc.csv", "\xc3\xbc"},
                                   {"/(w)+?[a]/{b}.csv", "(w)+?[a]/x.csv", "x"}}) {
    EXPECT_EQ(values(one.format, one.path), one.values) << one.format << " " << one.path;
  }
}

TEST(PartitionFormat, TheFirstOfSeveralKeysInANameGetsMost) {
  EXPECT_EQ(values("/{a}_{b}.csv", "q/x_y_z.csv"), "x_y|z");
  EXPECT_EQ(values("/{a}{b}.csv", "q/wxyz.csv"), "wxy|z");
  EXPECT_EQ(values("/{a}{b}{c}.csv", "q/wxyz.csv"), "wx|y|z");
  EXPECT_EQ(values("{a}_{b}_{c}", "1_2_3_4_5"), "1_2_3|4|5");
  EXPECT_EQ(values("/{a}__{b}", "x___y"), "x_|y");
}

TEST(PartitionFormat, AKeyHoldsAtLeastOneCharacterOfOneName) {
  for (const auto& [format, path] : std::initializer_list<std::pair<const char*, const char*>>{
           {"/{f}.bin", "q/xy.csv"},
           {"/{a}/{b}.csv", "xy.csv"},
           {"/q/{a}/{b}.csv", "q/e/w/xy.csv"},
           {"/zz{a}/{b}.csv", "q/w/xy.csv"},
           {"/{a}.csv", "q/.csv"},
           {"/{a}_{b}.csv", "q/_y.csv"},
           {"/{a}_{b}.csv", "x_/y.csv"},
           {"/{a}_{b}.csv", "x_/.csv"},
           {"/{a}.CSV", "q/xy.csv"},
           {"/{a}xcsv", "q/xy.csv"},
           {"/{a}/x", "q/w/xy.csv"},
           {"{a}", ""}}) {
    EXPECT_EQ(values(format, path),
              fmt::format("'{}' does not match the partition format '{}'", path, format));
  }
}

TEST(PartitionFormat, EndsWhereAFolderEndsWhenItDoesNotReachTheEnd) {
  EXPECT_EQ(values("/puYear={year}/puMonth={month}", "green/puYear=2015/puMonth=3/part-0.parquet"),
            "2015|3");
  EXPECT_EQ(values("/y={y}", "y=1/y=2/part-0.parquet"), "2");
  EXPECT_EQ(values("/{a}/", "q/w/x.csv"), "w");
  EXPECT_EQ(values("{Day:yyyy/MM}/", "2020/03/01/x.csv"), "2020-03-01");
  EXPECT_EQ(values("/{d:yyyy/MM/dd}", "2020/03/01/x.csv"), "2020-03-01");
}

TEST(PartitionFormat, AStarStandsForAnyCharactersOfOneName) {
  EXPECT_EQ(values("/{user}/*.wav", "u1/a.wav"), "u1");
  EXPECT_EQ(values("/{user}/*", "u1/a.wav"), "u1");
  EXPECT_EQ(values("/{user}/*/*", "u1/b/a.wav"), "u1");
  EXPECT_EQ(values("/*_{b}.csv", "a_b_c.csv"), "c");
  EXPECT_EQ(values("/{b}*.csv", "abc.csv"), "abc");
  EXPECT_EQ(values("/{*}/{a}", "w/x"), "w|x");
}

TEST(PartitionFormat, DatesAreWrittenInManyWays) {
  for (const Case& one : std::initializer_list<Case>{
           {"{d:yyyy}.csv", "2020.csv", "2020-01-01"},
           {"{d:yyyy-MM}.csv", "2020-03.csv", "2020-03-01"},
           {"{d:yyyyMMdd}.csv", "20200301.csv", "2020-03-01"},
           {"{d:yyyyMMdd}.csv", "data-20200301.csv", "2020-03-01"},
           {"{d:yyyy_MM_dd}.csv", "2020_03_01.csv", "2020-03-01"},
           {"{d:yyyy.MM.dd}.csv", "2020.03.01.csv", "2020-03-01"},
           {"{d:yyyy/MM/dd/HH}.csv", "2020/03/01/04.csv", "2020-03-01T04:00:00"},
           {"{d:yyyy/MM/dd/HH/mm}.csv", "2020/03/01/04/05.csv", "2020-03-01T04:05:00"},
           {"{d:yyyy/MM/dd/HH/mm/ss}.csv", "2020/03/01/04/05/06.csv", "2020-03-01T04:05:06"},
           {"{d:yyyyMMddHHmmss}.csv", "20200301040506.csv", "2020-03-01T04:05:06"},
           {"{d:yyyy-MM-ddTHH-mm}.csv", "2020-03-01T04-05.csv", "2020-03-01T04:05:00"},
           {"{d:yyyy-MM-dd HH}.csv", "2020-03-01 04.csv", "2020-03-01T04:00:00"},
           {"{d:yyyy-MMdd}.csv", "2020-0301.csv", "2020-03-01"},
           {"/{d:yyyyMMdd}{b}.csv", "20200203b.csv", "2020-02-03|b"},
           {"/{b}{d:yyyyMMdd}.csv", "120200203.csv", "1|2020-02-03"},
           {"/{b}_{d:yyyyMMdd}_{c}.csv", "1_20200203_20200204_2.csv", "1_20200203|2020-02-04|2"},
           {"/{a:yyyyMMdd}-{b:yyyyMMdd}", "20200203-20200204", "2020-02-03|2020-02-04"},
           {"/{d:yyyy/MM/dd}", "2000/02/29", "2000-02-29"}}) {
    EXPECT_EQ(values(one.format, one.path), one.values) << one.format << " " << one.path;
  }
}

TEST(PartitionFormat, WhatIsNoDateDoesNotMatch) {
  const std::string format = "/{d:yyyy/MM/dd}/{b}.csv";
  for (const char* date : {"2020/3/1", "20200/02/03", "abcd/02/03", "2020-02-03"}) {
    const std::string path = fmt::format("{}/x.csv", date);
    EXPECT_EQ(values(format, path),
              fmt::format("'{}' does not match the partition format '{}'", path, format));
  }
  for (const char* date : {"2020/13/01", "2020/00/01", "2021/02/29", "1900/02/29", "0000/01/01"}) {
    const std::string path = fmt::format("{}/x.csv", date);
    EXPECT_EQ(values(format, path),
              fmt::format("'{}' does not match the partition format '{}': '{}' is not a date",
                          path,
                          format,
                          date));
  }
  EXPECT_EQ(
      values("{d:yyyyMMddHH}", "2020030124"),
      "'2020030124' does not match the partition format '{d:yyyyMMddHH}': '2020030124' is not a "
      "date");
  EXPECT_NE(values("{d:yyyyMMddHHmm}", "202003012360"), "2020-03-01T23:60:00");
  EXPECT_NE(values("{d:yyyyMMddHHmmss}", "20200301235960"), "2020-03-01T23:59:60");
}

TEST(PartitionFormat, ValuesArePercentDecodedWhereThatGivesText) {
  const auto decoded = [](const char* text) {
    return values("/k={a}/{f}.csv", fmt::format("k={}/x.csv", text));
  };
  EXPECT_EQ(decoded("a%20b"), "a b|x");
  EXPECT_EQ(decoded("a%2fb%2Fc"), "a/b/c|x");
  EXPECT_EQ(decoded("%C3%BC"), "\xc3\xbc|x");
  EXPECT_EQ(decoded("50%"), "50%|x");
  EXPECT_EQ(decoded("%4"), "%4|x");
  EXPECT_EQ(decoded("%zz%41"), "%zzA|x");
  EXPECT_EQ(decoded("a%00b"), "a%00b|x");
  EXPECT_EQ(decoded("%FF%41"), "%FF%41|x");
}

TEST(PartitionFormat, WhatIsNoFormatIsRefused) {
  const std::string dates =
      "; allowed is yyyy, then MM, dd, HH, mm and ss as far as wanted, with '/', '-', '_', '.', "
      "'T', a space or nothing between them";
  EXPECT_EQ(refusal(""),
            "'' is not a partition format: it has no key; one is needed, as in "
            "/{Region}/{Day:yyyy/MM/dd}/data.csv");
  EXPECT_EQ(refusal("/*/b.csv").substr(0, 51),
            "'/*/b.csv' is not a partition format: it has no key");
  EXPECT_EQ(refusal("/{a"),
            "'/{a' is not a partition format: the '{' at character 2 has no '}' after it");
  EXPECT_EQ(refusal("/{a{b}}"),
            "'/{a{b}}' is not a partition format: the '{' at character 2 has no '}' after it");
  EXPECT_EQ(refusal("/a}/{b}"),
            "'/a}/{b}' is not a partition format: the '}' at character 3 has no '{' before it");
  EXPECT_EQ(refusal("/{}/x"),
            "'/{}/x' is not a partition format: the key at character 2 has no name");
  EXPECT_EQ(refusal("{:yyyy}"),
            "'{:yyyy}' is not a partition format: the key at character 1 has no name");
  EXPECT_EQ(refusal("/{a}/{a:yyyy}"),
            "'/{a}/{a:yyyy}' is not a partition format: the key 'a' is there twice");
  EXPECT_EQ(refusal(std::string(5000, 'x')).substr(84),
            "' is not a partition format: it has 5000 characters, allowed are 4096");
  for (const char* date : {"",
                           "int",
                           "MM",
                           "yy-MM",
                           "yyyy/M/d",
                           "yyyy/dd",
                           "YYYY",
                           "yyyy/yyyy",
                           " yyyy",
                           "yyyy/",
                           "yyyy//MM",
                           "yyyyMMddHHmmssf",
                           "dd-MM-yyyy"}) {
    EXPECT_EQ(
        refusal(fmt::format("/{{d:{}}}/x", date)),
        fmt::format("'/{{d:{}}}/x' is not a partition format: '{}' of the key at character 2 is "
                    "not a date{}",
                    date,
                    date,
                    dates));
  }
}

TEST(PartitionFormat, ALongPathDoesNotTakeLong) {
  std::string format;
  for (int i = 0; i < 500; ++i) format += fmt::format("{{{}}}a", i);
  const std::string many_a(4000, 'a');
  EXPECT_EQ(PartitionFormat::parse(format)->match(many_a)->front().size(), 3001U);
  EXPECT_FALSE(PartitionFormat::parse(format)->match(many_a + "b"));
  std::string slashes;
  for (int i = 0; i < 2000; ++i) slashes += "a/";
  EXPECT_FALSE(PartitionFormat::parse(format)->match(slashes));
}

TEST(PartitionFormat, FoldersNamedByKeyAndValueGiveBoth) {
  EXPECT_EQ(hive("t/year=2015/month=3/part-0.parquet"), "year:2015 month:3 ");
  EXPECT_EQ(hive("/k=a=b/x"), "k:a=b ");
  EXPECT_EQ(hive("k=/x"), "k: ");
  EXPECT_EQ(hive("a%20b=%2F%C3%BC/x"), "a b:/\xc3\xbc ");
  EXPECT_EQ(hive("=1/plain/f=1.csv"), "");
  EXPECT_EQ(hive(""), "");
  EXPECT_EQ(hive("a=1/b/a=2/x"), "'a=1/b/a=2/x' has two folders for the key 'a'");
}

}  // namespace
}  // namespace windrow
