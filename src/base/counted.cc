// SPDX-License-Identifier: Apache-2.0
#include "base/counted.h"

#include <fmt/format.h>

#include "base/text.h"

namespace windrow {

std::string counted(std::uint64_t count, std::string_view noun) {
  const std::string_view many = noun.ends_with("ch") ? "es" : "s";
  return fmt::format("{} {}{}", human_count(count), noun, count == 1 ? "" : many);
}

}  // namespace windrow
