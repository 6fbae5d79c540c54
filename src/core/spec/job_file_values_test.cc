// SPDX-License-Identifier: Apache-2.0
//
// Single values of a job file: numbers, names, arguments, sizes, and those of --set.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/spec/job_file_test.h"
#include "core/spec/job_paths.h"

namespace windrow {
namespace {

class JobFileValuesTest : public ::testing::Test, protected JobFileWords {};

struct Number {
  const char* line;  // `key: %`
  std::vector<const char*> good;
  std::vector<const char*> bad;
};

TEST_F(JobFileValuesTest, EveryNumberIsTakenInItsRangeAndRefusedBesideIt) {
  const std::vector<Number> numbers = {
      {"error_threshold: %", {"-1", "0", "2147483647", "'5'"}, {"-2", "2147483648"}},
      {"mini_batch_error_threshold: %", {"-1", "2147483647"}, {"-2", "2147483648"}},
      {"max_concurrency_per_instance: %", {"1", "65535"}, {"0", "65536"}},
      {"retry_settings: {max_retries: %}", {"0", "2147483647"}, {"-1", "2147483648"}},
      {"retry_settings: {timeout: %}",
       {"0.000000001", "259200"},
       {"0", "-1", "259200.5", "259201"}},
      {"mini_batch_size: %",
       {"1", "2147483647"},
       {"0", "-1", "2147483648", "10kbmb", "5 rows", "10, 5 files"}},
      {"resources: {instance_count: %}", {"1", "-1", "2147483647"}, {"0", "-2", "2147483648"}},
  };
  for (const Number& number : numbers) {
    const auto with = [&](const char* value) {
      std::string line = number.line;
      return kSmall + line.replace(line.find('%'), 1, value) + "\n";
    };
    for (const char* good : number.good) EXPECT_EQ(problems(with(good)), "") << with(good);
    std::vector<const char*> bad = number.bad;
    bad.insert(bad.end(),
               {"text",
                "null",
                "~",
                "\"\"",
                "nan",
                ".nan",
                "NaN",
                ".inf",
                "1e3",
                "[1]",
                "{a: 1}",
                "true",
                "0x10",
                "99999999999999999999999999"});
    for (const char* value : bad) {
      const std::string said = problems(with(value));
      EXPECT_TRUE(said.starts_with("job.yml:7:")) << with(value) << said;
      EXPECT_EQ(said.find('\n'), said.size() - 1) << "one problem: " << said;
    }
  }
}

TEST_F(JobFileValuesTest, TriesAreRetriesAndOne) {
  EXPECT_EQ(
      spec_of(kSmall + std::string("retry_settings: {max_retries: 2147483647}")).limits.tries_max,
      2147483648U);
}

TEST_F(JobFileValuesTest, TheScriptIsFoundWithAndWithoutACodeFolder) {
  const auto with = [](const std::string& task) {
    return "type: parallel\ninputs: {a: {path: x}}\ninput_data: ${{inputs.a}}\ntask: {" + task +
           "}\n";
  };
  EXPECT_EQ(script_path(spec_of(with("entry_script: sub/a.py"))), "/jobs/sub/a.py");
  EXPECT_EQ(spec_of(with("entry_script: sub/a.py")).code, "/jobs/sub");
  EXPECT_EQ(script_path(spec_of(with("code: src, entry_script: sub/a.py"))), "/jobs/src/sub/a.py");
  EXPECT_EQ(script_path(spec_of(with("code: /src, entry_script: pkg.main"))), "/src/pkg/main.py");
  EXPECT_EQ(script_path(spec_of(with("entry_script: pkg.main"))), "/jobs/pkg/main.py");
  EXPECT_EQ(script_path(spec_of(with("entry_script: /x/a.py"))), "/x/a.py");
}

TEST_F(JobFileValuesTest, ProgramArgumentsAreChecked) {
  const auto with = [this](const std::string& line) { return problems(kSmall + line + "\n"); };
  EXPECT_EQ(with("  program_arguments: \"--a 'b\""),
            "job.yml:7:22: task.program_arguments: a ' that is never closed\n");
  EXPECT_EQ(with("  program_arguments: --a ${{inputs.x}} ${{outputs.y}}"),
            "job.yml:7:22: task.program_arguments: no input 'x' is declared\n");
  EXPECT_EQ(with("  program_arguments:"), "");
  EXPECT_EQ(with("  args: a b"), "");
  EXPECT_EQ(with("  args: a b\n  program_arguments: c"),
            "job.yml:7:9: task.args: program_arguments says the same; use one\n");
}

TEST_F(JobFileValuesTest, NamesAndVariablesAreChecked) {
  EXPECT_EQ(problems(kSmall + std::string("name: a/b\n")).substr(0, 36),
            "job.yml:7:7: name: 'a/b' is not a jo");
  EXPECT_EQ(
      problems(kSmall + std::string("outputs: {a-b: {}}\n")),
      "job.yml:7:16: outputs.a-b: 'a-b' is not a name; allowed are letters, digits and '_', not "
      "starting with a digit\n");
  EXPECT_EQ(
      problems(kSmall + std::string("environment_variables: {'A=B': c}\n")),
      "job.yml:7:24: environment_variables: 'A=B' is not the name of an environment variable\n");
  EXPECT_EQ(problems(kSmall + std::string("environment_variables: {A: }\n")).substr(0, 37),
            "job.yml:7:25: environment_variables.A");
}

TEST_F(JobFileValuesTest, ThousandsOfProblemsAreCountedAndNotListed) {
  std::string text = kSmall;
  for (int i = 0; i < 3000; ++i) text += "wrong" + std::to_string(i) + ": 1\n";
  const auto reading = read(text);
  ASSERT_FALSE(reading);
  EXPECT_EQ(reading.error().size(), 101U);
  EXPECT_EQ(reading.error().back().message, "from here on 2,900 more problems");
}

TEST_F(JobFileValuesTest, AMegabyteOfTagsIsRead) {
  std::string text = kSmall;
  text += "tags:\n";
  for (int i = 0; text.size() < 1000000; ++i) text += "  tag_number_" + std::to_string(i) + ": x\n";
  EXPECT_GT(spec_of(text).labels.tags.size(), 40000U);
}

TEST_F(JobFileValuesTest, OnlyAFileOfOurOwnMayBeLonger) {
  const std::string text =
      std::string(kSmall) + "description: '" + std::string(2000000, 'x') + "'\n";
  EXPECT_NE(problems(text), "");
  input_.written_by_us = true;
  EXPECT_EQ(problems(text), "");
}

TEST_F(JobFileValuesTest, TextThatIsNotUtf8IsRefusedWithItsPlace) {
  EXPECT_EQ(problems(kSmall + std::string("description: gr\xfcn\n")),
            "job.yml:7:16: not UTF-8: byte 0xfc\n");
}

// ---- --set

TEST_F(JobFileValuesTest, SetWorksAsIfItStoodInTheFile) {
  set("retry_settings.timeout", "5");
  set("inputs.data.path", "other");
  set("error_threshold", "3");
  const auto reading = read(kSmall + std::string("error_threshold: 2\n"));
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->spec.limits.run_timeout, std::chrono::seconds(5));
  EXPECT_EQ(reading->spec.inputs[0].paths[0], "/jobs/other");
  EXPECT_EQ(reading->spec.limits.error_threshold, 3);
  EXPECT_EQ(reading->origins.at("error_threshold"), "--set error_threshold=3");
  EXPECT_EQ(reading->origins.at("task.entry_script"), "job.yml:6:17");
}

TEST_F(JobFileValuesTest, OfAWrongSizeNothingElseIsSaid) {
  const auto reading = read(kSmall + std::string("input_as: table\nmini_batch_size: many\n"));
  ASSERT_FALSE(reading);
  EXPECT_EQ(reading.error().size(), 1U) << problems_text(reading.error());
}

TEST_F(JobFileValuesTest, AWrongSetIsRefusedByItsOwnWords) {
  set("retry_settings.timeout", "0");
  set("mini_batch_sise", "5");
  set("type.x", "5");
  set("a..b", "5");
  set("", "5");
  EXPECT_EQ(
      problems(kSmall),
      "--set mini_batch_sise=5: unknown key 'mini_batch_sise'; did you mean "
      "'mini_batch_size'?\n"
      "--set retry_settings.timeout=0: 0 is out of range; allowed is more than 0 up to 259200 "
      "seconds\n"
      "--set type.x=5: 'x' has no place: a value stands where keys are expected\n"
      "--set a..b=5: 'a..b' is not a path of keys, as in retry_settings.timeout\n"
      "--set =5: '' is not a path of keys, as in retry_settings.timeout\n");
}

// C940
TEST_F(JobFileValuesTest, SecondAttemptsNeedRowsOrStagedFiles) {
  const std::string speculate = std::string(kSmall) + "speculate: true\n";
  EXPECT_EQ(problems(speculate),
            "job.yml:7:12: speculate: a second attempt would write the same files again: a job "
            "without append_row_to needs staged_outputs: true for it\n");
  EXPECT_EQ(problems(speculate + "staged_outputs: true\n"), "");
  EXPECT_EQ(problems(speculate + "outputs: {o: {}}\n"), problems(speculate));
  const std::string rows =
      std::string(kSmall) + "  append_row_to: ${{outputs.o}}\noutputs: {o: {}}\n";
  EXPECT_EQ(problems(rows + "speculate: true\n"), "");
  input_.written_by_us = true;  // a job of an earlier version stays readable
  EXPECT_EQ(problems(speculate), "");
}

}  // namespace
}  // namespace windrow
