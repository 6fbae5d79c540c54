// SPDX-License-Identifier: Apache-2.0
#include "base/encoding_name.h"

#include <array>

#include "base/text.h"

namespace windrow {
namespace {

struct Alias {
  std::string_view said;
  std::string_view name;
};

constexpr auto kAliases = std::to_array<Alias>({
    {"utf8sig", "utf8bom"},
    {"cp1252", "windows1252"},
    {"usascii", "ascii"},
});

}  // namespace

std::string encoding_name(std::string_view said) {
  std::string name = lower_case(said);
  std::erase_if(name, [](char c) { return c == '-' || c == '_' || c == ' '; });
  for (const Alias& alias : kAliases) {
    if (name == alias.said) return std::string(alias.name);
  }
  return name;
}

}  // namespace windrow
