// SPDX-License-Identifier: Apache-2.0
//
// How much of something's memory is left: of the machine's, or of a control group's.
#pragma once

#include <cstdint>

namespace windrow {

struct MemoryRoom {
  std::uint64_t total = 0;      // bytes
  std::uint64_t available = 0;  // without ending anybody: caches that can be dropped count
};

}  // namespace windrow
