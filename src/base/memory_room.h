// SPDX-License-Identifier: Apache-2.0
//
// How much of something's memory is left: of the machine's, of a control group's, or of what a job
// may use.
#pragma once

#include <cstdint>

namespace windrow {

struct MemoryRoom {
  std::uint64_t total = 0;      // bytes
  std::uint64_t available = 0;  // without ending anybody: caches that can be dropped count
  bool of_job = false;          // memory_limit
};

}  // namespace windrow
