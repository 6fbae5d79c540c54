// SPDX-License-Identifier: Apache-2.0
//
// A job as plain values: what the job file and the flags set, checked, with every default filled
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
#include "core/spec/table_spec.h"

namespace windrow {

inline constexpr std::int64_t kIntMax = 2147483647;
inline constexpr std::uint64_t kTableBytes = 1U << 20U;  // of a mini-batch of a table
inline constexpr double kMemoryShare = 0.8;
inline constexpr const char* kDefaultRowFile = "parallel_run_step.txt";
inline constexpr Duration kTaskOverheadTimeout = std::chrono::seconds(30);
inline constexpr Duration kRunTimeoutMax = std::chrono::seconds(259200);

enum class LoggingLevel { kWarning, kInfo, kDebug };

// When a mini-batch of files closes: as soon as one of the caps is reached. The whole syntax of
// sizes is in values.h.
struct BatchSize {
  std::uint32_t files = 10;            // [1, kIntMax]; kIntMax when others were given
  std::optional<std::uint64_t> bytes;  // a larger file makes a mini-batch of its own
  std::optional<std::uint32_t> rows;   // of tables and JSON lines; [1, kIntMax]
  bool bare = false;                   // `files` was given without a unit: bytes of a table
  friend bool operator==(const BatchSize&, const BatchSize&) = default;
};

// uri_folder, uri_file, a value for arguments, mltable, sql.
enum class InputType { kFolder, kFile, kLiteral, kMlTable, kSql };

// Something the script reads. Those in JobSpec::input_data are cut into mini-batches.
struct InputSpec {
  std::string name;
  InputType type = InputType::kFolder;
  // Folders, files, globs, `@FILE` (a list of paths) or `-` (a list on standard input). A literal
  // has its value as the only one, sql its connection.
  std::vector<std::string> paths;
  std::vector<std::string> ignore;  // globs of names that are left out
  std::string partition_format;     // keys in the paths of its files; empty: folders key=value
  bool as_files = false;            // of an mltable: its files are the items, however it is read
  std::string query;                // of sql: its rows are the table
  friend bool operator==(const InputSpec&, const InputSpec&) = default;
};

enum class OutputType { kFolder, kFile };  // uri_folder, uri_file

struct OutputSpec {
  std::string name;
  OutputType type = OutputType::kFolder;
  std::optional<std::string> path;  // none: outputs/<name>/ in the job folder; see job_paths.h
  friend bool operator==(const OutputSpec&, const OutputSpec&) = default;
};

// What an item is: a file, a row of a file of JSON lines, or a row of a table.
enum class InputAs { kFiles, kJsonLines, kTable };
enum class OutputExists { kRefuse, kOverwrite };
enum class Profiler { kNone, kCProfile, kProfile };
enum class GpuSurplus { kAuto, kUnset, kHide };  // workers beyond the GPUs: see docs/manual/gpus.md
// What the program of task.command speaks: docs/manual/native-workers.md.
enum class CommandMode { kProtocol, kLines, kFilter };
// What run() gets rows of a table as.
enum class Frame { kPandas, kPyarrow, kPolars, kNumpy };
enum class RowFormat { kAzure, kCsv, kJsonLines, kParquet, kArrow };

// How rows become a file; kAzure is the text that append_row promises.
struct RowStyle {
  RowFormat format = RowFormat::kAzure;
  std::optional<std::string> separator;  // none: the format's own
  bool header = false;                   // column names of a DataFrame, once, at the top
  std::string field;                     // of each element, a JSON object, this alone; empty: all
  friend bool operator==(const RowStyle&, const RowStyle&) = default;
};

// When an attempt is given up and the job as a whole.
struct LimitSpec {
  Duration run_timeout = std::chrono::seconds(60);  // (0, kRunTimeoutMax]
  Duration overhead_timeout = kTaskOverheadTimeout;
  std::optional<Duration> progress_timeout;  // none: 3 x (run + overhead)
  Duration first_task_timeout = std::chrono::seconds(600);
  std::optional<Duration> init_timeout;          // none: 3 x run + 30 s
  std::uint32_t tries_max = 3;                   // max_retries + 1; [1, kIntMax + 1]
  Duration retry_delay{};                        // between a failed attempt and the next
  std::vector<std::string> retry_on;             // exception types; empty: every failure
  std::vector<std::string> fail_fast_on;         // exception types that are never tried again
  std::int64_t error_threshold = -1;             // failed items; -1: any number
  std::int64_t mini_batch_error_threshold = -1;  // failed mini-batches; -1: any number
  bool allowed_failed_count = false;             // that limit was set by its name in v1 files
  double allowed_failed_percent = 100;           // of all mini-batches, once all are planned
  bool strict_results = false;                   // more rows than items fail the attempt
  bool retry_short_returns = false;              // so do fewer
  bool bisect_failed = false;                    // bad items are found, the others kept
  bool speculate = false;                        // late mini-batches are tried twice at a time
  friend bool operator==(const LimitSpec&, const LimitSpec&) = default;
};

// What worker processes may use of the machine.
struct WorkerSpec {
  std::optional<std::uint32_t> count;  // none: by GPUs and CPUs that are there for us
  std::uint64_t rss_max = 0;           // bytes; a worker above it is replaced; 0: no limit
  std::uint32_t batches_max = 0;       // mini-batches after which it is replaced; 0: no limit
  // Bytes of engine and workers together, before workers wait or are ended; 0: memory is not
  // watched; none: kMemoryShare of what the machine or its control group has.
  std::optional<std::uint64_t> memory_limit;
  std::uint32_t nice = 0;             // [0, 20]
  std::optional<std::uint32_t> gpus;  // of this machine; none: as many as are found
  double gpus_per_worker = 1;         // 0.5: two workers share one; 2: each has two
  GpuSurplus gpu_surplus = GpuSurplus::kAuto;
  std::uint64_t user_log_max = 256U << 20U;  // bytes of one log file of the script's
  friend bool operator==(const WorkerSpec&, const WorkerSpec&) = default;
};

// What is recorded beside the result.
struct RecordSpec {
  LoggingLevel logging_level = LoggingLevel::kInfo;
  bool logging_level_said = false;               // then it also filters EntryScript().logger
  std::string python_logging_level = "WARNING";  // of Python's root logger
  Duration monitor_interval = std::chrono::seconds(600);  // 0: no resource monitor
  Profiler profiler = Profiler::kNone;
  bool copy_logs_to_parent = false;
  bool push_metrics_to_parent = false;
  std::string metrics_name_prefix;
  friend bool operator==(const RecordSpec&, const RecordSpec&) = default;
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
  // A program in place of a script: a path, or a name to be looked up in PATH. Then there is no
  // entry_script, and `arguments` are the program's.
  std::string command;
  CommandMode command_mode = CommandMode::kProtocol;
  // `${{inputs.x}}` and `${{outputs.x}}` stand in them unresolved, because the job folder decides
  // where an output without a path lies; resolve_job_paths() gives what sys.argv gets.
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment_variables;
  std::optional<std::string> python;  // --python; a bare command name is looked up in PATH

  std::vector<InputSpec> inputs;        // in the order declared; names are unique
  std::vector<std::string> input_data;  // names of those that are cut into mini-batches, in order
  InputAs input_as = InputAs::kFiles;
  TableSpec table;            // how to read it, where the items are rows of one
  BatchSize mini_batch_size;  // of rows, where these are the items
  // Files whose paths have the same values of these keys are one mini-batch, whatever its size.
  std::vector<std::string> partition_keys;
  // Columns of a table whose rows are put together first, by their values; then they are keys.
  std::vector<std::string> partition_by;
  Frame frame = Frame::kPandas;
  bool largest_first = false;      // mini-batches with most bytes are handed out first
  bool allow_empty_input = false;  // an input without files gives an empty result
  // Mini-batches without items instead of an input: run([]) so many times.
  std::optional<std::uint32_t> rank_mini_batch_count;

  std::vector<OutputSpec> outputs;  // in the order declared; names are unique
  // append_row: the names of the outputs that get rows. Empty: summary_only.
  std::vector<std::string> append_row_to;
  RowStyle rows;
  OutputExists output_exists = OutputExists::kRefuse;
  bool staged_outputs = false;  // files that the script writes count by commit, as rows do
  bool v1_argv = false;         // compat.v1_argv: sys.argv holds the whole set of the v1 engine

  LimitSpec limits;
  WorkerSpec worker;
  RecordSpec record;
  bool strict = false;  // warnings about settings that contradict each other are refusals

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
