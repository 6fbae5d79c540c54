// SPDX-License-Identifier: Apache-2.0
//
// What kind of table files are, by their names.
//
// Thread: any. Failure: kInvalid with what of the job to change.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "core/spec/job_spec.h"

namespace windrow {

// Whether its name says that it is compressed.
bool is_packed_name(const std::string& file);

// Fills in what the names of files say, where nothing else does. kInvalid when they say nothing, or
// different things.
Status settle_table_format(const std::vector<std::string>& files,
                           const JobSpec& spec,
                           TableSpec& table);

}  // namespace windrow
