// SPDX-License-Identifier: Apache-2.0
//
// How old something may get: text -> duration.
//
// Thread: any; values in, values out.
#pragma once

#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace windrow {

// `12h`, `30d`, `8w`: hours, days or weeks, at most a hundred years.
Result<Duration> parse_age(std::string_view text);

}  // namespace windrow
