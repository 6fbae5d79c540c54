// SPDX-License-Identifier: Apache-2.0
//
// Texts for the settings of a job, right and wrong ones, with what must come of them: a second
// opinion on the ranges and units of core/spec/settings.cc, which it does not use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "random.h"

namespace windrow::sim {

// When a mini-batch is full, as it was given: each of the limits or none.
struct DrawnSize {
  std::uint64_t files = 0;
  bool bare = false;  // `files` without a unit
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
};

struct DrawnValue {
  std::string said;
  bool right = true;
  bool list = false;                    // names, which may stand as a list
  std::string means = {};               // as the effective job writes it
  std::vector<std::string> items = {};  // the same of a list
  DrawnSize size = {};                  // of mini_batch_size alone
};

// Whether this file has an opinion on the key. Every setting that is read needs one.
bool knows_setting(std::string_view key);

// REQUIRES: knows_setting(key).
DrawnValue draw_value(Random& random, std::string_view key, bool right);

// What the effective job writes for a size: of files, or of what is still open.
std::string size_text(const DrawnSize& size);

// One of the texts.
std::string draw_from(Random& random, const std::vector<std::string>& texts);

}  // namespace windrow::sim
