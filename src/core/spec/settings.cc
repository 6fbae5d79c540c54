// SPDX-License-Identifier: Apache-2.0
#include "core/spec/settings.h"

#include <algorithm>

#include "core/spec/setting_codecs.h"
#include "core/spec/setting_rows.h"
#include "core/spec/table_rows.h"

namespace windrow {
namespace {

using namespace codecs;  // NOLINT(google-build-using-namespace): the table is a list of their names
using namespace setting_rows;  // NOLINT(google-build-using-namespace): likewise

constexpr auto kFormation = std::to_array<Row>({
    {"mini_batch_size",
     "",
     "a number with b, kb, mb, gb, files, rows",
     "partition_keys decide what a mini-batch is",
     "when a mini-batch is full: files, bytes, rows, or several as in '10 files, 1MB'",
     kMiniBatchSize},
    {"partition_keys",
     "",
     "a list of names, or its JSON text",
     "mini-batches are cut by mini_batch_size",
     "files with the same values of these keys in their paths are one mini-batch",
     names<&JobSpec::partition_keys>()},
    {"partition_by",
     "",
     "a list of names, or its JSON text",
     "rows stay in the files that they are in",
     "rows of a table with the same values in these columns are one mini-batch",
     names<&JobSpec::partition_by>()},
    {"input_as",
     "",
     "files, jsonl or table",
     "",
     "jsonl: items are rows of JSON lines, as dicts; table: run() gets rows as a DataFrame",
     choice<kInputAs, &JobSpec::input_as>()},
    {"frame",
     "",
     "pandas, pyarrow, polars or numpy",
     "",
     "what kind of frame run() gets for rows of a table",
     choice<kFrames, &JobSpec::frame>()},
    {"rank_mini_batch_count",
     "rank_mini_batch_count",
     "-2147483648 to 2147483647",
     "mini-batches are cut from input_data",
     "number of mini-batches without items; negative is 0",
     kRankCount},
    {"largest_first",
     "",
     kBooleans,
     "",
     "mini-batches with most bytes are handed out first",
     flag<&JobSpec::largest_first>()},
    {"allow_empty_input",
     "",
     kBooleans,
     "",
     "an input without files gives an empty result instead of a failed job",
     flag<&JobSpec::allow_empty_input>()},
    {"append_row.format",
     "",
     "text, csv, jsonl, parquet or arrow",
     "",
     "format of the file of rows; unless you set it, an ending .parquet or .arrow decides",
     kRowFormat},
    {"append_row.sep",
     "",
     "one ASCII character, no quote or line break",
     "a space in text, a comma in csv",
     "separator of columns",
     character<&JobSpec::rows, &RowStyle::separator>()},
    {"append_row.header",
     "append_row_dataframe_header",
     kBooleans,
     "",
     "names of columns once at the top",
     flag<&JobSpec::rows, &RowStyle::header>()},
    {"append_row.field",
     "",
     "text",
     "elements are rows as they are",
     "run() returns JSON objects, or their texts; the row is this field of each",
     kRowField},
    {"output_exists",
     "",
     "refuse or overwrite",
     "",
     "what happens when the result file exists already",
     choice<kExists, &JobSpec::output_exists>()},
    {"staged_outputs",
     "",
     kBooleans,
     "",
     "files that the script writes into outputs appear once, when their attempt has succeeded",
     flag<&JobSpec::staged_outputs>()},
    {"compat.v1_argv",
     "",
     kBooleans,
     "",
     "sys.argv holds the whole set of the v1 engine",
     flag<&JobSpec::v1_argv>()},
    {"compat.allowed_failed_count",
     "",
     kBooleans,
     "",
     "messages call mini_batch_error_threshold by its name in v1 files, allowed_failed_count",
     flag<&JobSpec::limits, &LimitSpec::allowed_failed_count>()},
    {"strict",
     "",
     kBooleans,
     "",
     "settings that contradict each other are refused, not only noticed",
     flag<&JobSpec::strict>()},
});

constexpr auto kLimits = std::to_array<Row>({
    {"retry_settings.max_retries", "", kCounts, "", "tries after the first one", kRetries},
    {"retry_settings.timeout",
     "run_invocation_timeout",
     kTimeouts,
     "",
     "time that one run() may take",
     seconds<timeouts, &JobSpec::limits, &LimitSpec::run_timeout>()},
    {"retry_settings.delay",
     "",
     "0 up to 259200 seconds",
     "",
     "pause between a failed attempt and the next",
     seconds<from_zero, &JobSpec::limits, &LimitSpec::retry_delay>()},
    {"retry_settings.retry_on",
     "",
     "a list of names, as in [OSError, requests.Timeout]",
     "every failure",
     "only these exceptions are tried again",
     exceptions<&JobSpec::limits, &LimitSpec::retry_on>()},
    {"retry_settings.fail_fast_on",
     "",
     "a list of names, as in [OSError, requests.Timeout]",
     "none",
     "these exceptions are never tried again",
     exceptions<&JobSpec::limits, &LimitSpec::fail_fast_on>()},
    {"error_threshold",
     "error_threshold",
     kThresholds,
     "",
     "failed items allowed; -1: any number",
     whole<-1, kIntMax, &JobSpec::limits, &LimitSpec::error_threshold>()},
    {"mini_batch_error_threshold",
     "",
     kThresholds,
     "",
     "failed mini-batches allowed; -1: any number",
     whole<-1, kIntMax, &JobSpec::limits, &LimitSpec::mini_batch_error_threshold>()},
    {"allowed_failed_percent",
     "allowed_failed_percent",
     "0 to 100",
     "",
     "failed mini-batches allowed, in percent of all",
     kPercent},
    {"task_overhead_timeout",
     "task_overhead_timeout",
     kTimeouts,
     "",
     "time that handing over one mini-batch may take",
     seconds<timeouts, &JobSpec::limits, &LimitSpec::overhead_timeout>()},
    {"progress_update_timeout",
     "progress_update_timeout",
     kTimeouts,
     "3 x (timeout + task_overhead_timeout)",
     "the job fails after this time without any progress",
     seconds<timeouts, &JobSpec::limits, &LimitSpec::progress_timeout>()},
    {"first_task_creation_timeout",
     "first_task_creation_timeout",
     "more than 0 up to 2147483647 seconds",
     "",
     "time until the first mini-batch; above 259200 with a notice",
     seconds<any_timeouts, &JobSpec::limits, &LimitSpec::first_task_timeout>()},
    {"init_timeout",
     "",
     kTimeouts,
     "3 x timeout + 30",
     "time that init() may take",
     seconds<timeouts, &JobSpec::limits, &LimitSpec::init_timeout>()},
    {"strict_results",
     "",
     kBooleans,
     "",
     "more rows than items fail the attempt",
     flag<&JobSpec::limits, &LimitSpec::strict_results>()},
    {"retry_short_returns",
     "",
     kBooleans,
     "",
     "fewer rows than items are tried again, the last time kept",
     flag<&JobSpec::limits, &LimitSpec::retry_short_returns>()},
    {"bisect_failed",
     "",
     kBooleans,
     "",
     "a mini-batch without a try left is halved until its bad items stand alone",
     flag<&JobSpec::limits, &LimitSpec::bisect_failed>()},
    {"speculate",
     "",
     kBooleans,
     "",
     "idle workers try late mini-batches a second time; the first to end counts",
     flag<&JobSpec::limits, &LimitSpec::speculate>()},
});

constexpr auto kMachine = std::to_array<Row>({
    {"max_concurrency_per_instance",
     "",
     "1 to 65535",
     "1 with GPUs, else as many as there are CPUs for them",
     "worker processes",
     whole<1, kWorkersMax, &JobSpec::worker, &WorkerSpec::count>()},
    {"max_rss_per_worker",
     "",
     "0 or a number of bytes, as in 512MB, 2GB",
     "",
     "a worker with more memory is replaced after its mini-batch; 0: no limit",
     bytes<0, &JobSpec::worker, &WorkerSpec::rss_max>()},
    {"max_batches_per_worker",
     "",
     kCounts,
     "",
     "a worker is replaced after this many mini-batches; 0: no limit",
     whole<0, kIntMax, &JobSpec::worker, &WorkerSpec::batches_max>()},
    {"memory_limit",
     "",
     "0 or a number of bytes, as in 512MB, 2GB",
     "80 % of what the machine or its control group has",
     "memory of engine and workers together; 0: memory is not watched",
     kMemoryLimit},
    {"nice",
     "nice",
     "0 to 20",
     "",
     "lowers the priority of the workers",
     whole<0, 20, &JobSpec::worker, &WorkerSpec::nice>()},
    {"gpus",
     "",
     "0 to 1024",
     "as many as are found",
     "GPUs of this machine that the job may use",
     whole<0, kGpusMax, &JobSpec::worker, &WorkerSpec::gpus>()},
    {"gpus_per_worker",
     "",
     "0.01 to 1, or a whole number up to 1024",
     "",
     "0.5: two workers share one; 2: each has two",
     kGpuShare},
    {"gpu_surplus",
     "",
     "auto, unset or hide",
     "",
     "what workers beyond the GPUs see of them",
     choice<kSurplus, &JobSpec::worker, &WorkerSpec::gpu_surplus>()},
    {"user_log_max",
     "",
     "at least 1KB, as in 512MB, 2GB",
     "",
     "size at which a log file of the script's is rotated",
     bytes<1024, &JobSpec::worker, &WorkerSpec::user_log_max>()},
});

constexpr auto kRecords = std::to_array<Row>({
    {"logging_level",
     "logging_level",
     "WARNING, INFO or DEBUG",
     "INFO",
     "how much is logged; handed to the script",
     kLoggingLevel},
    {"python_logging_level",
     "",
     "DEBUG, INFO, WARNING, ERROR or CRITICAL",
     "",
     "level of Python's root logger",
     kPythonLevel},
    {"resource_monitor_interval",
     "resource_monitor_interval",
     "0 up to 2147483647 seconds",
     "",
     "time between samples of processes, memory and disks; 0: none",
     seconds<intervals, &JobSpec::record, &RecordSpec::monitor_interval>()},
    {"profiling_module",
     "profiling_module",
     "cProfile or profile",
     "no profiles",
     "writes a profile of each worker",
     choice<kProfilers, &JobSpec::record, &RecordSpec::profiler>()},
    {"copy_logs_to_parent",
     "copy_logs_to_parent",
     kBooleans,
     "",
     "copies overview and logs to the parent run",
     flag<&JobSpec::record, &RecordSpec::copy_logs_to_parent>()},
    {"push_metrics_to_parent",
     "push_metrics_to_parent",
     kBooleans,
     "",
     "metrics go to the parent run too",
     flag<&JobSpec::record, &RecordSpec::push_metrics_to_parent>()},
    {"metrics_name_prefix",
     "metrics_name_prefix",
     "text",
     "",
     "prefix for the names of metrics",
     kMetricsPrefix},
});

std::vector<Setting> all_rows() {
  std::vector<Setting> all;
  const auto add = [&all](std::span<const Row> rows) {
    for (const Row& row : rows) {
      all.push_back({row.key,
                     row.argument,
                     row.allowed,
                     row.unset,
                     row.meaning,
                     row.codec.read,
                     row.codec.write});
    }
  };
  add(kStructure);
  add(kFormation);
  add(kTableRows);
  add(kLimits);
  add(kMachine);
  add(kRecords);
  return all;
}

}  // namespace

std::span<const Setting> settings() {
  static const std::vector<Setting> kAll = all_rows();
  return kAll;
}

std::string_view leaf_of(const Setting& setting) {
  return setting.key.substr(setting.key.rfind('.') + 1);
}

std::string_view group_of(const Setting& setting) {
  const std::size_t point = setting.key.rfind('.');
  return point == std::string_view::npos ? "" : setting.key.substr(0, point);
}

std::vector<std::string_view> setting_groups() {
  std::vector<std::string_view> groups;
  for (const Setting& setting : settings()) {
    const std::string_view key = setting.key;
    const std::string_view first = key.substr(0, key.find('.'));
    if (first == "task" || first == "inputs" || first == "outputs") continue;
    for (std::size_t end = key.find('.'); end != std::string_view::npos;
         end = key.find('.', end + 1)) {
      const std::string_view group = key.substr(0, end);
      if (std::ranges::find(groups, group) == groups.end()) groups.push_back(group);
    }
  }
  return groups;
}

std::vector<std::string_view> keys_in(std::string_view group) {
  std::vector<std::string_view> keys;
  for (const Setting& setting : settings()) {
    std::string_view key = setting.key;
    if (!group.empty()) {
      if (!key.starts_with(group) || key.substr(group.size(), 1) != ".") continue;
      key.remove_prefix(group.size() + 1);
    }
    key = key.substr(0, key.find('.'));
    if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  }
  return keys;
}

}  // namespace windrow
