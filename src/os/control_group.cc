// SPDX-License-Identifier: Apache-2.0
#include "os/control_group.h"

#include <algorithm>

namespace windrow {
namespace {

// "cpu" is listed in "cpu,cpuacct"; "" in "" alone.
bool lists(std::string_view controllers, std::string_view wanted) {
  if (wanted.empty()) return controllers.empty();
  while (!controllers.empty()) {
    const std::size_t comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == wanted) return true;
    controllers.remove_prefix(std::min(comma + 1, controllers.size()));
  }
  return false;
}

}  // namespace

// A line is "4:cpu,cpuacct:/user.slice".
std::optional<std::string> control_group(std::string_view text, std::string_view controller) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    if (lists(line.substr(first + 1, second - first - 1), controller)) {
      return std::string(line.substr(second + 1));
    }
  }
  return std::nullopt;
}

std::vector<std::string> with_outer_groups(std::string group) {
  std::vector<std::string> out;
  for (;;) {
    if (group == "/") group.clear();
    out.push_back(group);
    if (group.empty()) return out;
    group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
  }
}

}  // namespace windrow
