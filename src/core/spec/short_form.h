// SPDX-License-Identifier: Apache-2.0
//
// `windrow run score.py --input DIR ...`: the flags as values -> a checked job. The same flags laid
// over a job file override what it says.
//
// Thread: any; values in, values out. Failure: every problem at once, each naming its flag.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "core/spec/job_spec.h"
#include "core/spec/node.h"
#include "core/spec/set_values.h"

namespace windrow {

// The flags as the user typed them: text, so that one place understands numbers and one words the
// refusals. Relative paths are meant from the current folder, which is absolute.
struct JobFlags {
  // Folders, files, globs, `@FILE` or `-`. Several are inputs of their own; over a job file they
  // are the paths of those in input_data, in order.
  std::vector<std::string> input;
  std::optional<std::string> output;
  // With --output a bare file name stands in that folder; anything else is a path of its own.
  std::optional<std::string> append_row_to;
  std::optional<std::string> mini_batch_size;
  std::optional<std::string> workers;
  std::optional<std::string> timeout;
  std::optional<std::string> max_retries;
  std::optional<std::string> error_threshold;
  std::optional<std::string> mini_batch_error_threshold;
  std::optional<std::string> logging_level;
  std::optional<std::string> gpus;
  std::optional<std::string> nice;
  std::optional<std::string> python;
  std::optional<std::string> job_dir;
  std::optional<std::string> name;
  std::optional<std::string> retry_of;
  std::optional<std::string> command_mode;
  std::optional<std::string> input_as;
  bool bisect = false;
  bool speculate = false;
  std::optional<std::vector<std::string>> arguments;  // what stood after `--`
  friend bool operator==(const JobFlags&, const JobFlags&) = default;
};

// A job from the path of a script, or a program, and flags alone. The code root is the script's
// folder. Without
// --output and --append-row-to the rows go to outputs/output/parallel_run_step.txt of the job
// folder. When the job is refused, `rest` gets what could be read of it.
std::expected<JobReading, std::vector<Problem>> read_short_form(const std::string& script,
                                                                const JobFlags& flags,
                                                                const std::string& current_folder,
                                                                const SetValues& sets = {},
                                                                JobReading* rest = nullptr);

// Whether the job has mini-batches without items: then it needs no input.
bool wants_no_input(const Node& root, const JobFlags& flags);

// Lays the flags over the tree of a job file, which need not be a right one: what is wrong in the
// file is left for its reader to say.
void lay_flags_over(Node& root, const JobFlags& flags, const std::string& current_folder);

}  // namespace windrow
