// SPDX-License-Identifier: Apache-2.0
#include "core/plan/cutter.h"

#include <utility>

namespace windrow {

std::optional<Cut> Cutter::add(std::string_view name) {
  if (open_.items > 0) open_.names.push_back('\0');
  open_.names.append(name);
  if (++open_.items < files_per_batch_) return std::nullopt;
  Cut cut = std::exchange(open_, Cut{});
  open_.names.reserve(cut.names.size());  // the next one will be about as long
  return cut;
}

std::optional<Cut> Cutter::finish() {
  if (open_.items == 0) return std::nullopt;
  return std::exchange(open_, Cut{});
}

}  // namespace windrow
