// SPDX-License-Identifier: Apache-2.0
//
// Names of jobs: generated ones (`score-2026-11-15-calm-heron`), and which ones a user may give.
//
// Thread: any; values in, values out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace windrow {

// `script` is a path or a module name, `date` is YYYY-MM-DD. The same random number gives the same
// name. The result always passes check_job_name.
std::string generate_job_name(std::string_view script, std::string_view date, std::uint64_t random);

// Letters, digits, '-', '_' and '.', 1 to 255 of them, not starting with '.' or '-': a name is a
// folder name and must not look like a flag.
Status check_job_name(std::string_view name);

}  // namespace windrow
