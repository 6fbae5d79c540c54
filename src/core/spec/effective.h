// SPDX-License-Identifier: Apache-2.0
//
// A job as it will run: the text of its job.yml, and the hashes that tell whether two jobs are one.
//
// Thread: any; values in, values out. Failure: none.
#pragma once

#include <string>

#include "core/spec/job_spec.h"

namespace windrow {

// A valid job file with every default filled in and the origin of each value behind it.
// read_job_file() on it gives an equal JobSpec.
std::string effective_job_file(const JobSpec& spec, const Origins& origins);

// What must be the same for an unfinished job to be continued without being asked: script, code,
// input, outputs, arguments, environment variables, mini-batch size, retry_of. Not: limits,
// workers, interpreter, logging, names. 64 hexadecimal digits.
std::string identity_hash(const JobSpec& spec);

// What decides the cut into mini-batches: the input and the size. 64 hexadecimal digits.
std::string formation_hash(const JobSpec& spec);

}  // namespace windrow
