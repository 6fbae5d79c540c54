// SPDX-License-Identifier: Apache-2.0
#include "base/clock_text.h"

#include <gtest/gtest.h>

namespace windrow {
namespace {

std::string iso(std::int64_t nanoseconds) {
  ClockText clock;
  std::string out;
  clock.append_iso({nanoseconds}, out);
  return out;
}

TEST(ClockText, WritesUtcWithMicroseconds) {
  EXPECT_EQ(iso(0), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(iso(1794725093123456789), "2026-11-15T06:44:53.123456Z");
  EXPECT_EQ(iso(951782400000000000), "2000-02-29T00:00:00.000000Z");
}

TEST(ClockText, FollowsTimeOverMidnight) {
  ClockText clock;
  std::string out;
  clock.append_log({1794700799999000000}, out);
  out += '|';
  clock.append_log({1794700800000000000}, out);
  EXPECT_EQ(out, "2026-11-14 23:59:59,999|2026-11-15 00:00:00,000");
  EXPECT_EQ(clock.date({1794700800000000000}), "2026-11-15");
}

}  // namespace
}  // namespace windrow
