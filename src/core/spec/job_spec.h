// SPDX-License-Identifier: Apache-2.0
//
// A job as plain values: what the job file and the flags said, checked, with every default filled
// in. Past this point nothing is text that still has to be understood.
//
// Paths are absolute, or relative only where the caller gave a relative folder to read against;
// `.` and doubled slashes are gone, `..` stays (a link may stand before it). Text is bytes: paths
// and arguments need not be UTF-8.
//
// Thread: plain values. Ownership: none. Failure: none; read_job_file() and read_short_form()
// refuse.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace windrow {

inline constexpr std::int64_t kIntMax = 2147483647;
inline constexpr const char* kDefaultRowFile = "parallel_run_step.txt";
inline constexpr Duration kTaskOverheadTimeout = std::chrono::seconds(30);
inline constexpr Duration kRunTimeoutMax = std::chrono::seconds(259200);

enum class LoggingLevel { kWarning, kInfo, kDebug };

// How many files make a mini-batch. The whole syntax of sizes is in values.h; file input takes a
// count of files only.
struct FileCount {
  std::uint32_t files = 10;  // [1, kIntMax]
  friend bool operator==(const FileCount&, const FileCount&) = default;
};

// A folder that the script reads. One of them, JobSpec::input_data, is cut into mini-batches.
struct InputSpec {
  std::string name;
  std::string path;
  friend bool operator==(const InputSpec&, const InputSpec&) = default;
};

enum class OutputType { kFolder, kFile };  // uri_folder, uri_file

struct OutputSpec {
  std::string name;
  OutputType type = OutputType::kFolder;
  std::optional<std::string> path;  // none: outputs/<name>/ in the job folder; see job_paths.h
  friend bool operator==(const OutputSpec&, const OutputSpec&) = default;
};

// Said about the job, for people. Changes nothing.
struct JobLabels {
  std::string display_name;
  std::string description;
  std::string experiment_name;
  std::map<std::string, std::string> tags;
  friend bool operator==(const JobLabels&, const JobLabels&) = default;
};

struct JobSpec {
  std::string name;  // empty: one is generated, job_name.h
  JobLabels labels;

  std::string code;          // the import root: a folder
  std::string entry_script;  // below `code` unless absolute; or a dotted module name
  // `${{inputs.x}}` and `${{outputs.x}}` stand in them unresolved, because the job folder decides
  // where an output without a path lies; resolve_job_paths() gives what sys.argv gets.
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment_variables;
  std::optional<std::string> python;  // --python; a bare command name is looked up in PATH

  std::vector<InputSpec> inputs;  // in the order declared; names are unique
  std::string input_data;         // the name of the one that is cut into mini-batches
  FileCount mini_batch_size;

  std::vector<OutputSpec> outputs;  // in the order declared; names are unique
  // append_row: the name of the output that gets the rows. None: summary_only.
  std::optional<std::string> append_row_to;

  std::optional<std::uint32_t> workers;             // none: as many as this machine has CPUs for us
  Duration run_timeout = std::chrono::seconds(60);  // (0, kRunTimeoutMax]
  std::uint32_t tries_max = 3;                      // max_retries + 1; [1, kIntMax + 1]
  std::int64_t error_threshold = -1;                // failed items; -1: any number
  std::int64_t mini_batch_error_threshold = -1;     // failed mini-batches; -1: any number
  LoggingLevel logging_level = LoggingLevel::kInfo;

  std::optional<std::string> job_folder;  // --job-dir
  std::optional<std::string> retry_of;    // the job whose failed mini-batches this one runs again

  friend bool operator==(const JobSpec&, const JobSpec&) = default;
};

// Where each value came from, by its key in the job file (`retry_settings.timeout`): "default",
// "--timeout", "job.yml:12:3" or "--set retry_settings.timeout=5".
using Origins = std::map<std::string, std::string>;

// Something to tell the user: `where` is file:line:column or a flag; never empty.
struct Problem {
  std::string where;
  std::string message;
  friend bool operator==(const Problem&, const Problem&) = default;
};

struct JobReading {
  JobSpec spec;
  Origins origins;
  std::vector<Problem> notices;  // accepted, but not as the user may expect
};

}  // namespace windrow
