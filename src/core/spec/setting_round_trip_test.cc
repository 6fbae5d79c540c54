// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "core/spec/effective.h"
#include "core/spec/job_file.h"
#include "core/spec/settings.h"

namespace windrow {
namespace {

// A value of each setting, other than its default; a new row needs one here.
const std::map<std::string_view, std::string> kSamples = {
    {"resources.instance_count", "3"},
    {"mini_batch_size", "20"},
    {"partition_keys", "[a, b]"},
    {"partition_by", "[a]"},
    {"input_as", "jsonl"},
    {"frame", "polars"},
    {"rank_mini_batch_count", "4"},
    {"largest_first", "true"},
    {"allow_empty_input", "true"},
    {"append_row.format", "csv"},
    {"append_row.sep", "';'"},
    {"append_row.header", "true"},
    {"append_row.field", "answer"},
    {"output_exists", "overwrite"},
    {"staged_outputs", "true"},
    {"compat.v1_argv", "true"},
    {"compat.allowed_failed_count", "true"},
    {"strict", "true"},
    {"retry_settings.max_retries", "7"},
    {"retry_settings.timeout", "7"},
    {"retry_settings.delay", "7"},
    {"retry_settings.retry_on", "[OSError]"},
    {"retry_settings.fail_fast_on", "[OSError]"},
    {"error_threshold", "7"},
    {"mini_batch_error_threshold", "7"},
    {"allowed_failed_percent", "7"},
    {"task_overhead_timeout", "7"},
    {"progress_update_timeout", "7"},
    {"first_task_creation_timeout", "7"},
    {"init_timeout", "7"},
    {"strict_results", "true"},
    {"retry_short_returns", "true"},
    {"bisect_failed", "true"},
    {"speculate", "true"},
    {"max_concurrency_per_instance", "7"},
    {"max_rss_per_worker", "7GB"},
    {"max_batches_per_worker", "7"},
    {"memory_limit", "7GB"},
    {"nice", "7"},
    {"gpus", "7"},
    {"gpus_per_worker", "2"},
    {"gpu_surplus", "hide"},
    {"user_log_max", "7MB"},
    {"logging_level", "DEBUG"},
    {"python_logging_level", "ERROR"},
    {"resource_monitor_interval", "7"},
    {"profiling_module", "cProfile"},
    {"copy_logs_to_parent", "true"},
    {"push_metrics_to_parent", "true"},
    {"metrics_name_prefix", "a_"},
    {"table.format", "arrow"},
    {"table.delimiter", "';'"},
    {"table.header", "no_header"},
    {"table.encoding", "latin1"},
    {"table.infer_column_types", "false"},
    {"table.types", "mltable"},
    {"table.mixed_types", "true"},
    {"table.text_columns", "[a, b]"},
    {"table.empty_as_string", "true"},
    {"table.quotes", "false"},
    {"table.support_multi_line", "true"},
    {"table.include_path_column", "true"},
    {"table.comment", "'%'"},
    {"table.skip_lines", "7"},
    {"table.ragged", "fill"},
    {"table.invalid_lines", "drop"},
    {"table.count_rows", "true"},
};

// The key as maps in one line: "a: {b: 7}".
std::string line_of(std::string_view key, const std::string& value) {
  const std::size_t point = key.find('.');
  if (point == std::string_view::npos) return std::string(key) + ": " + value;
  return std::string(key.substr(0, point)) + ": {" + line_of(key.substr(point + 1), value) + "}";
}

std::string file_with(std::string_view key, const std::string& value) {
  std::string text =
      "type: parallel\ninputs: {data: {path: in}}\ninput_data: ${{inputs.data}}\n"
      "outputs: {rows: {type: uri_folder}}\n"
      "task: {entry_script: score.py, append_row_to: '${{outputs.rows}}'}\n";
  const bool table = key.starts_with("table.") || key == "partition_by";
  if (table) text += "input_as: table\n";
  return text + line_of(key, value) + "\n";
}

// C952
TEST(SettingRoundTrip, EachRowIsReadWrittenAndReadBack) {
  for (const Setting& setting : settings()) {
    if (setting.read == nullptr) continue;
    ASSERT_TRUE(kSamples.contains(setting.key)) << "give a sample of " << setting.key;
    const std::string text = file_with(setting.key, kSamples.at(setting.key));
    const auto reading = read_job_file({.file = "job.yml", .text = text, .folder = "/jobs"});
    ASSERT_TRUE(reading) << problems_text(reading.error()) << text;
    for (const Problem& notice : reading->notices) {
      EXPECT_EQ(notice.message.find(std::string(setting.key) + ": has no effect on"),
                std::string::npos)
          << notice.message;
    }
    const SettingValue value = setting.write(reading->spec);
    if (setting.key != "resources.instance_count") {  // a job has one node
      EXPECT_NE(value, setting.write(JobSpec{})) << setting.key << ": is not read";
    }
    EXPECT_TRUE(reading->origins.contains(std::string(setting.key))) << setting.key;
    const std::string written = effective_job_file(reading->spec, reading->origins);
    const auto back = read_job_file(
        {.file = "job.yml", .text = written, .folder = "/jobs", .written_by_us = true});
    ASSERT_TRUE(back) << problems_text(back.error()) << written;
    EXPECT_EQ(setting.write(back->spec), value) << setting.key;
    EXPECT_EQ(back->spec, reading->spec) << setting.key;
  }
}

// C952
TEST(SettingRoundTrip, AValueThatCannotBeIsRefusedInEachGroup) {
  for (const std::string_view group : setting_groups()) {
    const auto reading = read_job_file({.file = "job.yml",
                                        .text = file_with(std::string(group) + ".no_such", "1"),
                                        .folder = "/jobs"});
    ASSERT_FALSE(reading) << group;
    EXPECT_NE(problems_text(reading.error()).find("unknown key 'no_such'"), std::string::npos);
  }
  for (const char* nodes : {"0", "-2", "many"}) {
    const auto reading = read_job_file({.file = "job.yml",
                                        .text = file_with("resources.instance_count", nodes),
                                        .folder = "/jobs"});
    ASSERT_FALSE(reading);
    EXPECT_NE(problems_text(reading.error()).find("allowed is 1 to 2147483647, or -1 for all"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace windrow
