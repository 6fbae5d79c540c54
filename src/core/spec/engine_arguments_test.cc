// SPDX-License-Identifier: Apache-2.0
#include "core/spec/engine_arguments.h"

#include <string>

#include <gtest/gtest.h>

#include "core/spec/job_file.h"

namespace windrow {
namespace {

std::expected<JobReading, std::vector<Problem>> read(const std::string& arguments,
                                                     const std::string& more = "",
                                                     const JobFlags& flags = {}) {
  const std::string text =
      "type: parallel\ninputs: {data: {path: in}, n: 12, f: {type: string, optional: true}, g: "
      "{optional: true}}\ninput_data: ${{inputs.data}}\ntask:\n  entry_script: s.py\n"
      "  program_arguments: >-\n    " +
      arguments + "\n" + more;
  return read_job_file({.file = "job.yml",
                        .text = text,
                        .folder = "/jobs",
                        .flags = flags,
                        .current_folder = "/here"});
}

JobReading reading_of(const std::string& arguments, const std::string& more = "") {
  auto reading = read(arguments, more);
  EXPECT_TRUE(reading) << (reading ? "" : problems_text(reading.error()));
  return reading ? *reading : JobReading{};
}

std::string problems(const std::string& arguments, const std::string& more = "") {
  const auto reading = read(arguments, more);
  return reading ? "" : problems_text(reading.error());
}

std::string notices(const std::string& arguments, const std::string& more = "") {
  return problems_text(reading_of(arguments, more).notices);
}

// C106
TEST(EngineArguments, AreUsedAndLeftForTheScript) {
  const JobReading reading = reading_of(
      "--mine 1 --error_threshold 5 --allowed_failed_percent=7.5 --task_overhead_timeout 40 "
      "--progress_update_timeout 50 --first_task_creation_timeout=60 --copy_logs_to_parent True "
      "--metrics_name_prefix p_ --push_metrics_to_parent true --resource_monitor_interval 0 "
      "--profiling_module cProfile --logging_level debug --append_row_dataframe_header 1 "
      "--append_row_safe_output true --rank_mini_batch_count -4 --nice 3 --score_run_timeout 9 "
      "--cleanup_leaked_queues --amlbi_async_mode false --amlbi_pf_run_mode component");
  const JobSpec& spec = reading.spec;
  EXPECT_EQ(spec.rows.field, "output");
  EXPECT_EQ(spec.limits.error_threshold, 5);
  EXPECT_EQ(spec.limits.allowed_failed_percent, 7.5);
  EXPECT_EQ(spec.limits.overhead_timeout, std::chrono::seconds(40));
  EXPECT_EQ(spec.limits.progress_timeout, std::chrono::seconds(50));
  EXPECT_EQ(spec.limits.first_task_timeout, std::chrono::seconds(60));
  EXPECT_TRUE(spec.record.copy_logs_to_parent);
  EXPECT_EQ(spec.record.metrics_name_prefix, "p_");
  EXPECT_TRUE(spec.record.push_metrics_to_parent);
  EXPECT_EQ(spec.record.monitor_interval, Duration(0));
  EXPECT_EQ(spec.record.profiler, Profiler::kCProfile);
  EXPECT_EQ(spec.record.logging_level, LoggingLevel::kDebug);
  EXPECT_TRUE(spec.record.logging_level_said);
  EXPECT_TRUE(spec.rows.header);
  EXPECT_EQ(spec.rank_mini_batch_count, 0U);
  EXPECT_EQ(spec.worker.nice, 3U);
  EXPECT_EQ(spec.limits.run_timeout, std::chrono::seconds(9));
  EXPECT_EQ(spec.arguments.size(), 37U) << "all of them are there for the script";
  EXPECT_EQ(reading.origins.at("nice"), "--nice in job.yml:6:22");
}

// C106
TEST(EngineArguments, AreReadInBothFormsAndTheLastOneWins) {
  EXPECT_EQ(reading_of("--nice=1 --nice 2").spec.worker.nice, 2U);
  EXPECT_EQ(reading_of("--run_invocation_timeout 5 --score_run_timeout=6").spec.limits.run_timeout,
            std::chrono::seconds(6));
  EXPECT_EQ(reading_of("--nice=\"'7'\"").spec.worker.nice, 7U) << "quotes are stripped";
  EXPECT_EQ(reading_of("--nic 9").spec.worker.nice, 0U) << "no abbreviations";
  EXPECT_EQ(reading_of("--nice 4 5 6").spec.worker.nice, 4U);
  EXPECT_EQ(reading_of("--error_threshold ${{inputs.n}}").spec.limits.error_threshold, 12);
}

// C106
TEST(EngineArguments, ThresholdsAreRoundedUp) {
  EXPECT_EQ(reading_of("--error_threshold 2.1").spec.limits.error_threshold, 3);
  EXPECT_EQ(reading_of("--error_threshold 5.0").spec.limits.error_threshold, 5);
  EXPECT_EQ(reading_of("--error_threshold -1").spec.limits.error_threshold, -1);
  EXPECT_EQ(reading_of("--error_threshold=-0.5").spec.limits.error_threshold, 0);
}

// C106
TEST(EngineArguments, OutOfRangeIsRefusedByNameValueAndRange) {
  EXPECT_EQ(problems("--error_threshold -2"),
            "job.yml:6:22: task.program_arguments: --error_threshold: -2 is out of range; allowed "
            "is -1 to 2147483647\n");
  for (const char* bad : {"--error_threshold -1.5",
                          "--error_threshold x",
                          "--error_threshold nan",
                          "--error_threshold",
                          "--nice 21",
                          "--nice",
                          "--nice --other",
                          "--allowed_failed_percent 101",
                          "--copy_logs_to_parent maybe",
                          "--profiling_module line",
                          "--logging_level ERROR",
                          "--task_overhead_timeout 0",
                          "--resource_monitor_interval -1",
                          "--rank_mini_batch_count many"}) {
    const std::string said = problems(bad);
    const std::string name(std::string_view(bad).substr(0, std::string_view(bad).find(' ')));
    EXPECT_NE(said.find(name + ": "), std::string::npos) << bad << said;
  }
}

// C109
TEST(EngineArguments, WhatIsNotBuiltIsRefusedWithASentence) {
  EXPECT_EQ(problems("--amlbi_async_mode true"),
            "job.yml:6:22: task.program_arguments: --amlbi_async_mode: the streaming mode is not "
            "supported yet; write run() so that it returns its results\n");
  EXPECT_EQ(problems("--amlbi_file_format csv"),
            "job.yml:6:22: task.program_arguments: --amlbi_file_format: 'csv' is not known; "
            "allowed is files, jsonl or table\n");
  EXPECT_NE(problems("--resume_from abc").find("windrow job resume"), std::string::npos);
}

// C110
TEST(EngineArguments, AMisspeltOneIsNoticedAndTheJobRuns) {
  EXPECT_EQ(notices("--resource_monitor_interva 20"),
            "job.yml:6:22: task.program_arguments: '--resource_monitor_interva' is given to the "
            "script only; did you mean --resource_monitor_interval?\n");
  EXPECT_NE(notices("--eror_treshold=2"), "");
  EXPECT_NE(notices("--nick 2"), "");
  EXPECT_EQ(notices("--file a --threshold 2 --model x --output_dir y -v --error 5"), "");
}

// C111
TEST(EngineArguments, GoOverTheFileAndUnderTheFlags) {
  EXPECT_EQ(reading_of("--nice 3", "nice: 4\n").spec.worker.nice, 3U);
  EXPECT_EQ(notices("--nice 3", "nice: 4\n"),
            "job.yml:8:7: nice: is not used: --nice among the arguments takes its place\n");
  EXPECT_EQ(notices("--nice 4", "nice: 4\n"), "");
  EXPECT_NE(problems("--nice 3", "nice: 4\nstrict: true\n"), "");
  JobFlags flags;
  flags.error_threshold = "9";
  const auto reading = read("--error_threshold 5", "", flags);
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->spec.limits.error_threshold, 9);
  EXPECT_EQ(problems_text(reading->notices),
            "job.yml:6:22: task.program_arguments: --error_threshold is given to the script only: "
            "--error-threshold takes its place\n");
}

// ---- $[[...]]

// C105
TEST(OptionalArguments, GoWithTheirInput) {
  EXPECT_EQ(reading_of("--a $[[--f ${{inputs.f}}]] --b $[[--n ${{inputs.n}}]]").spec.arguments,
            (std::vector<std::string>{"--a", "--b", "--n", "${{inputs.n}}"}));
  EXPECT_EQ(reading_of("$[[--g ${{inputs.g}}]]").spec.arguments, std::vector<std::string>{});
  EXPECT_EQ(reading_of("$[[--g ${{inputs.g}} --n ${{inputs.n}}]]").spec.arguments,
            std::vector<std::string>{});
  EXPECT_EQ(problems("--f ${{inputs.f}}"),
            "job.yml:6:22: task.program_arguments: input 'f' has no value; write $[[--flag "
            "${{inputs.f}}]] so that the argument goes with it\n");
  EXPECT_NE(problems("$[[--f ${{inputs.f}}"), "");
  EXPECT_NE(problems("$[[a $[[b]] ]]"), "");
  EXPECT_NE(problems("$[[--x ${{inputs.x}}]]"), "") << "not declared";
}

}  // namespace
}  // namespace windrow
