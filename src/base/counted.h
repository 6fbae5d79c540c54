// SPDX-License-Identifier: Apache-2.0
//
// A count with its noun, for people.
//
// Thread: any; values in, text out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace windrow {

// "1 item", "0 items", "1,200 mini-batches". REQUIRES: a noun with a regular plural.
std::string counted(std::uint64_t count, std::string_view noun);

// The verb behind it.
constexpr std::string_view is_or_are(std::uint64_t count) { return count == 1 ? "is" : "are"; }
constexpr std::string_view has_or_have(std::uint64_t count) { return count == 1 ? "has" : "have"; }

}  // namespace windrow
