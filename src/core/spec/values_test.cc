// SPDX-License-Identifier: Apache-2.0
#include "core/spec/values.h"

#include <string>

#include <gtest/gtest.h>

namespace windrow {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

template <class T>
std::string why(const Result<T>& result) {
  return result ? "accepted" : result.error().message;
}

std::string threshold(std::string_view text) {
  const Result<std::int64_t> value = parse_integer(text, {-1, kIntMax});
  return value ? std::to_string(*value) : value.error().message;
}

TEST(ParseInteger, TakesTheRangeAndNothingBesideIt) {
  EXPECT_EQ(threshold("-2"), "-2 is out of range; allowed is -1 to 2147483647");
  EXPECT_EQ(threshold("-1"), "-1");
  EXPECT_EQ(threshold("0"), "0");
  EXPECT_EQ(threshold("2147483647"), "2147483647");
  EXPECT_EQ(threshold("2147483648"), "2147483648 is out of range; allowed is -1 to 2147483647");
  EXPECT_EQ(threshold("99999999999999999999"),
            "99999999999999999999 is out of range; allowed is -1 to 2147483647");
  EXPECT_EQ(threshold(" +7 "), "7");
  EXPECT_EQ(threshold("007"), "7");
}

TEST(ParseInteger, RefusesWhatIsNoWholeNumber) {
  for (const char* bad : {"",
                          " ",
                          "abc",
                          "1.5",
                          "1e3",
                          "0x10",
                          "1_000",
                          "--1",
                          "+-1",
                          "-+1",
                          "-",
                          "+",
                          "nan",
                          "NaN",
                          "inf",
                          "null",
                          "~",
                          "1 2",
                          "\xd9\xa1"}) {
    EXPECT_TRUE(threshold(bad).find("is not a whole number; allowed is -1 to 2147483647") !=
                std::string::npos)
        << bad << ": " << threshold(bad);
  }
}

TEST(ParseSeconds, TakesMoreThanZeroUpToThreeDays) {
  EXPECT_EQ(why(parse_seconds("0")),
            "0 is out of range; allowed is more than 0 up to 259200 seconds");
  EXPECT_EQ(why(parse_seconds("-1")),
            "-1 is out of range; allowed is more than 0 up to 259200 seconds");
  EXPECT_EQ(why(parse_seconds("0.000000000")),
            "0.000000000 is out of range; allowed is more than 0 up to 259200 seconds");
  EXPECT_EQ(*parse_seconds("0.000000001"), nanoseconds(1));
  EXPECT_EQ(*parse_seconds("1"), seconds(1));
  EXPECT_EQ(*parse_seconds(" 1.5 "), milliseconds(1500));
  EXPECT_EQ(*parse_seconds("259200"), seconds(259200));
  EXPECT_NE(why(parse_seconds("259200.000000001")), "accepted");
  EXPECT_NE(why(parse_seconds("259201")), "accepted");
  EXPECT_NE(why(parse_seconds("99999999999999999999999")), "accepted");
}

TEST(ParseSeconds, RefusesWhatIsNoNumber) {
  for (const char* bad : {"",
                          "abc",
                          "nan",
                          "NaN",
                          ".nan",
                          "inf",
                          "1e3",
                          "1.",
                          ".5",
                          ".",
                          "1.2.3",
                          "1s",
                          "60 s",
                          "0x1",
                          "--1",
                          "null",
                          "0.0000000001"}) {
    EXPECT_NE(why(parse_seconds(bad)), "accepted") << bad;
  }
}

TEST(SecondsText, IsShortAndReadsBackTheSame) {
  EXPECT_EQ(seconds_text(seconds(60)), "60");
  EXPECT_EQ(seconds_text(milliseconds(1500)), "1.5");
  EXPECT_EQ(seconds_text(nanoseconds(1)), "0.000000001");
  for (const std::int64_t count :
       {1LL, 999999999LL, 1000000000LL, 1000000010LL, 259199999999999LL}) {
    EXPECT_EQ(*parse_seconds(seconds_text(nanoseconds(count))), nanoseconds(count));
  }
}

TEST(ParseSize, UnderstandsTheWholeSyntax) {
  EXPECT_EQ(*parse_size("10"), (SizeCaps{.plain = 10}));
  EXPECT_EQ(*parse_size(" 10 Files "), (SizeCaps{.files = 10}));
  EXPECT_EQ(*parse_size("500 rows"), (SizeCaps{.rows = 500}));
  EXPECT_EQ(*parse_size("7b"), (SizeCaps{.bytes = 7}));
  EXPECT_EQ(*parse_size("1KB"), (SizeCaps{.bytes = 1024}));
  EXPECT_EQ(*parse_size("1024KB"), (SizeCaps{.bytes = 1048576}));
  EXPECT_EQ(*parse_size("100 kb"), (SizeCaps{.bytes = 102400}));
  EXPECT_EQ(*parse_size("10Mb"), (SizeCaps{.bytes = 10485760}));
  EXPECT_EQ(*parse_size("1GB"), (SizeCaps{.bytes = 1073741824}));
  EXPECT_EQ(*parse_size("10 files, 1MB,5 rows"),
            (SizeCaps{.files = 10, .bytes = 1048576, .rows = 5}));
}

TEST(ParseSize, RefusesWhatIsNoSize) {
  for (const char* bad : {"",
                          " ",
                          "kb",
                          "10kbmb",
                          "10 kb mb",
                          "0",
                          "0kb",
                          "-1",
                          "-1kb",
                          "+1",
                          "1.5mb",
                          "1e3",
                          "10,",
                          ",10",
                          "10,,5 rows",
                          "1kb,2mb",
                          "1 files, 2 files",
                          "nan",
                          "10 apples",
                          "18446744073709551616",
                          "9223372036854775807kb",
                          "0x10"}) {
    EXPECT_NE(why(parse_size(bad)), "accepted") << bad;
  }
}

// C102
TEST(ParseBatchSize, TakesFilesAndBytes) {
  EXPECT_EQ(parse_batch_size("1")->files, 1U);
  EXPECT_EQ(parse_batch_size("10 files")->files, 10U);
  EXPECT_EQ(parse_batch_size("2147483647")->files, 2147483647U);
  EXPECT_EQ(*parse_batch_size("1KB"), (BatchSize{kIntMax, 1024}));
  EXPECT_EQ(*parse_batch_size("100 kb"), (BatchSize{kIntMax, 102400}));
  EXPECT_EQ(*parse_batch_size("10 files, 1MB"), (BatchSize{10, 1U << 20U}));
  EXPECT_EQ(*parse_batch_size("1gb,3"), (BatchSize{3, 1U << 30U, std::nullopt, true}));
  EXPECT_EQ(*parse_batch_size("500 rows"), (BatchSize{kIntMax, std::nullopt, 500}));
  EXPECT_EQ(*parse_batch_size("500 rows, 1MB"), (BatchSize{kIntMax, 1U << 20U, 500}));
  EXPECT_EQ(why(parse_batch_size("2147483648")),
            "2147483648 is out of range; allowed is 1 to 2147483647");
  EXPECT_EQ(why(parse_batch_size("0")), "'0' is out of range; at least 1");
  EXPECT_EQ(why(parse_batch_size("10 apples")),
            "'10 apples' is not a size; allowed is a number with b, kb, mb, gb, files, rows or "
            "nothing, as in 10 or 10 files, 1MB");
  EXPECT_EQ(why(parse_batch_size("10, 5 files")), "'10, 5 files' counts files twice");
  EXPECT_EQ(why(parse_batch_size("2147483648 rows")),
            "'2147483648 rows': allowed is 1 to 2147483647 rows");
}

TEST(BatchSizeText, ReadsBack) {
  for (const BatchSize& size : {BatchSize{1, std::nullopt},
                                BatchSize{kIntMax, std::nullopt},
                                BatchSize{kIntMax, 1},
                                BatchSize{kIntMax, 1025},
                                BatchSize{kIntMax, 4096, 10},
                                BatchSize{kIntMax, std::nullopt, 3},
                                BatchSize{7, 3U << 20U}}) {
    BatchSize read = *parse_batch_size(batch_size_text(size));
    read.bare = false;  // files are not always said
    EXPECT_EQ(read, size) << batch_size_text(size);
  }
}

TEST(ParseLoggingLevel, TakesAnyLetterCase) {
  EXPECT_EQ(*parse_logging_level("info"), LoggingLevel::kInfo);
  EXPECT_EQ(*parse_logging_level("Warning"), LoggingLevel::kWarning);
  EXPECT_EQ(*parse_logging_level("DEBUG"), LoggingLevel::kDebug);
  EXPECT_EQ(why(parse_logging_level("loud")),
            "'loud' is not a level; allowed is WARNING, INFO or DEBUG");
}

TEST(BindingName, IsAnIdentifier) {
  for (const char* good : {"a", "A_1", "_x"}) EXPECT_EQ(why(check_binding_name(good)), "accepted");
  for (const char* bad : {"", "1a", "a-b", "a.b", "a b", "\xc3\xa4"}) {
    EXPECT_NE(why(check_binding_name(bad)), "accepted") << bad;
  }
}

}  // namespace
}  // namespace windrow
