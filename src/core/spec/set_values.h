// SPDX-License-Identifier: Apache-2.0
//
// `--set retry_settings.timeout=300`: values put into the tree of a job as if they stood in it.
//
// Thread: any; values in, values out. Failure: a problem for each that has no place.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/spec/job_spec.h"
#include "core/spec/node.h"

namespace windrow {

using SetValues = std::vector<std::pair<std::string, std::string>>;  // path of keys, value

std::vector<Problem> apply_sets(Node& root, const SetValues& sets);

}  // namespace windrow
