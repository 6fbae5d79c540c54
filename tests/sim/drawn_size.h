// SPDX-License-Identifier: Apache-2.0
//
// Numbers, bytes, sizes of mini-batches and names of keys: what drawn_value.cc draws of more than
// one part.
#pragma once

#include <cstdint>
#include <string>

#include "drawn_value.h"
#include "random.h"

namespace windrow::sim {

// Near the ends as often as between them.
std::int64_t draw_between(Random& random, std::int64_t min, std::int64_t max);

std::string in_other_case(Random& random, std::string text);

// The largest unit that leaves no rest; no B behind bytes.
std::string bytes_text(std::uint64_t bytes);

struct DrawnBytes {
  std::string said;
  std::uint64_t bytes;
};
DrawnBytes draw_bytes(Random& random, std::uint64_t min);

DrawnValue draw_size(Random& random);

// Names for keys: a list, with commas between them, or as JSON.
DrawnValue draw_keys(Random& random);

}  // namespace windrow::sim
