// SPDX-License-Identifier: Apache-2.0
//
// What a job would do, found out without doing it: nothing is run and nothing is written.
//
// Thread: any; blocks while it lists the input. Failure: an Error where `windrow run` would refuse.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/spec/job_paths.h"
#include "core/spec/job_spec.h"
#include "workspace/jobs/caller.h"
#include "workspace/worker/interpreter.h"
#include "workspace/worker/machine_share.h"

namespace windrow {

struct InputPreview {
  std::string name;
  std::vector<std::string> paths;      // as the job says them
  std::optional<std::uint64_t> files;  // none: not read here
  std::string unread;                  // why not
};

struct JobPreview {
  std::string name;       // of the job
  bool new_name = false;  // another one would be made up
  std::string notice;     // of resuming an unfinished one
  JobPaths paths;
  std::optional<Interpreter> python;  // none: a program of its own does the work
  std::vector<InputPreview> inputs;
  std::vector<std::string> remarks;  // lines about the inputs
  InputAs items = InputAs::kFiles;
  bool counted = true;  // false: rows are counted when they are read
  bool planned = true;  // false: the job makes a table first, and cuts that
  std::uint64_t files = 0;
  std::uint64_t batches = 0;
  std::map<std::uint32_t, std::uint64_t> sizes;  // items of a mini-batch -> how many there are
  MachineShare share;
};

// `afresh`: no unfinished job is resumed.
Result<JobPreview> preview_job(const Caller& caller, const JobSpec& spec, bool afresh);

}  // namespace windrow
