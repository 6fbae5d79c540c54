// SPDX-License-Identifier: Apache-2.0
#include "core/spec/v1_config.h"

#include <string>

#include <gtest/gtest.h>

#include "core/spec/effective.h"
#include "core/spec/job_file.h"
#include "core/spec/job_paths.h"

namespace windrow {
namespace {

constexpr const char* kWhole = R"(parallel_run_config:
  environment: {name: batch}
  entry_script: digit.py
  error_threshold: 10
  output_action: Append_Row
  compute_target_name: gpu-cluster
  node_count: 2
  process_count_per_node: 4
  mini_batch_size: "5"
  source_directory: scripts
  description: digits
  logging_level: debug
  run_invocation_timeout: 600
  run_max_try: 5
  append_row_file_name: digits.txt
  allowed_failed_count: 3
  allowed_failed_percent: 20
  environment_variables: {A: b}
)";

constexpr const char* kLeast = R"(parallel_run_config:
  entry_script: digit.py
  error_threshold: -1
  output_action: append_row
  compute_target_name: local
  node_count: 1
)";

class V1ConfigTest : public ::testing::Test {
 protected:
  V1ConfigTest() { flags_.input = {"images"}; }

  std::expected<JobReading, std::vector<Problem>> read(const std::string& text) {
    return read_job_file({.file = "prc.yml",
                          .text = text,
                          .folder = "/jobs",
                          .flags = flags_,
                          .current_folder = "/here"});
  }

  JobReading reading_of(const std::string& text) {
    auto reading = read(text);
    EXPECT_TRUE(reading) << (reading ? "" : problems_text(reading.error()));
    return reading ? *reading : JobReading{};
  }

  std::string problems(const std::string& text) {
    const auto reading = read(text);
    return reading ? "" : problems_text(reading.error());
  }

  JobFlags flags_;
};

// C112
TEST_F(V1ConfigTest, EveryParameterHasItsPlaceInTheJob) {
  flags_.output = "out";
  const JobReading reading = reading_of(kWhole);
  const JobSpec& spec = reading.spec;
  EXPECT_EQ(script_path(spec), "/jobs/scripts/digit.py");
  EXPECT_EQ(spec.inputs, (std::vector<InputSpec>{{.name = "data", .paths = {"/here/images"}}}));
  EXPECT_EQ(spec.limits.error_threshold, 10);
  EXPECT_EQ(spec.worker.count, 4U);
  EXPECT_EQ(spec.mini_batch_size.files, 5U);
  EXPECT_EQ(spec.labels.description, "digits");
  EXPECT_EQ(spec.record.logging_level, LoggingLevel::kDebug);
  EXPECT_EQ(spec.limits.run_timeout, std::chrono::seconds(600));
  EXPECT_EQ(spec.limits.tries_max, 5U) << "tries, not retries";
  EXPECT_EQ(spec.limits.mini_batch_error_threshold, 3);
  EXPECT_TRUE(spec.limits.allowed_failed_count);
  EXPECT_EQ(spec.limits.allowed_failed_percent, 20);
  EXPECT_EQ(spec.environment_variables.at("A"), "b");
  const JobPaths paths = resolve_job_paths(spec, "/job");
  EXPECT_EQ(paths.targets.at(0), "/here/out/digits.txt");
  EXPECT_EQ(paths.output_folder, "/here/out");
  EXPECT_EQ(reading.origins.at("retry_settings.timeout"), "prc.yml:13:27");
  EXPECT_EQ(problems_text(reading.notices),
            "prc.yml:2:16: parallel_run_config.environment: is not used: the script runs with the "
            "interpreter that is printed at start\n"
            "prc.yml:6:24: parallel_run_config.compute_target_name: 'gpu-cluster' is not known "
            "here; the job runs on this machine\n"
            "prc.yml:7:15: parallel_run_config.node_count: 2 nodes are asked for; this machine is "
            "the only one\n");
  const auto again = read_job_file({.file = "job.yml",
                                    .text = effective_job_file(spec, reading.origins),
                                    .folder = "/job",
                                    .written_by_us = true});
  ASSERT_TRUE(again) << problems_text(again.error());
  EXPECT_EQ(again->spec, spec);
}

// C971
TEST_F(V1ConfigTest, ALimitKeepsTheNameThatItWasSetBy) {
  flags_.output = "out";
  EXPECT_FALSE(reading_of(kLeast).spec.limits.allowed_failed_count) << "nobody has set it";
  EXPECT_TRUE(reading_of(kWhole).spec.limits.allowed_failed_count);
  flags_.mini_batch_error_threshold = "4";
  EXPECT_FALSE(reading_of(kWhole).spec.limits.allowed_failed_count) << "a flag";
}

// C112
TEST_F(V1ConfigTest, DefaultsAreThoseOfV1) {
  const JobSpec spec = reading_of(kLeast).spec;
  EXPECT_EQ(spec.mini_batch_size.files, 10U);
  EXPECT_EQ(spec.limits.run_timeout, std::chrono::seconds(60));
  EXPECT_EQ(spec.limits.tries_max, 3U);
  EXPECT_EQ(spec.limits.allowed_failed_percent, 100);
  EXPECT_EQ(resolve_job_paths(spec, "/job").targets.at(0),
            "/job/outputs/output/parallel_run_step.txt");
  flags_.output = "out";
  EXPECT_EQ(resolve_job_paths(reading_of(kLeast).spec, "/job").targets.at(0),
            "/here/out/parallel_run_step.txt");
  flags_.append_row_to = "mine.txt";
  EXPECT_EQ(resolve_job_paths(reading_of(kLeast).spec, "/job").targets.at(0), "/here/out/mine.txt");
}

// C112
TEST_F(V1ConfigTest, SummaryOnlyKeepsNoRows) {
  std::string text = kLeast;
  text.replace(text.find("append_row"), 10, "SUMMARY_ONLY");
  flags_.output = "out";
  const JobSpec spec = reading_of(text).spec;
  EXPECT_TRUE(spec.append_row_to.empty());
  EXPECT_EQ(resolve_job_paths(spec, "/job").output_folder, "/here/out");
}

// C112
TEST_F(V1ConfigTest, WhatIsMissingIsSaidUnderItsName) {
  flags_.input.clear();
  EXPECT_EQ(problems("parallel_run_config:\n  description: x\n"),
            "prc.yml:2:3: parallel_run_config.error_threshold is missing\n"
            "prc.yml:2:3: parallel_run_config.output_action is missing\n"
            "prc.yml:2:3: parallel_run_config.compute_target_name is missing\n"
            "prc.yml:2:3: parallel_run_config.node_count is missing\n"
            "prc.yml:2:3: parallel_run_config.entry_script is missing\n"
            "--input: is missing; a parallel_run_config has none of its own\n");
  EXPECT_EQ(problems("parallel_run_config: 5\n").substr(0, 43),
            "prc.yml:1:22: parallel_run_config: keys are");
}

// C112, C73
TEST_F(V1ConfigTest, MistakesAreToldAtOnceUnderTheNamesOfTheFile) {
  EXPECT_EQ(problems(kLeast + std::string("  run_max_try: 0\n"
                                          "  run_invocation_timeout: 0\n"
                                          "  mini_batch_sise: 5\n"
                                          "  process_count_per_node: none\n"
                                          "  partition_keys: [a, a]\n"
                                          "more: 1\n")),
            "prc.yml:7:16: parallel_run_config.run_max_try: 0 is out of range; allowed is 1 to "
            "2147483647\n"
            "prc.yml:8:27: parallel_run_config.run_invocation_timeout: 0 is out of range; allowed "
            "is more than 0 up to 259200 seconds\n"
            "prc.yml:9:3: parallel_run_config: unknown key 'mini_batch_sise'; did you mean "
            "'mini_batch_size'?\n"
            "prc.yml:10:27: parallel_run_config.process_count_per_node: 'none' is not a whole "
            "number; allowed is 1 to 65535\n"
            "prc.yml:11:19: parallel_run_config.partition_keys: 'a,a' has 'a' twice; allowed is a "
            "list of names, or its JSON text\n"
            "prc.yml:12:1: unknown key 'more'; allowed are parallel_run_config\n");
}

// C955 C956 C957 C958
TEST_F(V1ConfigTest, FoldersAndNodesAreWhatTheSdkTakes) {
  flags_.output = "out";
  const auto one = reading_of(kLeast + std::string("  source_directory: [src]\n"));
  EXPECT_EQ(script_path(one.spec), "/jobs/src/digit.py");
  EXPECT_NE(problems(kLeast + std::string("  source_directory: [a, b]\n")).find("is one folder"),
            std::string::npos);
  for (const char* script : {"../x.py", "/else/x.py", "sub/../../x.py"}) {
    std::string text = kLeast + std::string("  source_directory: src\n");
    text.replace(text.find("digit.py"), 8, script);
    EXPECT_NE(problems(text).find("does not lie in source_directory"), std::string::npos) << script;
  }
  for (const char* nodes : {"0", "-1", "-2", "many"}) {
    std::string text = kLeast;
    text.replace(text.find("node_count: 1"), 13, std::string("node_count: ") + nodes);
    const std::string said = problems(text);
    EXPECT_NE(said.find("allowed is 1 to 2147483647\n"), std::string::npos) << said;
    EXPECT_EQ(said.find('\n'), said.size() - 1) << said;
  }
  const auto bare =
      read_job_file({.file = "prc.yml", .text = kLeast, .folder = "/jobs", .needs_input = false});
  EXPECT_TRUE(bare);
}

// C553
TEST_F(V1ConfigTest, NamesOfV2AreToldUnderTheNamesOfTheFile) {
  const auto right = [this](const std::string& key) {
    const std::string said = problems(kLeast + ("  " + key + ": 1\n"));
    return said.substr(said.find("; ") + 2);
  };
  EXPECT_EQ(right("compute_target"), "did you mean 'compute_target_name'?\n");
  EXPECT_EQ(right("compute"), "did you mean 'compute_target_name'?\n");
  EXPECT_EQ(right("max_retries"), "did you mean 'run_max_try'?\n");
  EXPECT_EQ(right("code"), "did you mean 'source_directory'?\n");
}

// C113
TEST_F(V1ConfigTest, ANameOfAResultFileIsChecked) {
  const auto with = [this](const std::string& name) {
    return problems(kLeast + std::string("  append_row_file_name: '") + name + "'\n");
  };
  EXPECT_EQ(with("a.txt"),
            "prc.yml:7:25: parallel_run_config.append_row_file_name: needs --output, the folder "
            "that the file goes into\n");
  flags_.output = "out";
  EXPECT_EQ(with("a b-1.txt"), "");
  for (const char c : std::string("~\"#%&*:<>?/\\{}|")) {
    EXPECT_NE(with(std::string("a") + c).find("is not a file name"), std::string::npos) << c;
  }
  EXPECT_NE(with(""), "");
  EXPECT_NE(with(".."), "");
}

// C114
TEST_F(V1ConfigTest, ArgumentsDoNotRepeatParameters) {
  const auto with = [this](std::vector<std::string> arguments) {
    flags_.arguments = std::move(arguments);
    return problems(kLeast);
  };
  EXPECT_EQ(with({"foo"}), "arguments after --: 'foo': the first argument must begin with '-'\n");
  EXPECT_EQ(with({"-a", "--mini_batch_size", "3"}),
            "arguments after --: --mini_batch_size is a parameter of parallel_run_config; set it "
            "there\n");
  EXPECT_NE(with({"--error_threshold=3"}), "");
  EXPECT_NE(with({"--logging_level", "INFO"}), "");
  EXPECT_EQ(with({"-a", "foo", "--resource_monitor_interval", "20"}), "");
  EXPECT_EQ(reading_of(kLeast).spec.record.monitor_interval, std::chrono::seconds(20));
  flags_.arguments = {{"--resource_monitor_interva", "20"}};
  EXPECT_NE(problems_text(reading_of(kLeast).notices).find("did you mean"), std::string::npos);
}

}  // namespace
}  // namespace windrow
