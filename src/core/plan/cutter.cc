// SPDX-License-Identifier: Apache-2.0
#include "core/plan/cutter.h"

#include <algorithm>
#include <utility>

namespace windrow {

std::optional<Cut> Cutter::add(std::string_view name, std::uint64_t bytes) {
  std::optional<Cut> full;
  if (size_.bytes && open_.items > 0 && open_.bytes + bytes > *size_.bytes) full = finish();
  if (open_.items > 0) open_.names.push_back('\0');
  open_.names.append(name);
  open_.bytes += bytes;
  // Both cannot be: what was just closed had room for a second file, so one does not fill it.
  if (++open_.items >= size_.files) return finish();
  return full;
}

std::optional<Cut> Cutter::finish() {
  if (open_.items == 0) return std::nullopt;
  Cut cut = std::exchange(open_, Cut{});
  open_.names.reserve(cut.names.size());  // the next one will be about as long
  return cut;
}

void sort_largest_first(std::vector<Cut>& cuts) {
  std::ranges::stable_sort(cuts, std::ranges::greater{}, &Cut::bytes);
}

}  // namespace windrow
