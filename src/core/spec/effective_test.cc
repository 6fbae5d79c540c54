// SPDX-License-Identifier: Apache-2.0
#include "core/spec/effective.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "base/json.h"
#include "core/spec/job_file.h"
#include "core/spec/settings.h"

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

constexpr const char* kShown =
    R"(# The job as it runs: every default filled in, and where each value came from.
type: parallel  # from default
inputs:
  data:
    type: uri_folder  # from default
    path: /in  # from --set inputs.data.path=/in
input_data: "${{inputs.data}}"  # from default
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
compute: local  # from this machine
resources:
  instance_count: 1  # from default
mini_batch_size: 10  # from default
# partition_keys: not set; mini-batches are cut by mini_batch_size
# partition_by: not set; rows stay in the files that they are in
input_as: files  # from default
frame: pandas  # from default
# rank_mini_batch_count: not set; mini-batches are cut from input_data
largest_first: false  # from default
allow_empty_input: false  # from default
append_row:
  format: text  # from default
  # sep: not set; a space in text, a comma in csv
  header: false  # from default
  # field: not set; elements are rows as they are
output_exists: refuse  # from default
staged_outputs: false  # from default
compat:
  v1_argv: false  # from default
  allowed_failed_count: false  # from default
strict: false  # from default
retry_settings:
  max_retries: 2  # from default
  timeout: 5  # from --timeout
  delay: 0  # from default
  # retry_on: not set; every failure
  # fail_fast_on: not set; none
error_threshold: -1  # from default
mini_batch_error_threshold: -1  # from default
allowed_failed_percent: 100  # from default
task_overhead_timeout: 30  # from default
# progress_update_timeout: not set; 3 x (timeout + task_overhead_timeout)
first_task_creation_timeout: 600  # from default
# init_timeout: not set; 3 x timeout + 30
strict_results: false  # from default
retry_short_returns: false  # from default
bisect_failed: false  # from default
speculate: false  # from default
# max_concurrency_per_instance: not set; 1 with GPUs, else as many as there are CPUs for them
max_rss_per_worker: 0  # from default
max_batches_per_worker: 0  # from default
# memory_limit: not set; 80 % of what the machine or its control group has
nice: 0  # from default
# gpus: not set; as many as are found
gpus_per_worker: 1  # from default
gpu_surplus: auto  # from default
user_log_max: 256MB  # from default
# logging_level: not set; INFO
python_logging_level: WARNING  # from default
resource_monitor_interval: 600  # from default
# profiling_module: not set; no profiles
copy_logs_to_parent: false  # from default
push_metrics_to_parent: false  # from default
metrics_name_prefix: ""  # from default
)";

TEST(EffectiveJobFile, ShowsEveryValueAndItsOrigin) {
  JobSpec spec = small();
  spec.limits.run_timeout = std::chrono::seconds(5);
  spec.arguments = {"--a", "b c"};
  const Origins origins = {{"retry_settings.timeout", "--timeout"},
                           {"task.args", "f.yml:3:4"},
                           {"inputs.data.path", "--set inputs.data.path=/in"}};
  EXPECT_EQ(effective_job_file(spec, origins), kShown);
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
  spec.record.logging_level_said = true;
  spec.job_folder = "/jobs/x y";
  spec.retry_of = "-odd: name";
  EXPECT_EQ(read_back(spec), spec) << effective_job_file(spec, {});
}

// C60, C100
TEST(EffectiveJobFile, EverySettingReadsBack) {
  JobSpec spec = small();
  spec.inputs = {
      {.name = "data", .paths = {"/in", "/a*/b[1]", "@/list", "-"}, .ignore = {"*.tmp", "x y"}},
      {.name = "one", .type = InputType::kFile, .paths = {"/one.txt"}, .ignore = {"[z]"}},
      {.name = "text", .type = InputType::kLiteral, .paths = {"it's: {x}"}},
      {.name = "none", .type = InputType::kLiteral, .paths = {""}},
  };
  spec.input_data = {"one", "data"};
  spec.outputs.push_back({"more", OutputType::kFile, "/more.csv"});
  spec.append_row_to = {"more", "output"};
  spec.arguments = {"--error_threshold", "1", "--nice=3"};  // the keys have what came of them
  spec.mini_batch_size = {7, 3U << 20U};
  spec.largest_first = spec.allow_empty_input = spec.v1_argv = true;
  spec.staged_outputs = true;
  spec.strict = true;
  spec.rows = {RowFormat::kCsv, "\t", true};
  spec.output_exists = OutputExists::kOverwrite;
  spec.limits = {.run_timeout = Duration(1500000000),
                 .overhead_timeout = Duration(1),
                 .progress_timeout = kRunTimeoutMax,
                 .first_task_timeout = kRunTimeoutMax,
                 .init_timeout = Duration(5),
                 .tries_max = 7,
                 .retry_delay = Duration(250000000),
                 .retry_on = {"OSError", "requests.exceptions.Timeout"},
                 .fail_fast_on = {"MemoryError"},
                 .error_threshold = 3,
                 .mini_batch_error_threshold = 4,
                 .allowed_failed_count = true,
                 .allowed_failed_percent = 12.25,
                 .strict_results = true,
                 .retry_short_returns = true};
  spec.worker = {.count = 3,
                 .rss_max = 123456789,
                 .batches_max = 9,
                 .memory_limit = 5U << 20U,
                 .nice = 20,
                 .gpus = 2,
                 .gpus_per_worker = 0.5,
                 .gpu_surplus = GpuSurplus::kHide,
                 .user_log_max = 5U << 20U};
  spec.record = {.logging_level = LoggingLevel::kWarning,
                 .logging_level_said = true,
                 .python_logging_level = "ERROR",
                 .monitor_interval = Duration(0),
                 .profiler = Profiler::kProfile,
                 .copy_logs_to_parent = true,
                 .push_metrics_to_parent = true,
                 .metrics_name_prefix = "a: b"};
  EXPECT_EQ(read_back(spec), spec) << effective_job_file(spec, {});
  spec.mini_batch_size = {kIntMax, 1000};
  spec.rows.format = RowFormat::kJsonLines;
  spec.rows.separator.reset();
  spec.rows.header = false;
  spec.input_data.clear();
  spec.rank_mini_batch_count = 5;
  EXPECT_EQ(read_back(spec), spec) << effective_job_file(spec, {});
}

// Keys decide what a mini-batch is: a size beside them would be refused.
TEST(EffectiveJobFile, AStrictJobWithKeysReadsBack) {
  JobSpec spec = small();
  spec.strict = true;
  spec.partition_keys = {"Region", "a b"};
  EXPECT_EQ(read_back(spec), spec) << effective_job_file(spec, {});
}

// A bare number is one of bytes if the file says that the items are rows.
TEST(EffectiveJobFile, ASizeThatAnMlTableDecidesAboutReadsBack) {
  JobSpec spec = small();
  spec.inputs[0].type = InputType::kMlTable;
  for (const BatchSize& size : {BatchSize{},
                                BatchSize{.files = 7},
                                BatchSize{.files = 7, .bare = true},
                                BatchSize{.files = 7, .bytes = 1024, .bare = true},
                                BatchSize{.files = 7, .bytes = 1024}}) {
    spec.mini_batch_size = size;
    EXPECT_EQ(read_back(spec), spec) << effective_job_file(spec, {});
  }
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

// C107
TEST(EffectiveConfig, IsJsonWithAValueAndAnOriginForEachKey) {
  JobSpec spec = small();
  spec.limits.run_timeout = Duration(1500000000);
  spec.limits.retry_on = {"OSError"};
  const Result<Json> json =
      parse_json(effective_config_json(spec, {{"retry_settings.timeout", "--timeout"}}));
  ASSERT_TRUE(json) << json.error().message;
  const auto member = [&json](const char* key, const char* part) {
    const Json* entry = json->find(key);
    return entry == nullptr ? nullptr : entry->find(part);
  };
  EXPECT_EQ(*member("retry_settings.timeout", "value")->get<double>(), 1.5);
  EXPECT_EQ(*member("retry_settings.timeout", "origin")->get<std::string>(), "--timeout");
  EXPECT_EQ(*member("error_threshold", "value")->get<std::int64_t>(), -1);
  EXPECT_EQ(*member("error_threshold", "origin")->get<std::string>(), "default");
  EXPECT_EQ(*member("strict", "value")->get<bool>(), false);
  EXPECT_EQ(member("retry_settings.retry_on", "value")->get<Json::Array>()->size(), 1U);
  EXPECT_NE(member("gpus", "value")->get<std::nullptr_t>(), nullptr);
  EXPECT_EQ(*member("gpus", "meaning")->get<std::string>(), "as many as are found");
  for (const Setting& setting : settings()) {
    if (setting.read != nullptr && group_of(setting) != "table") {
      EXPECT_NE(json->find(setting.key), nullptr) << setting.key;
    }
  }
}

TEST(EffectiveJobFile, OriginsCannotBreakOutOfTheirComment) {
  const std::string text = effective_job_file(small(), {{"task.code", "a\ntype: model\xff"}});
  EXPECT_NE(text.find("code: /code  # from a\\ntype: model\\xff\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace windrow
