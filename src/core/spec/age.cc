// SPDX-License-Identifier: Apache-2.0
#include "core/spec/age.h"

#include <charconv>

#include "base/text.h"

namespace windrow {
namespace {

constexpr std::uint64_t kHoursMax = 24ULL * 36525;

std::uint64_t hours_in(std::string_view unit) {
  if (unit == "h") return 1;
  if (unit == "d") return 24;
  return unit == "w" ? 7 * 24 : 0;
}

}  // namespace

Result<Duration> parse_age(std::string_view text) {
  const std::string said = lower_case(trimmed(text));
  std::uint64_t count = 0;
  const auto [rest, error] = std::from_chars(said.data(), said.data() + said.size(), count);
  const std::uint64_t unit = hours_in(trimmed(std::string_view(rest, said.data() + said.size())));
  if (error == std::errc::invalid_argument || unit == 0) {
    return fail(ErrorCode::kInvalid,
                "{} is not an age; allowed is a number with h, d or w, as in 12h, 30d, 8w",
                in_quotes(text));
  }
  if (error != std::errc() || count > kHoursMax / unit) {
    return fail(ErrorCode::kInvalid, "{} is out of range; at most 36525d", in_quotes(text));
  }
  return std::chrono::hours(count * unit);
}

}  // namespace windrow
