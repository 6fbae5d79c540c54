// SPDX-License-Identifier: Apache-2.0
//
// A job as it will run: the text of its job.yml.
//
// Thread: any; values in, values out. Failure: none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/spec/job_spec.h"
#include "core/spec/settings.h"

namespace windrow {

struct EffectiveValue {
  std::vector<std::string> path;  // retry_settings, timeout
  SettingValue value;
  std::string origin;  // of a value; what it means that there is none
};

// Every value of the job, in the order of its job.yml; those that are not set too.
std::vector<EffectiveValue> effective_values(const JobSpec& spec, const Origins& origins);

// "timeout: 5  # from --timeout": one line of the job file, without its indentation.
std::string effective_line(const EffectiveValue& value);

// {"retry_settings.timeout": {"value": 5, "origin": "--timeout"}, ...} and a line feed: the text of
// logs/sys/effective_config.json.
std::string effective_config_json(const JobSpec& spec, const Origins& origins);

// The line that such a job file begins with.
inline constexpr std::string_view kEffectiveHead =
    "# The job as it runs: every default filled in, and where each value came from.\n";

// A valid job file with every default filled in and the origin of each value behind it.
// read_job_file() on it gives an equal JobSpec.
std::string effective_job_file(const JobSpec& spec, const Origins& origins);

// The settings that decide most jobs, and all others that somebody has set: "key: value  # from
// origin" on a line each. Script, inputs and outputs are not among them.
std::string main_settings(const JobSpec& spec, const Origins& origins);

}  // namespace windrow
