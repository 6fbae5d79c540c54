// SPDX-License-Identifier: Apache-2.0
#include "core/progress/metrics.h"

#include <cstdint>

#include "base/json.h"

namespace windrow {

std::string metrics_json(const JobState& state, std::string_view name_prefix) {
  const JobCounts& counts = state.counts();
  const std::uint64_t batches = state.batches().size();
  const std::uint64_t processed =
      std::uint64_t{counts.ended} + std::uint64_t{counts.committed} + std::uint64_t{counts.failed};
  const std::uint64_t items = counts.items_succeeded + counts.items_failed;
  JsonWriter json;
  json.begin_object();
  const auto put = [&](std::string_view name, std::uint64_t value) {
    json.field(std::string(name_prefix).append(name), value);
  };
  put("Total Mini Batches", batches);
  put("Processed Mini Batches", processed);
  if (state.listing_ended()) put("Remaining Mini Batches", batches - processed);
  put("Failed Mini Batches", counts.failed);
  put("Total Items", counts.items);
  put("Processed Items", items);
  if (state.listing_ended()) put("Remaining Items", counts.items - items);
  put("Failed Items", counts.items_failed);
  put("Attempts", counts.attempts);
  json.end_object();
  return std::string(json.text()) + "\n";
}

}  // namespace windrow
