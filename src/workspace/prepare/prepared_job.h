// SPDX-License-Identifier: Apache-2.0
//
// A job that is ready to run: what was asked for, and what was found out about it. Filled in by
// start_job(), resume_job() and retry_job() through prepare_run(); run by run_job().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/spec/job_spec.h"
#include "data/files/inputs.h"
#include "journal/job_folder.h"
#include "journal/journal.h"

namespace windrow {

// How far the tables are that a job makes before it cuts them: workspace/prepare/made_tables.h.
enum class MadeSoFar : std::uint8_t { kNothing, kQuery, kAll };

// How workers read the table of a job; empty when it has none. Of prepare_table().
struct PreparedTable {
  std::string description;  // for workers, as JSON
  std::string reading;      // the same without names of files
  std::string row_places;   // tells by which row a number means
  std::string notice;       // for the user; may be empty
};

// What is cut into mini-batches, and how. Of prepare_run().
struct PreparedInput {
  std::vector<InputFiles> files;
  std::vector<std::string> listed;  // first paths of a list that is not in the job folder yet
  MadeSoFar made = MadeSoFar::kNothing;
  InputAs items = InputAs::kFiles;  // an MLTable file may make rows of files
  BatchSize size;
  PreparedTable table;
};

// What a worker process is. Of prepare_run().
struct PreparedProgram {
  std::vector<std::string> command;
  std::string row_settings;  // text of the script's settings file, checked; empty: none
};

// The settings in force, in both forms that the job folder keeps.
struct PreparedConfiguration {
  std::string yaml;  // of effective_job_file()
  std::string json;  // of effective_config_json(); empty: what is stored stays
};

struct PreparedJob {
  JobSpec spec;
  JobFolder folder{""};
  std::string name;
  PreparedInput input;
  PreparedProgram program;
  PreparedConfiguration configuration;
  ReplayedJob before;  // what is there already
  std::optional<fact::Reopened> reopen;
  bool replace_targets = false;  // what is there under their names
  bool accept_input = false;     // continue with files that are newer than the plan
  std::string remark;            // for the overview, when the job begins; may be empty
};

}  // namespace windrow
