// SPDX-License-Identifier: Apache-2.0
#include "wire/control/control_lines.h"

#include <gtest/gtest.h>

#include "wire/control/event_log.h"

namespace windrow {
namespace {

// C980
TEST(ControlLinesTest, EveryRequestIsReadAsItWasWritten) {
  using Kind = ControlRequest::Kind;
  for (const Kind kind : {Kind::kStatus, Kind::kWatch, Kind::kCancel, Kind::kStop}) {
    const auto read = read_request(request_line({.kind = kind, .after = 7}));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->kind, kind);
    EXPECT_EQ(read->after, kind == Kind::kWatch ? 7U : 0U);
  }
}

// C980
TEST(ControlLinesTest, HostileRequestsAreRefused) {
  for (const char* line : {"", "{", "[]", "7", "{}", R"({"do":"run"})", R"({"do":1})", "\xff"}) {
    EXPECT_FALSE(read_request(line)) << line;
  }
  const auto negative = read_request(R"({"do":"watch","after":-5})");
  ASSERT_TRUE(negative);
  EXPECT_EQ(negative->after, 0U);
}

// C980
TEST(ControlLinesTest, ProgressArrivesAsItWas) {
  Progress progress;
  progress.created = 1000;
  progress.all_created = true;
  progress.processed = 412;
  progress.failed = 3;
  progress.workers = 2;
  progress.rate = 120.5;
  progress.job_time = std::chrono::milliseconds(2500);
  progress.in_init = std::chrono::seconds(4);
  const auto event =
      read_event(event_line({.kind = ControlEvent::Kind::kProgress, .progress = progress}));
  ASSERT_TRUE(event);
  EXPECT_EQ(progress_line(event->progress), progress_line(progress));
  EXPECT_EQ(event->progress.in_init, progress.in_init);
}

// C980
TEST(ControlLinesTest, AJobThatIsBeingPreparedHasNoProgress) {
  const ControlStatus status{.who = {.pid = 12, .job = "nightly"}, .number = 3};
  const auto read = read_status(status_line(status));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->who.job, "nightly");
  EXPECT_EQ(read->number, 3U);
  EXPECT_FALSE(read->progress);
}

ControlEvent note(std::string text) {
  return {.kind = ControlEvent::Kind::kNote, .text = std::move(text)};
}

// C981
TEST(EventLogTest, AFollowerGetsWhatItHasNotSeen) {
  EventLog log;
  for (const char* text : {"a", "b", "c"}) log.add(note(text));
  const auto lines = log.behind(1);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(read_event(lines[0])->text, "b");
  EXPECT_EQ(read_event(lines[1])->number, 3U);
  EXPECT_TRUE(log.behind(3).empty());
  EXPECT_TRUE(log.behind(99).empty());
}

// C981
TEST(EventLogTest, WhatIsNoLongerKeptIsCounted) {
  EventLog log;
  const std::string large(EventLog::kBytesMax / 4, 'x');
  for (int i = 0; i < 10; ++i) log.add(note(large));
  const auto lines = log.behind(2);
  const auto missed = read_event(lines.front());
  ASSERT_TRUE(missed);
  EXPECT_EQ(missed->kind, ControlEvent::Kind::kMissed);
  EXPECT_EQ(missed->missed + lines.size() - 1, 8U);
  EXPECT_EQ(read_event(lines.back())->number, 10U);
}

}  // namespace
}  // namespace windrow
