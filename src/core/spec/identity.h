// SPDX-License-Identifier: Apache-2.0
//
// Whether two jobs are one: what must be the same for an unfinished job to be continued without
// being asked.
//
// Thread: any; values in, values out. Failure: none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/spec/job_spec.h"

namespace windrow {

// Script, code, input, outputs and how rows are written, arguments, environment variables,
// mini-batch size, retry_of. Not: limits, workers, interpreter, logging, names. 64 hexadecimal
// digits.
std::string identity_hash(const JobSpec& spec);

// The parts of the identity in which two jobs differ, in the words of a user: "mini-batch size".
std::vector<std::string_view> identity_differences(const JobSpec& one, const JobSpec& other);

// What decides the cut into mini-batches: the input and the size. 64 hexadecimal digits.
std::string formation_hash(const JobSpec& spec);

}  // namespace windrow
