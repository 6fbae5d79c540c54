// SPDX-License-Identifier: Apache-2.0
#include "core/spec/effective.h"

#include <functional>
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "core/spec/job_file.h"

namespace windrow {
namespace {

JobSpec small() {
  JobSpec spec;
  spec.code = "/code";
  spec.entry_script = "score.py";
  spec.inputs = {{.name = "data", .paths = {"/in"}}};
  spec.input_data = {"data"};
  spec.outputs = {{"output", OutputType::kFolder, std::nullopt}};
  spec.append_row_to = {"output"};
  return spec;
}

JobSpec read_back(const JobSpec& spec) {
  const std::string text = effective_job_file(spec, {});
  const auto reading = read_job_file({"job.yml", text, "/jobs/x", {}, {}, "/here", true});
  EXPECT_TRUE(reading) << (reading ? "" : problems_text(reading.error())) << text;
  if (!reading) return {};
  EXPECT_TRUE(reading->notices.empty()) << problems_text(reading->notices);
  return reading->spec;
}

TEST(EffectiveJobFile, ShowsEveryValueAndItsOrigin) {
  JobSpec spec = small();
  spec.limits.run_timeout = std::chrono::seconds(5);
  spec.arguments = {"--a", "b c"};
  const Origins origins = {{"retry_settings.timeout", "--timeout"},
                           {"task.args", "f.yml:3:4"},
                           {"inputs.data.path", "--set inputs.data.path=/in"}};
  EXPECT_EQ(effective_job_file(spec, origins),
            R"(# The job as it runs: every default filled in, and where each value came from.
type: parallel  # from default
inputs:
  data:
    type: uri_folder  # from default
    path: /in  # from --set inputs.data.path=/in
input_data: "${{inputs.data}}"  # from default
mini_batch_size: 10  # from default
outputs:
  output:
    type: uri_folder  # from default
    # path: not set; outputs/output/ in the job folder
task:
  type: run_function  # from default
  code: /code  # from default
  entry_script: score.py  # from default
  program_arguments: "--a 'b c'"  # from f.yml:3:4
  append_row_to: "${{outputs.output}}"  # from default
# python: not set; WINDROW_PYTHON, the active environment or python3
compute: local  # this machine
resources:
  instance_count: 1  # this machine
# max_concurrency_per_instance: not set; as many workers as there are CPUs for them
retry_settings:
  max_retries: 2  # from default
  timeout: 5  # from --timeout
error_threshold: -1  # from default
mini_batch_error_threshold: -1  # from default
logging_level: INFO  # from default
)");
}

TEST(EffectiveJobFile, ReadsBackAsTheSameJob) {
  EXPECT_EQ(read_back(small()), small());
  JobSpec spec = small();
  spec.name = "a.b-1";
  spec.labels = {"null", "two\nlines: #1", "~", {{"a b", "1"}, {"", "x"}, {"true", "- y"}}};
  spec.arguments = {"", " ", "it's", "\"", "${{inputs.data}}", "\n", "\xff", "# no comment"};
  spec.environment_variables = {{"A", ""}, {"B", "a: b"}, {"C", "\xfe\xff"}, {"n", "\t\x01\x7f"}};
  spec.python = "python3";
  spec.inputs.push_back({.name = "labels", .paths = {"/gr\xfcn # x/'y'"}});
  spec.outputs = {{"o", OutputType::kFolder, "/o: p"}, {"p", OutputType::kFile, std::nullopt}};
  spec.append_row_to.clear();
  spec.mini_batch_size = {2147483647};
  spec.worker.count = 65535;
  spec.limits.run_timeout = Duration(1);
  spec.limits.tries_max = 2147483648U;
  spec.limits.error_threshold = 2147483647;
  spec.limits.mini_batch_error_threshold = 0;
  spec.record.logging_level = LoggingLevel::kDebug;
  spec.job_folder = "/jobs/x y";
  spec.retry_of = "-odd: name";
  EXPECT_EQ(read_back(spec), spec) << effective_job_file(spec, {});
}

TEST(EffectiveJobFile, ReadsBackForAnyText) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    const auto any = [&random](std::size_t least) {
      std::string text;
      for (std::size_t length = least + random() % 12; length > 0; --length) {
        text += static_cast<char>(random() % 3 == 0 ? 1 + random() % 255
                                                    : " :#-'\"{}[],&*!|>%@`?\n\\"[random() % 22]);
      }
      return text;
    };
    JobSpec spec = small();
    spec.labels.description = any(0);
    spec.labels.tags = {{any(0), any(0)}};
    spec.environment_variables = {{"A" + std::to_string(random() % 9), any(0)}};
    spec.arguments = {any(0), any(0)};
    spec.python = "x" + any(1);
    std::erase(*spec.python, '/');
    spec.retry_of = any(1);
    bool references = false;  // what looks like a reference must be one
    for (const std::string& argument : spec.arguments) {
      references |=
          argument.find("${{") != std::string::npos || argument.find("$[[") != std::string::npos;
    }
    if (!references) {
      ASSERT_EQ(read_back(spec), spec) << effective_job_file(spec, {});
    }
  }
}

TEST(EffectiveJobFile, LongNamesAndManyArgumentsReadBack) {
  JobSpec spec = small();
  spec.labels.tags = {{std::string(255, '\x01'), "a"}, {std::string(255, '\xff'), "b"}};
  spec.arguments.assign(2000, std::string(1000, 'x'));
  EXPECT_EQ(read_back(spec), spec);
}

TEST(EffectiveJobFile, OriginsCannotBreakOutOfTheirComment) {
  const std::string text = effective_job_file(small(), {{"task.code", "a\ntype: model\xff"}});
  EXPECT_NE(text.find("code: /code  # from a\\ntype: model\\xff\n"), std::string::npos) << text;
}

// ---- Identity

TEST(IdentityHash, ChangesWithWhatMakesAnotherJob) {
  const std::vector<std::function<void(JobSpec&)>> changes = {
      [](JobSpec& s) { s.code = "/other"; },
      [](JobSpec& s) { s.entry_script = "other.py"; },
      [](JobSpec& s) { s.inputs[0].paths = {"/other"}; },
      [](JobSpec& s) { s.inputs.push_back({.name = "more", .paths = {"/x"}}); },
      [](JobSpec& s) { s.outputs[0].path = "/other"; },
      [](JobSpec& s) { s.outputs[0].path = ""; },
      [](JobSpec& s) { s.outputs[0].type = OutputType::kFile; },
      [](JobSpec& s) { s.append_row_to.clear(); },
      [](JobSpec& s) { s.mini_batch_size.files = 11; },
      [](JobSpec& s) { s.arguments = {"a"}; },
      [](JobSpec& s) { s.arguments = {"a", ""}; },
      [](JobSpec& s) { s.environment_variables = {{"a", ""}}; },
      [](JobSpec& s) { s.retry_of = "x"; },
  };
  std::set<std::string> hashes = {identity_hash(small())};
  for (const auto& change : changes) {
    JobSpec spec = small();
    change(spec);
    EXPECT_TRUE(hashes.insert(identity_hash(spec)).second) << effective_job_file(spec, {});
  }
}

TEST(IdentityHash, StaysWhenOnlyLimitsNamesAndWorkersChange) {
  JobSpec spec = small();
  spec.name = "x";
  spec.labels.description = "x";
  spec.limits.run_timeout = Duration(1);
  spec.limits.tries_max = 1;
  spec.limits.error_threshold = 5;
  spec.limits.mini_batch_error_threshold = 5;
  spec.worker.count = 3;
  spec.record.logging_level = LoggingLevel::kDebug;
  spec.python = "python3";
  spec.job_folder = "/x";
  EXPECT_EQ(identity_hash(spec), identity_hash(small()));
}

TEST(FormationHash, DependsOnTheInputAndTheSizeAlone) {
  JobSpec spec = small();
  spec.arguments = {"a"};
  spec.entry_script = "other.py";
  spec.inputs.push_back({.name = "more", .paths = {"/x"}});
  EXPECT_EQ(formation_hash(spec), formation_hash(small()));
  spec.mini_batch_size.files = 11;
  EXPECT_NE(formation_hash(spec), formation_hash(small()));
  spec = small();
  spec.inputs[0].paths = {"/other"};
  EXPECT_NE(formation_hash(spec), formation_hash(small()));
}

}  // namespace
}  // namespace windrow
