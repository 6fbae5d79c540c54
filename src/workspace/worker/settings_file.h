// SPDX-License-Identifier: Apache-2.0
//
// parallel_run_step.settings.json, beside the entry script or in the code root: how rows become
// text, set by the script itself.
//
// Thread: any; blocks. Failure: kInvalid for a file that cannot be used, with its path and reason.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "core/spec/job_spec.h"
#include "os/file_system.h"

namespace windrow {

struct SettingsFile {
  std::string text;                  // as it is; empty: there is none
  std::vector<std::string> notices;  // keys that mean nothing here
};

// Checks the file and hands its text on: the worker applies it.
Result<SettingsFile> read_settings_file(FileSystem& fs, const JobSpec& spec);

}  // namespace windrow
