// SPDX-License-Identifier: Apache-2.0
//
// What happens to bytes on the way: some are changed, lost, or there twice.
#pragma once

#include <algorithm>
#include <string>

#include "random.h"

namespace windrow::sim {

inline std::string damaged(Random& random, std::string bytes) {
  for (std::uint32_t i = random.between(1, 3); i > 0; --i) {
    const std::size_t at = random.below(bytes.size() + 1);
    const std::size_t size = std::min<std::size_t>(random.between(1, 8), bytes.size() - at);
    switch (random.below(5)) {
      case 0:
        bytes.erase(at, size);
        break;
      case 1:
        bytes.insert(at, bytes.substr(at, size));
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        bytes.replace(at, size, size, random.per_mille(500) ? '\xff' : '\0');
        break;
      default:
        if (at < bytes.size()) bytes[at] = static_cast<char>(random.below(256));
        break;
    }
  }
  return bytes;
}

}  // namespace windrow::sim
