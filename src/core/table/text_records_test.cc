// SPDX-License-Identifier: Apache-2.0
#include "core/table/text_records.h"

#include <vector>

#include <gtest/gtest.h>

namespace windrow {
namespace {

// Where each row ends; the text comes in chunks of that size.
std::vector<std::size_t> row_ends(std::string_view text, const TextRules& rules, std::size_t size) {
  RecordScanner scanner(rules);
  std::vector<std::size_t> ends;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::string_view chunk = text.substr(at, size);
    for (std::size_t used = 0; used < chunk.size();) {
      used += scanner.take(chunk.substr(used));
      if (scanner.ended_row()) ends.push_back(at + used);
    }
    at += chunk.size();
  }
  scanner.finish();
  if (scanner.ended_row()) ends.push_back(text.size());
  return ends;
}

using Ends = std::vector<std::size_t>;

void expect_ends(std::string_view text, const TextRules& rules, const Ends& ends) {
  for (std::size_t size = 1; size <= text.size() + 1; ++size) {
    EXPECT_EQ(row_ends(text, rules, size), ends) << text << " in chunks of " << size;
  }
}

TEST(RecordScanner, ALineIsARow) {
  expect_ends("a,b\n1,2\n3,4\n", {}, {8, 12});
  expect_ends("a,b\n1,2\n3,4", {}, {8, 11});
  expect_ends("1,2\n3,4\n", {.header = false}, {4, 8});
  expect_ends("a\r\n1\r\n2\r\n", {}, {6, 9});
  expect_ends("", {}, {});
  expect_ends("a,b\n", {}, {});
}

TEST(RecordScanner, BlankLinesCommentsAndSkippedLinesAreNone) {
  expect_ends("\n \na\n\n1\n \r\n\t\n2", {}, {8, 14});
  expect_ends("#x\na\n#1\n1\n", {.comment = "#"}, {10});
  expect_ends("//x\na\n/1\n//\n1", {.comment = "//"}, {9, 13});
  expect_ends("x\ny\na\n1\n", {.skip_lines = 2}, {8});
  expect_ends("\"x\na\n1\n2\n", {.multi_line = true, .skip_lines = 1}, {7, 9});
}

TEST(RecordScanner, ATabThatSeparatesIsNoBlank) {
  expect_ends("a\tb\n\t\n1\t2\n", {.delimiter = '\t'}, {6, 10});
}

TEST(RecordScanner, AByteOrderMarkBelongsToNoLine) {
  expect_ends("\xef\xbb\xbf#x\na\n1\n", {.comment = "#"}, {10});
  expect_ends("\xef\xbb\xbf \na\n1\n", {}, {9});
  expect_ends("\xef\xbb\xbf\"\na\n1\n2\n", {.multi_line = true, .skip_lines = 1}, {9, 11});
  // Half of one is text of another encoding.
  expect_ends("\xef\n\xef\xbb\n1", {}, {5, 6});
  expect_ends("\xef\xbb#\n1\n", {.comment = "#"}, {6});
  expect_ends("\xef", {.header = false}, {1});
  expect_ends("\xef\"\n\"\n", {.header = false, .multi_line = true}, {3, 5});
}

TEST(RecordScanner, QuotedLineBreaksStayWithinTheirRow) {
  const TextRules rules{.multi_line = true};
  expect_ends("a,b\n\"1\n1\",2\n3,\"4\n\"\n", rules, {12, 19});
  expect_ends("a\n\"x\"\"\n\"\n1\n", rules, {9, 11});
  expect_ends("a\nx\"y\n1\n", rules, {6, 8});  // a quote within a field is a character
  expect_ends("a\n\"x\"y\n1\n", rules, {7, 9});
  expect_ends("a\n\"x\n1\n", rules, {7});  // never closed
  expect_ends("\xef\xbb\xbf\"a\nb\"\n1\n", rules, {11});
  expect_ends("a\n\"x\n1\n", {}, {5, 7});  // line breaks always count
}

}  // namespace
}  // namespace windrow
