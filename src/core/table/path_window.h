// SPDX-License-Identifier: Apache-2.0
//
// Which files of an MLTable file without a read step are the items of a job.
//
// Thread: any; values in, values out. Failure: kInvalid for steps that only readers of rows have.
#pragma once

#include <cstdint>
#include <limits>

#include "base/result.h"
#include "core/table/mltable.h"

namespace windrow {

// Files in the order of the list: so many are left out, then so many are taken.
struct PathWindow {
  std::uint64_t skip = 0;
  std::uint64_t take = std::numeric_limits<std::uint64_t>::max();
  friend bool operator==(const PathWindow&, const PathWindow&) = default;
};

Result<PathWindow> path_window(const MlTable& table);

}  // namespace windrow
