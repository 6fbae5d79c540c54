// SPDX-License-Identifier: Apache-2.0
#include "base/clock_text.h"

#include <chrono>

#include <fmt/format.h>

namespace windrow {

void ClockText::convert_second(WallTime time) {
  std::int64_t second = time.nanoseconds / kSecond;
  if (time.nanoseconds % kSecond < 0) --second;
  using std::chrono::sys_days;
  const std::chrono::sys_seconds when{std::chrono::seconds(second)};
  const sys_days day = std::chrono::floor<std::chrono::days>(when);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(when - day);
  start_ = second * kSecond;
  text_ = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
                      static_cast<int>(date.year()),
                      static_cast<unsigned>(date.month()),
                      static_cast<unsigned>(date.day()),
                      clock.hours().count(),
                      clock.minutes().count(),
                      clock.seconds().count());
}

std::string ClockText::date(WallTime time) {
  convert(time);
  return text_.substr(0, 10);
}

}  // namespace windrow
