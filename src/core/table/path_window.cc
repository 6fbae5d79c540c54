// SPDX-License-Identifier: Apache-2.0
#include "core/table/path_window.h"

#include <algorithm>

#include "base/json.h"
#include "core/table/transformation.h"

namespace windrow {

Result<PathWindow> path_window(const MlTable& table) {
  PathWindow window;
  for (const std::string& step : table.path_steps) {
    ASSIGN_OR_RETURN(const Json json, parse_json(step));
    if (json.find(kExtraction) != nullptr) continue;  // names keys, and leaves no file out
    const Json* skip = json.find("skip");
    const Json* take = json.find("take");
    if (skip == nullptr && take == nullptr) {
      return fail(ErrorCode::kInvalid,
                  "its MLTable file has no read step, so it is a list of files, and a job knows "
                  "take and skip of those: leave out the other steps, or read it in the script by "
                  "mltable.load");
    }
    const auto* count = (skip != nullptr ? skip : take)->get<std::int64_t>();
    const auto said = static_cast<std::uint64_t>(count == nullptr ? 0 : *count);
    if (skip == nullptr) {
      window.take = std::min(window.take, said);
      continue;
    }
    const std::uint64_t gone = std::min(said, window.take);
    window.skip += gone;
    if (window.take != PathWindow().take) window.take -= gone;
  }
  return window;
}

}  // namespace windrow
