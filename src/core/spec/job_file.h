// SPDX-License-Identifier: Apache-2.0
//
// The text of a job file (v2, `type: parallel`, or a v1 `parallel_run_config`) -> a checked job.
//
// Keys that nobody knows are refused with the nearest right one; keys of the schema that are not
// built yet are refused by name. A file that reads well and is only unusual here (another compute,
// more nodes) gives notices.
//
// Thread: any; values in, values out. Failure: every problem at once, in the order of the file.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec/job_spec.h"
#include "core/spec/set_values.h"
#include "core/spec/short_form.h"

namespace windrow {

struct JobFileText {
  std::string file;  // how the user named it: stands before line and column
  std::string text;
  std::string folder;          // of the file, absolute; its relative paths are meant from here
  SetValues set;               // --set path=value, as if it stood there
  JobFlags flags;              // override the file; laid over it after `set`
  std::string current_folder;  // relative paths of flags are meant from here
  bool written_by_us = false;  // the job.yml of a job folder may be longer than what made it
  bool needs_input = true;     // false: a v1 file may go without the flags that name its data
};

// When the job is refused, `rest` gets what could be read of it.
std::expected<JobReading, std::vector<Problem>> read_job_file(const JobFileText& input,
                                                              JobReading* rest = nullptr);

// "job.yml:3:1: unknown key 'nam'; did you mean 'name'?", one line for each.
std::string problems_text(const std::vector<Problem>& problems);

}  // namespace windrow
