// SPDX-License-Identifier: Apache-2.0
//
// Cuts an ordered list of files into mini-batches. A function of the list alone: the same list
// gives the same mini-batches, however it came in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec/job_spec.h"

namespace windrow {

struct Cut {
  std::uint32_t items = 0;
  std::string names;        // separated by NUL
  std::uint64_t bytes = 0;  // of all files together, as far as they are known
  std::uint32_t input = 0;  // which of the inputs the files are of; the caller's to say
  bool counted = true;      // false: who reads them will know how many items there are
};

class Cutter {
 public:
  // REQUIRES: size.files > 0.
  explicit Cutter(BatchSize size) : size_(size) {}

  // A mini-batch when this file completes one, or when it would make the open one too large.
  std::optional<Cut> add(std::string_view name, std::uint64_t bytes = 0);

  // What is left at the end of the list, if anything.
  std::optional<Cut> finish();

 private:
  BatchSize size_;
  Cut open_;
};

// Those with most bytes first, equal ones in the order they have.
void sort_largest_first(std::vector<Cut>& cuts);

}  // namespace windrow
