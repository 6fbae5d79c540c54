// SPDX-License-Identifier: Apache-2.0
#include "core/spec/short_form.h"

#include <string>

#include <gtest/gtest.h>

#include "core/spec/job_file.h"
#include "core/spec/job_paths.h"

namespace windrow {
namespace {

class ShortFormTest : public ::testing::Test {
 protected:
  ShortFormTest() { flags_.input = {"in"}; }

  JobReading reading_of(const std::string& script = "score.py") {
    auto reading = read_short_form(script, flags_, "/here");
    EXPECT_TRUE(reading) << (reading ? "" : problems_text(reading.error()));
    return reading ? *reading : JobReading{};
  }

  JobSpec spec_of(const std::string& script = "score.py") { return reading_of(script).spec; }

  std::string target() { return resolve_job_paths(spec_of(), "/job").targets.at(0); }

  std::string problems(const std::string& script = "score.py") {
    const auto reading = read_short_form(script, flags_, "/here");
    return reading ? "" : problems_text(reading.error());
  }

  // The job file with the flags laid over it.
  std::expected<JobReading, std::vector<Problem>> over(std::string text) {
    return read_job_file({"job.yml", std::move(text), "/jobs", {}, flags_, "/here", false});
  }

  JobFlags flags_;
};

constexpr const char* kFile = R"(type: parallel
inputs: {images: {path: in}, labels: {path: labels}}
input_data: ${{inputs.images}}
outputs: {main: {path: out}}
retry_settings: {timeout: 5, max_retries: 1}
task: {entry_script: score.py, append_row_to: "${{outputs.main}}", args: old}
)";

TEST_F(ShortFormTest, AScriptAndAnInputAreAJob) {
  const JobSpec spec = spec_of("sub/score.py");
  EXPECT_EQ(spec.code, "/here/sub");
  EXPECT_EQ(spec.entry_script, "score.py");
  EXPECT_EQ(spec.inputs, (std::vector<InputSpec>{{.name = "data", .paths = {"/here/in"}}}));
  EXPECT_EQ(spec.input_data, std::vector<std::string>{"data"});
  EXPECT_EQ(spec.mini_batch_size.files, 10U);
  EXPECT_EQ(spec.limits.tries_max, 3U);
  EXPECT_EQ(target(), "/job/outputs/output/parallel_run_step.txt");
}

TEST_F(ShortFormTest, AProgramTakesThePlaceOfAScript) {  // C650
  flags_.arguments = {"--flag", "a b"};
  const JobSpec here = spec_of("./scorer");
  EXPECT_EQ(here.command, "/here/scorer");
  EXPECT_EQ(here.arguments, *flags_.arguments);
  EXPECT_EQ(here.command_mode, CommandMode::kProtocol);
  flags_.command_mode = "filter";
  const JobSpec found = spec_of("xargs");
  EXPECT_EQ(found.command, "xargs");
  EXPECT_EQ(found.code, "/here");
  EXPECT_EQ(found.command_mode, CommandMode::kFilter);
  flags_.command_mode = "pipe";
  EXPECT_EQ(problems("xargs"),
            "--command-mode: 'pipe' is not known; allowed is protocol, lines or filter\n");
}

TEST_F(ShortFormTest, RowsGoWhereTheFlagsSay) {
  flags_.output = "out";
  EXPECT_EQ(target(), "/here/out/parallel_run_step.txt");
  flags_.append_row_to = "p.csv";
  EXPECT_EQ(target(), "/here/out/p.csv") << "a bare name stands in the output folder";
  flags_.append_row_to = "./p.csv";
  EXPECT_EQ(target(), "/here/p.csv");
  flags_.append_row_to = "/abs/p.csv";
  EXPECT_EQ(target(), "/abs/p.csv");
  flags_.output.reset();
  flags_.append_row_to = "p.csv";
  EXPECT_EQ(target(), "/here/p.csv");
}

TEST_F(ShortFormTest, EveryFlagIsUnderstood) {
  flags_.mini_batch_size = "3";
  flags_.workers = "4";
  flags_.timeout = "1.5";
  flags_.max_retries = "0";
  flags_.error_threshold = "7";
  flags_.mini_batch_error_threshold = "8";
  flags_.logging_level = "warning";
  flags_.gpus = "2";
  flags_.nice = "5";
  flags_.python = "python3.11";
  flags_.job_dir = "../job";
  flags_.name = "mine";
  flags_.retry_of = "old";
  flags_.arguments = {{"--a", "b c", "", "\xff"}};
  const JobSpec spec = spec_of();
  EXPECT_EQ(spec.mini_batch_size.files, 3U);
  EXPECT_EQ(spec.worker.count, 4U);
  EXPECT_EQ(spec.limits.run_timeout, std::chrono::milliseconds(1500));
  EXPECT_EQ(spec.limits.tries_max, 1U);
  EXPECT_EQ(spec.limits.error_threshold, 7);
  EXPECT_EQ(spec.limits.mini_batch_error_threshold, 8);
  EXPECT_EQ(spec.record.logging_level, LoggingLevel::kWarning);
  EXPECT_EQ(spec.worker.gpus, 2U);
  EXPECT_EQ(spec.worker.nice, 5U);
  EXPECT_EQ(spec.python, "python3.11");
  EXPECT_EQ(spec.job_folder, "/here/../job");
  EXPECT_EQ(spec.name, "mine");
  EXPECT_EQ(spec.retry_of, "old");
  EXPECT_EQ(spec.arguments, *flags_.arguments);
}

// C104
TEST_F(ShortFormTest, SeveralInputsAreInputsOfTheirOwn) {
  flags_.input = {"in", "@list", "-", "*.png"};
  const JobSpec spec = spec_of();
  EXPECT_EQ(spec.input_data, (std::vector<std::string>{"data", "data2", "data3", "data4"}));
  EXPECT_EQ(spec.inputs[0].paths[0], "/here/in");
  EXPECT_EQ(spec.inputs[1].paths[0], "@/here/list");
  EXPECT_EQ(spec.inputs[2].paths[0], "-");
  EXPECT_EQ(spec.inputs[3].paths[0], "/here/*.png");
  const auto laid = over(kFile);
  EXPECT_EQ(laid ? "" : problems_text(laid.error()), "");
}

// C74
TEST_F(ShortFormTest, SetGoesWithAScriptToo) {
  const auto with = [this](const SetValues& sets) {
    return read_short_form("score.py", flags_, "/here", sets);
  };
  const auto reading = with({{"append_row.format", "csv"}, {"retry_settings.delay", "2"}});
  ASSERT_TRUE(reading) << problems_text(reading.error());
  EXPECT_EQ(reading->spec.rows.format, RowFormat::kCsv);
  EXPECT_EQ(reading->origins.at("retry_settings.delay"), "--set retry_settings.delay=2");
  const auto refused = with({{"append_row.formt", "csv"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(problems_text(refused.error()),
            "--set append_row.formt=csv: unknown key 'formt'; did you mean 'format'?\n");
}

// C108
TEST_F(ShortFormTest, MiniBatchesWithoutItemsNeedNoInput) {
  flags_.input.clear();
  flags_.arguments = {{"--rank_mini_batch_count", "4"}};
  EXPECT_EQ(spec_of().rank_mini_batch_count, 4U);
  EXPECT_TRUE(spec_of().input_data.empty());
}

TEST_F(ShortFormTest, EveryProblemNamesItsFlag) {
  flags_.input.clear();
  flags_.mini_batch_size = "0";
  flags_.workers = "0";
  flags_.timeout = "0";
  flags_.max_retries = "-1";
  flags_.error_threshold = "x";
  flags_.name = "-n";
  EXPECT_EQ(
      problems("score/"),
      "score/: is not a Python file (.py), job file (.yml, .yaml) or program\n"
      "--input: is missing; it names the folder to read\n"
      "--name: '-n' is not a job name; allowed are 1 to 255 letters, digits, '-', '_' and '.', "
      "not starting with '-' or '.'\n"
      "--mini-batch-size: '0' is out of range; at least 1\n"
      "--max-retries: -1 is out of range; allowed is 0 to 2147483647\n"
      "--timeout: 0 is out of range; allowed is more than 0 up to 259200 seconds\n"
      "--error-threshold: 'x' is not a whole number; allowed is -1 to 2147483647\n"
      "--workers: 0 is out of range; allowed is 1 to 65535\n");
}

TEST_F(ShortFormTest, PathsThatAreNoneAreRefused) {
  flags_.input = {"azureml://datastores/x"};
  flags_.output = "";
  flags_.append_row_to = "";
  flags_.job_dir = "";
  flags_.python = "";
  EXPECT_EQ(
      problems(),
      "--input: 'azureml://datastores/x' is not a path of this machine; copy what is there to "
      "this machine, and give that path here (with type uri_folder or uri_file) or by "
      "--input\n"
      "--output: is empty; a path is expected\n"
      "--append-row-to: is empty; a path is expected\n"
      "--python: is empty\n"
      "--job-dir: is empty; a path is expected\n");
}

TEST_F(ShortFormTest, PathsNeedNotBeUtf8) {
  flags_.input = {"gr\xfcn"};
  EXPECT_EQ(spec_of().inputs[0].paths[0], "/here/gr\xfcn");
}

TEST_F(ShortFormTest, OriginsNameFlagsAndDefaults) {
  flags_.timeout = "5";
  const Origins origins = reading_of().origins;
  EXPECT_EQ(origins.at("retry_settings.timeout"), "--timeout");
  EXPECT_EQ(origins.at("inputs.data.path"), "--input");
  EXPECT_EQ(origins.at("task.entry_script"), "score.py");
  EXPECT_EQ(origins.at("task.append_row_to"), "default");
  EXPECT_FALSE(origins.contains("error_threshold"));
}

TEST_F(ShortFormTest, FlagsOverrideAJobFile) {
  flags_.timeout = "9";
  flags_.output = "new";
  flags_.arguments = {{"x"}};
  const auto reading = over(kFile);
  ASSERT_TRUE(reading) << problems_text(reading.error());
  const JobSpec& spec = reading->spec;
  EXPECT_EQ(spec.inputs,
            (std::vector<InputSpec>{{.name = "images", .paths = {"/here/in"}},
                                    {.name = "labels", .paths = {"/jobs/labels"}}}));
  EXPECT_EQ(spec.limits.run_timeout, std::chrono::seconds(9));
  EXPECT_EQ(spec.limits.tries_max, 2U);
  EXPECT_EQ(spec.arguments, (std::vector<std::string>{"x"}));
  EXPECT_EQ(resolve_job_paths(spec, "/job").targets.at(0), "/here/new/parallel_run_step.txt");
  EXPECT_EQ(reading->origins.at("retry_settings.timeout"), "--timeout");
  EXPECT_EQ(reading->origins.at("retry_settings.max_retries"), "job.yml:5:43");
}

// C522
TEST_F(ShortFormTest, RowsWithAFileOfTheirOwnGoIntoTheFolderOfOutput) {
  flags_.output = "new";
  const std::string text = kFile;
  const auto with_output = [&](const std::string& output) {
    const auto reading = over(std::string(text).replace(text.find("{path: out}"), 11, output));
    EXPECT_TRUE(reading) << (reading ? "" : problems_text(reading.error()));
    return reading ? resolve_job_paths(reading->spec, "/job").targets.at(0) : "";
  };
  EXPECT_EQ(with_output("{type: uri_file, path: a/p.csv}"), "/here/new/p.csv");
  EXPECT_EQ(with_output("{type: uri_file}"), "/here/new/parallel_run_step.txt");
  flags_.append_row_to = "rows.txt";
  EXPECT_EQ(with_output("{type: uri_file, path: a/p.csv}"), "/here/new/rows.txt");
}

// C523
TEST_F(ShortFormTest, ArgumentsAfterTheDashesTakeThePlaceOfThoseInTheFile) {
  flags_.arguments = {{"x"}};
  const auto reading = over(kFile);
  ASSERT_TRUE(reading) << problems_text(reading.error());
  EXPECT_EQ(reading->spec.arguments, std::vector<std::string>{"x"});
  EXPECT_EQ(problems_text(reading->notices),
            "job.yml:6:74: task.args: is not used: the arguments after -- take its place\n");
}

TEST_F(ShortFormTest, ARowFileOverridesTheTargetOfAJobFile) {
  flags_.append_row_to = "p.csv";
  const auto reading = over(kFile);
  ASSERT_TRUE(reading) << problems_text(reading.error());
  EXPECT_EQ(resolve_job_paths(reading->spec, "/job").targets.at(0), "/here/p.csv");
  EXPECT_EQ(reading->spec.outputs.size(), 2U);
  const auto again = over(std::string(kFile).replace(
      std::string(kFile).find("{path: out}"), 11, "{type: uri_file, path: out}"));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->spec.outputs,
            (std::vector<OutputSpec>{{"main", OutputType::kFile, "/here/p.csv"}}));
}

TEST_F(ShortFormTest, FlagsOverABrokenFileLeaveItsProblemsToBeSaid) {
  flags_.output = "o";
  flags_.timeout = "5";
  flags_.arguments = {{"x"}};
  EXPECT_FALSE(over("just text"));
  const auto reading =
      over("type: parallel\ninputs: x\noutputs: [y]\nretry_settings: z\ntask: 5\n");
  ASSERT_FALSE(reading);
  EXPECT_EQ(problems_text(reading.error()),
            "job.yml:2:9: inputs: keys are expected below it\n"
            "job.yml:3:10: outputs: keys are expected below it\n"
            "job.yml:4:17: retry_settings: keys are expected below it\n"
            "job.yml:5:7: task: keys are expected below it\n"
            "--input: no input 'data' is declared\n");
}

}  // namespace
}  // namespace windrow
