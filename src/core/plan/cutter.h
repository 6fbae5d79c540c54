// SPDX-License-Identifier: Apache-2.0
//
// Cuts an ordered list of files into mini-batches. A function of the list alone: the same list
// gives the same mini-batches, however it came in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace windrow {

struct Cut {
  std::uint32_t items = 0;
  std::string names;  // separated by NUL
};

class Cutter {
 public:
  // REQUIRES: files_per_batch > 0.
  explicit Cutter(std::uint32_t files_per_batch) : files_per_batch_(files_per_batch) {}

  // A mini-batch when this name completes one.
  std::optional<Cut> add(std::string_view name);

  // What is left at the end of the list, if anything.
  std::optional<Cut> finish();

 private:
  std::uint32_t files_per_batch_;
  Cut open_;
};

}  // namespace windrow
