// SPDX-License-Identifier: Apache-2.0
#include "base/clock_text.h"

#include <chrono>

#include <fmt/format.h>

#include "base/append.h"

namespace windrow {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t floor_second(WallTime time) {
  std::int64_t second = time.nanoseconds / kSecond;
  if (time.nanoseconds % kSecond < 0) --second;
  return second;
}

}  // namespace

void ClockText::convert(WallTime time) {
  const std::int64_t second = floor_second(time);
  if (second == second_) return;
  using std::chrono::sys_days;
  const std::chrono::sys_seconds when{std::chrono::seconds(second)};
  const sys_days day = std::chrono::floor<std::chrono::days>(when);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(when - day);
  second_ = second;
  text_ = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
                      static_cast<int>(date.year()),
                      static_cast<unsigned>(date.month()),
                      static_cast<unsigned>(date.day()),
                      clock.hours().count(),
                      clock.minutes().count(),
                      clock.seconds().count());
}

void ClockText::append_iso(WallTime time, std::string& out) {
  convert(time);
  out.append(text_).push_back('.');
  append_padded(static_cast<std::uint64_t>(time.nanoseconds - second_ * kSecond) / 1000, 6, out);
  out.push_back('Z');
}

void ClockText::append_log(WallTime time, std::string& out) {
  convert(time);
  const std::size_t start = out.size();
  out.append(text_);
  out[start + 10] = ' ';
  out.push_back(',');
  append_padded(static_cast<std::uint64_t>(time.nanoseconds - second_ * kSecond) / 1000000, 3, out);
}

std::string ClockText::date(WallTime time) {
  convert(time);
  return text_.substr(0, 10);
}

}  // namespace windrow
