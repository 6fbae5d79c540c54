// SPDX-License-Identifier: Apache-2.0
#include "core/output/report_row.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace windrow {
namespace {

fact::AttemptEnded done() {
  fact::AttemptEnded ended;
  ended.record.token = {1, 7, 2};
  ended.record.process = 3;
  ended.record.returned = 2;
  ended.record.start = {1794725093123456789};
  ended.record.elapsed_us = 1234567;
  ended.record.run_us = 1200000;
  ended.record.cpu_us = 5;
  ended.succeeded = 2;
  return ended;
}

const std::string kNames("a.txt\0b.txt", 11);

TEST(ReportRows, HaveAllColumnsInOrder) {
  std::string out;
  ReportRows().append(done(), {2, "/in", kNames}, out);
  EXPECT_EQ(out,
            "7,2,0,127.0.0.1,process003,2026-11-15T06:44:53.123456Z,2,2,0,1.234567,0.000005,"
            "1.200000,RUN_DONE,,,\"{\"\"id\"\":7,\"\"root\"\":\"\"/in\"\",\"\"minibatch\"\":"
            "[\"\"a.txt\"\",\"\"b.txt\"\"]}\"\n");
}

TEST(ReportRows, WriteNamesThatAreNotUtf8AsPercentEncodedBytes) {
  std::string out;
  ReportRows().append(done(), {1, "/in", "\xff\"\n"}, out);
  EXPECT_NE(out.find("[\"\"%FF\\\"\"\\n\"\"]"), std::string::npos) << out;
}

TEST(ReportRows, EscapeWhateverJsonAndCsvWouldMisread) {
  for (const std::string odd : {"\"", "\\", "\x01", "\x1f", "\xc3\xa9"}) {
    for (std::size_t at = 0; at < 20; ++at) {
      std::string name = "abcdefghijklmnopqrst";
      name.insert(at, odd);
      std::string out;
      ReportRows().append(done(), {1, "/in", name}, out);
      const bool as_is = out.find("\"\"" + name + "\"\"") != std::string::npos;
      EXPECT_EQ(as_is, odd == "\xc3\xa9") << out;
    }
  }
}

TEST(ReportRows, QuoteAnErrorWithCommasAndLineBreaks) {
  fact::AttemptEnded failed = done();
  failed.verdict = Verdict::kRetry;
  failed.succeeded = 0;
  failed.record.status = AttemptStatus::kRunException;
  failed.record.error_type = "ValueError";
  failed.record.error_message = "a, \"b\"\nc";
  std::string out;
  ReportRows().append(failed, {2, "/in", kNames}, out);
  EXPECT_NE(out.find(",2,0,2,"), std::string::npos) << out;
  EXPECT_NE(out.find("RUN_EXCEPTION,user,\"ValueError: a, \"\"b\"\"\nc\","), std::string::npos)
      << out;
}

TEST(ReportRows, NameEveryItemOfAMiniBatchThatUsedUpItsTries) {
  fact::AttemptEnded failed = done();
  failed.verdict = Verdict::kFailed;
  failed.record.error_type = "ValueError";
  std::string out;
  ReportRows().append_failed_items(failed, {2, "/in", kNames}, 3, out);
  EXPECT_NE(out.find("\"item\": \"/in/a.txt\", \"tries\": 3"), std::string::npos) << out;
  EXPECT_NE(out.find("\"item\": \"/in/b.txt\""), std::string::npos) << out;
  EXPECT_EQ(std::ranges::count(out, '\n'), 2);
}

TEST(ReportRows, SayHowManyItemsAShortReturnLacks) {
  fact::AttemptEnded brief = done();
  brief.record.returned = brief.succeeded = 1;
  std::string out;
  ReportRows().append_failed_items(brief, {2, "/in", kNames}, 0, out);
  EXPECT_NE(out.find("\"item\": null, \"missing\": 1"), std::string::npos) << out;
  out.clear();
  ReportRows().append_failed_items(done(), {2, "/in", kNames}, 0, out);
  EXPECT_EQ(out, "");
}

// C181
TEST(ReportRows, NameTheItemsThatTheScriptReportedAndCountTheRestApart) {
  fact::AttemptEnded ended = done();
  ended.record.reported = {{1, "blurred"}};
  ended.record.returned = 0;
  ended.succeeded = succeeded_items(ended.record, 2);
  std::string out;
  ReportRows().append_failed_items(ended, {2, "/in", kNames}, 0, out);
  EXPECT_NE(out.find("\"item\": \"/in/b.txt\""), std::string::npos) << out;
  EXPECT_NE(out.find("\"error_type\": \"Reported\", \"error_message\": \"blurred\""),
            std::string::npos)
      << out;
  EXPECT_NE(out.find("\"item\": null, \"missing\": 1"), std::string::npos) << out;
  EXPECT_EQ(std::ranges::count(out, '\n'), 2);
}

// C181
TEST(SucceededItems, AreTheElementsButNeverThoseThatWereReported) {
  AttemptRecord record;
  record.reported = {{0, ""}, {3, ""}};
  for (const auto& [returned, succeeded] :
       {std::pair{0U, 0U}, std::pair{2U, 2U}, std::pair{3U, 3U}, std::pair{5U, 3U}}) {
    record.returned = returned;
    EXPECT_EQ(succeeded_items(record, 5), succeeded) << returned;
  }
  EXPECT_EQ(succeeded_items(record, 1), 0U);  // more reports than items: nothing wraps around
}

}  // namespace
}  // namespace windrow
