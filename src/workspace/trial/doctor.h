// SPDX-License-Identifier: Apache-2.0
//
// `windrow doctor`: is this machine fit for jobs, and if not, what to do about it.
//
// Thread: any; blocks while Python is asked. Failure: none; what is wrong is a finding.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workspace/jobs/caller.h"

namespace windrow {

struct Finding {
  enum class Kind : std::uint8_t { kGood, kDoubtful, kBad };
  Kind kind = Kind::kGood;
  std::string subject;  // "Python", "memory", ...
  std::string what;     // what was found
  std::string advice;   // what to do; empty when it is good
};

std::vector<Finding> examine_machine(const Caller& caller);

}  // namespace windrow
