// SPDX-License-Identifier: Apache-2.0
#include "core/spec/settings.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "core/spec/job_file.h"

namespace windrow {
namespace {

constexpr const char* kSmall = R"(type: parallel
inputs:
  data: {path: in}
input_data: ${{inputs.data}}
task:
  entry_script: score.py
)";

std::expected<JobReading, std::vector<Problem>> read(const std::string& text) {
  return read_job_file({.file = "job.yml", .text = text, .folder = "/jobs"});
}

JobReading reading_of(const std::string& text) {
  auto reading = read(text);
  EXPECT_TRUE(reading) << (reading ? "" : problems_text(reading.error())) << text;
  return reading ? *reading : JobReading{};
}

JobSpec spec_of(const std::string& line) { return reading_of(kSmall + line + "\n").spec; }

std::string problems(const std::string& line) {
  const auto reading = read(kSmall + line + "\n");
  return reading ? "" : problems_text(reading.error());
}

std::string notices(const std::string& line) {
  return problems_text(reading_of(kSmall + line + "\n").notices);
}

// ---- The table

// C100
TEST(Settings, EachKeyStandsOnceAndSaysWhatItIs) {
  std::set<std::string_view> keys;
  std::set<std::string_view> arguments;
  for (const Setting& setting : settings()) {
    EXPECT_TRUE(keys.insert(setting.key).second) << setting.key;
    if (!setting.argument.empty()) {
      EXPECT_TRUE(arguments.insert(setting.argument).second) << setting.argument;
    }
    EXPECT_NE(setting.allowed, "") << setting.key;
    EXPECT_NE(setting.meaning, "") << setting.key;
    EXPECT_EQ(setting.read == nullptr, setting.write == nullptr) << setting.key;
    if (setting.write == nullptr) continue;
    const bool has_default = setting.write(JobSpec{}).kind != SettingValue::Kind::kUnset;
    EXPECT_TRUE(has_default || !setting.unset.empty()) << setting.key;
  }
}

// C101
TEST(Settings, ARefusalSaysWhatTheTableAllows) {
  for (const Setting& setting : settings()) {
    if (setting.read == nullptr || setting.allowed == "text") continue;
    JobSpec spec;
    const Status done = setting.read(spec, "\x01?");
    ASSERT_FALSE(done) << setting.key;
    EXPECT_NE(done.error().message.find(setting.allowed), std::string::npos)
        << setting.key << ": " << done.error().message;
  }
}

// C100
TEST(Settings, ADefaultReadsAsItself) {
  for (const Setting& setting : settings()) {
    if (setting.read == nullptr) continue;
    const SettingValue value = setting.write(JobSpec{});
    if (value.kind == SettingValue::Kind::kUnset) continue;
    JobSpec spec;
    ASSERT_TRUE(setting.read(spec, value.text)) << setting.key;
    EXPECT_EQ(setting.write(spec), value) << setting.key;
  }
}

struct Ends {
  const char* key;
  std::vector<const char*> good;
  std::vector<const char*> bad;
};

// C101
TEST(Settings, EveryNumberIsTakenInItsRangeAndRefusedBesideIt) {
  const std::vector<Ends> all = {
      {"allowed_failed_percent", {"0", "100", "0.5", "'7'"}, {"-1", "-0.1", "100.1", "101"}},
      {"task_overhead_timeout", {"0.1", "259200"}, {"0", "-1", "259201"}},
      {"progress_update_timeout", {"0.1", "259200"}, {"0", "-1", "259201"}},
      {"first_task_creation_timeout", {"0.1", "2147483647"}, {"0", "-1", "2147483648"}},
      {"init_timeout", {"0.1", "259200"}, {"0", "-1", "259201"}},
      {"retry_settings.delay", {"0", "0.5", "259200"}, {"-1", "259201"}},
      {"retry_settings.timeout", {"0.000000001", "259200"}, {"0", "-1", "259200.5"}},
      {"retry_settings.max_retries", {"0", "2147483647"}, {"-1", "2147483648"}},
      {"error_threshold", {"-1", "2147483647"}, {"-2", "2147483648", "1.5"}},
      {"mini_batch_error_threshold", {"-1", "2147483647"}, {"-2", "2147483648"}},
      {"max_concurrency_per_instance", {"1", "65535"}, {"0", "65536"}},
      {"max_rss_per_worker", {"0", "1", "2GB", "512 mb"}, {"-1", "9999999999gb", "5 rows", "1,1"}},
      {"user_log_max", {"1KB", "1024", "5GB"}, {"0", "1023", "-1"}},
      {"max_batches_per_worker", {"0", "2147483647"}, {"-1", "2147483648"}},
      {"nice", {"0", "20"}, {"-1", "21"}},
      {"gpus", {"0", "1024"}, {"-1", "1025"}},
      {"gpus_per_worker", {"0.01", "0.5", "1", "2", "1024"}, {"0", "-1", "1.5", "1025"}},
      {"resource_monitor_interval", {"0", "0.5", "2147483647"}, {"-1", "2147483648"}},
      {"rank_mini_batch_count", {"0", "-5", "2147483647"}, {"2147483648", "1.5"}},
  };
  for (const Ends& ends : all) {
    const std::string key = ends.key;
    const std::size_t point = key.find('.');
    const auto line = [&](const std::string& value) {
      if (point == std::string::npos) return key + ": " + value;
      return key.substr(0, point) + ": {" + key.substr(point + 1) + ": " + value + "}";
    };
    for (const char* good : ends.good) EXPECT_EQ(problems(line(good)), "") << line(good);
    std::vector<const char*> bad = ends.bad;
    bad.insert(bad.end(), {"text", "null", "''", "nan", ".nan", ".inf", "1e3", "[a]", "{a: 1}"});
    for (const char* value : bad) {
      const std::string said = problems(line(value));
      EXPECT_TRUE(said.starts_with("job.yml:7:")) << line(value) << said;
      EXPECT_NE(said.find(key), std::string::npos) << said;
      EXPECT_EQ(said.find('\n'), said.size() - 1) << "one problem: " << said;
    }
  }
}

// C101
TEST(Settings, WordsAreTakenAsTheyAreSpelled) {
  EXPECT_EQ(spec_of("gpu_surplus: hide").worker.gpu_surplus, GpuSurplus::kHide);
  EXPECT_EQ(spec_of("output_exists: overwrite").output_exists, OutputExists::kOverwrite);
  EXPECT_EQ(spec_of("profiling_module: cProfile").record.profiler, Profiler::kCProfile);
  EXPECT_EQ(spec_of("python_logging_level: error").record.python_logging_level, "ERROR");
  EXPECT_TRUE(spec_of("logging_level: info").record.logging_level_said);
  EXPECT_FALSE(spec_of("").record.logging_level_said);
  EXPECT_TRUE(spec_of("strict: True").strict);
  EXPECT_FALSE(spec_of("strict: 0").strict);
  EXPECT_EQ(problems("strict: yes please"),
            "job.yml:7:9: strict: 'yes please' is not known; allowed is true or false\n");
  EXPECT_EQ(problems("profiling_module: cprofile"),
            "job.yml:7:19: profiling_module: 'cprofile' is not known; allowed is cProfile or "
            "profile\n");
}

// C101
TEST(Settings, AnEncodingMayBeSpelledAsPythonSpellsIt) {
  EXPECT_EQ(spec_of("table: {encoding: latin1}").table.encoding, "latin1");
  EXPECT_EQ(spec_of("table: {encoding: UTF-8}").table.encoding, "utf8");
  EXPECT_EQ(spec_of("table: {encoding: utf_8_sig}").table.encoding, "utf8bom");
  EXPECT_EQ(spec_of("table: {encoding: cp1252}").table.encoding, "windows1252");
  EXPECT_EQ(spec_of("table: {encoding: Windows-1252}").table.encoding, "windows1252");
  EXPECT_EQ(spec_of("table: {encoding: ISO8859-1}").table.encoding, "iso88591");
  EXPECT_EQ(spec_of("table: {encoding: us-ascii}").table.encoding, "ascii");
  EXPECT_EQ(spec_of("table: {encoding: UTF_32}").table.encoding, "utf32");
  EXPECT_EQ(problems("table: {encoding: CP-437}"),
            "job.yml:7:19: table.encoding: 'CP-437' is not known; allowed is utf8, utf8bom, ascii, "
            "iso88591, latin1, windows1252, utf16 or utf32\n");
}

// C102
TEST(Settings, ASizeOfMiniBatchesMayCountFilesAndBytes) {
  EXPECT_EQ(spec_of("mini_batch_size: 5").mini_batch_size, (BatchSize{5, std::nullopt}));
  EXPECT_EQ(spec_of("mini_batch_size: 5MB").mini_batch_size, (BatchSize{kIntMax, 5U << 20U}));
  EXPECT_EQ(spec_of("mini_batch_size: 100 kb").mini_batch_size, (BatchSize{kIntMax, 102400}));
  EXPECT_EQ(spec_of("mini_batch_size: 10 files, 1MB").mini_batch_size, (BatchSize{10, 1U << 20U}));
  EXPECT_EQ(spec_of("").mini_batch_size.files, 10U);
  EXPECT_EQ(spec_of("compat: {v2_mini_batch_size_1: true}").mini_batch_size.files, 1U);
  EXPECT_EQ(
      spec_of("compat: {v2_mini_batch_size_1: true}\nmini_batch_size: 4").mini_batch_size.files,
      4U);
}

TEST(Settings, ExceptionsAreANameOrAList) {
  const JobSpec spec =
      spec_of("retry_settings: {retry_on: [OSError, requests.Timeout], fail_fast_on: KeyError}");
  EXPECT_EQ(spec.limits.retry_on, (std::vector<std::string>{"OSError", "requests.Timeout"}));
  EXPECT_EQ(spec.limits.fail_fast_on, std::vector<std::string>{"KeyError"});
  EXPECT_NE(problems("retry_settings: {retry_on: [1x]}"), "");
  EXPECT_NE(problems("retry_settings: {retry_on: [a b]}"), "");
}

// C103
TEST(Settings, RowsHaveAFormatAndASeparator) {
  EXPECT_EQ(spec_of("append_row: {format: csv, sep: ';', header: true}").rows,
            (RowStyle{RowFormat::kCsv, ";", true}));
  EXPECT_EQ(spec_of("append_row: {sep: '\\t'}").rows.separator, "\t");
  EXPECT_EQ(problems("append_row: {format: orc}"),
            "job.yml:7:22: append_row.format: 'orc' is not known; allowed is text, csv, jsonl, "
            "parquet or arrow\n");
  EXPECT_EQ(problems("append_row: {format: jsonl, sep: ','}"),
            "job.yml:7:34: append_row.sep: is only for text and csv; jsonl has no separator\n");
  EXPECT_NE(problems("append_row: {sep: ab}"), "");
  EXPECT_EQ(problems("append_row: {separator: a}"),
            "job.yml:7:14: append_row: unknown key 'separator'; allowed are format, sep, header, "
            "field\n");
}

// C671
TEST(Settings, AVeryLargeMiniBatchOfATableIsNoticed) {
  EXPECT_EQ(notices("input_as: table\nmini_batch_size: 2GB"), "");
  EXPECT_EQ(notices("input_as: table\nmini_batch_size: 3GB"),
            "job.yml:8:18: mini_batch_size: more than 2 GB: a frame takes several times the memory "
            "of its text\n");
  EXPECT_EQ(notices("mini_batch_size: 3GB"), "");
}

// C690
TEST(Settings, AFileOfRowsMaySayByItsNameWhatItIs) {
  const auto reading = [](const std::string& file, const std::string& more = "") {
    return reading_of(
        "type: parallel\ninputs: {a: {path: x}}\ninput_data: ${{inputs.a}}\n"
        "outputs: {rows: {type: uri_file, path: " +
        file + "}}\n" + more + "task: {entry_script: a.py, append_row_to: '${{outputs.rows}}'}\n");
  };
  const auto format_of = [&reading](const std::string& file, const std::string& more = "") {
    return reading(file, more).spec.rows.format;
  };
  EXPECT_EQ(format_of("out.parquet"), RowFormat::kParquet);
  EXPECT_EQ(format_of("out.arrow"), RowFormat::kArrow);
  EXPECT_EQ(format_of("out.csv"), RowFormat::kAzure);
  EXPECT_EQ(format_of("out.parquet", "append_row: {format: text}\n"), RowFormat::kAzure);
  EXPECT_EQ(format_of("out.bin", "append_row: {format: arrow}\n"), RowFormat::kArrow);
  ASSERT_EQ(reading("out.csv").notices.size(), 1U);
  EXPECT_EQ(reading("out.csv").notices[0].message,
            "outputs.rows: its name does not make it csv: rows are text, the fields of a frame "
            "with spaces between them; append_row.format: csv (--set append_row.format=csv) writes "
            "csv");
  EXPECT_EQ(reading("out.pq").notices.size(), 1U);
  EXPECT_EQ(reading("out.csv", "append_row: {sep: ','}\n").notices.size(), 0U);
  EXPECT_EQ(reading("out.parquet").notices.size(), 0U);
  const auto several = read(
      "type: parallel\ninputs: {a: {path: x}}\ninput_data: ${{inputs.a}}\n"
      "outputs: {good: {type: uri_file, path: a.parquet}, bad: {type: uri_folder, path: b}}\n"
      "task: {entry_script: a.py, append_row_to: ['${{outputs.good}}', '${{outputs.bad}}']}\n");
  ASSERT_FALSE(several);
  EXPECT_EQ(problems_text(several.error()),
            "job.yml:5:43: task.append_row_to: all rows of a job are of one format, and by their "
            "names good is parquet and bad text; name the files alike, or set append_row.format\n");
  EXPECT_EQ(problems("append_row: {format: parquet, sep: ','}"),
            "job.yml:7:36: append_row.sep: is only for text and csv; parquet has no separator\n");
}

// C689 C692
TEST(Settings, FramesAndMemory) {
  EXPECT_EQ(spec_of("").frame, Frame::kPandas);
  EXPECT_EQ(spec_of("frame: polars").frame, Frame::kPolars);
  EXPECT_EQ(problems("frame: spark"),
            "job.yml:7:8: frame: 'spark' is not known; allowed is pandas, pyarrow, polars or "
            "numpy\n");
  EXPECT_EQ(spec_of("").worker.memory_limit, std::nullopt);
  EXPECT_EQ(spec_of("memory_limit: 2GB").worker.memory_limit, 2ULL << 30U);
  EXPECT_EQ(spec_of("memory_limit: 0").worker.memory_limit, 0U);
  EXPECT_NE(problems("memory_limit: much"), "");
}

// C109
TEST(Settings, WhatHasNoEffectHereIsAcceptedWithANotice) {
  EXPECT_EQ(notices("resources: {instance_type: big, shm_size: 2g}\n"
                    "identity: {type: managed}\nis_deterministic: false\n"
                    "first_task_creation_timeout: 300000"),
            "job.yml:7:28: resources.instance_type: has no effect on this machine\n"
            "job.yml:7:43: resources.shm_size: has no effect on this machine\n"
            "job.yml:8:11: identity: is not used: the job runs as the user who starts it\n"
            "job.yml:10:30: first_task_creation_timeout: is longer than 259200 seconds, three "
            "days\n");
  EXPECT_EQ(notices("copy_logs_to_parent: true\npush_metrics_to_parent: false"),
            "job.yml:7:22: copy_logs_to_parent: has no effect: a job that is started alone has no "
            "parent run\n");
  EXPECT_NE(problems("identity: {type: root}"), "");
  EXPECT_NE(problems("is_deterministic: maybe"), "");
  EXPECT_NE(problems("component: azureml:x:1").find("come with pipelines"), std::string::npos);
}

// C108
TEST(Settings, RankMiniBatchesNeedNoInput) {
  const char* text = "type: parallel\nrank_mini_batch_count: 3\ntask: {entry_script: a.py}\n";
  const JobSpec spec = reading_of(text).spec;
  EXPECT_EQ(spec.rank_mini_batch_count, 3U);
  EXPECT_TRUE(spec.input_data.empty());
  EXPECT_EQ(spec_of("rank_mini_batch_count: -3").rank_mini_batch_count, 0U);
  EXPECT_EQ(notices("rank_mini_batch_count: 3"),
            "job.yml:4:13: input_data: is not read: rank_mini_batch_count makes mini-batches "
            "without items\n");
  EXPECT_EQ(problems("rank_mini_batch_count: 3\nstrict: true"),
            "job.yml:4:13: input_data: is not read: rank_mini_batch_count makes mini-batches "
            "without items\n");
}

// ---- Inputs

std::string with_inputs(const std::string& inputs) {
  return "type: parallel\ninputs:\n" + inputs +
         "task: {entry_script: a.py, args: '--k ${{inputs.k}}'}\ninput_data: ${{inputs.a}}\n";
}

// C104
TEST(Inputs, APathMayBeAListOfPathsGlobsAndLists) {
  const JobSpec spec =
      reading_of(with_inputs("  a: {path: [x, '*.png', '@list', '-'], ignore: '*~'}\n"
                             "  k: {type: uri_file, path: one.txt}\n"))
          .spec;
  EXPECT_EQ(spec.inputs[0].paths,
            (std::vector<std::string>{"/jobs/x", "/jobs/*.png", "@/jobs/list", "-"}));
  EXPECT_EQ(spec.inputs[0].ignore, std::vector<std::string>{"*~"});
  EXPECT_EQ(spec.inputs[1].type, InputType::kFile);
  const auto ignored = [](const std::string& said) {
    const std::string inputs = "  a: {path: x, ignore: " + said + "}\n  k: {path: y}\n";
    return reading_of(with_inputs(inputs)).spec.inputs[0].ignore;
  };
  using Globs = std::vector<std::string>;
  EXPECT_EQ(ignored(R"('["a", "*.b"]')"), (Globs{"a", "*.b"}));
  EXPECT_EQ(ignored("'[ab]*'"), Globs{"[ab]*"});
  EXPECT_EQ(ignored("'[1]'"), Globs{"[1]"});
  EXPECT_EQ(ignored("['[\"a\"]', b]"), (Globs{"a", "b"}));
}

// C104
TEST(Inputs, SeveralAreTakenOneAfterTheOther) {
  const JobSpec spec =
      reading_of(
          "type: parallel\ninputs: {a: {path: x}, b: {path: y}}\n"
          "input_data: ['${{inputs.b}}', '${{inputs.a}}']\n"
          "outputs: {p: {}, q: {}}\n"
          "task: {entry_script: s.py, append_row_to: ['${{outputs.q}}', '${{outputs.p}}']}\n")
          .spec;
  EXPECT_EQ(spec.input_data, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(spec.append_row_to, (std::vector<std::string>{"q", "p"}));
}

// C104
TEST(Inputs, WhatCannotBeCutIsRefused) {
  const auto said = [](const std::string& inputs) {
    const auto reading = read(with_inputs(inputs));
    return reading ? "" : problems_text(reading.error());
  };
  EXPECT_EQ(said("  a: 5\n  k: 6\n"),
            "job.yml:6:13: input_data: input 'a' is a value, not a folder or file\n");
  EXPECT_EQ(said("  a: {path: x, mode: direct}\n  k: 6\n"),
            "job.yml:3:22: inputs.a.mode: 'direct' is for tables; with uri_folder it is ro_mount "
            "or download\n");
  EXPECT_EQ(said("  a: {path: x}\n  k: {path: [y, z]}\n"),
            "job.yml:4:6: inputs.k: is not in input_data, so its path is one folder or file\n");
  EXPECT_EQ(said("  a: {path: []}\n  k: 6\n"), "job.yml:3:13: inputs.a.path: is an empty list\n");
  EXPECT_EQ(said("  a: {path: x}\n  k: {type: integer, default: x}\n"),
            "job.yml:4:31: inputs.k.default: 'x' is not a whole number\n");
  EXPECT_EQ(said("  a: {path: x}\n  k: {type: integer}\n"),
            "job.yml:4:6: inputs.k.default is missing\n");
}

// C105
TEST(Inputs, AValueMayStandForANumber) {
  const std::string inputs =
      "type: parallel\ninputs: {a: {path: x}, n: 7, s: {type: number, default: 2.5}, f: {type: "
      "string, optional: true}}\ninput_data: ${{inputs.a}}\ntask: {entry_script: s.py}\n";
  const JobReading reading =
      reading_of(inputs +
                 "error_threshold: ${{inputs.n}}\nretry_settings: {timeout: '${{ inputs.s "
                 "}}'}\nenvironment_variables: {N: '${{inputs.n}}'}\n");
  EXPECT_EQ(reading.spec.limits.error_threshold, 7);
  EXPECT_EQ(reading.spec.limits.run_timeout, Duration(2500000000));
  EXPECT_EQ(reading.spec.environment_variables.at("N"), "7");
  const auto said = [&](const std::string& line) {
    const auto refused = read(inputs + line + "\n");
    return refused ? "" : problems_text(refused.error());
  };
  EXPECT_EQ(said("nice: ${{inputs.a}}"),
            "job.yml:5:7: nice: input 'a' is a folder or file, not a value\n");
  EXPECT_EQ(said("nice: ${{inputs.f}}"), "job.yml:5:7: nice: input 'f' has no value\n");
  EXPECT_EQ(said("nice: ${{inputs.nn}}"),
            "job.yml:5:7: nice: no input 'nn' is declared; did you mean 'n'?\n");
  EXPECT_EQ(said("nice: ${{parent.inputs.n}}").substr(0, 19), "job.yml:5:7: nice: ");
  EXPECT_EQ(said("nice: ${{inputs.s}}"),
            "job.yml:5:7: nice: '2.5' is not a whole number; allowed is 0 to 20\n");
}

}  // namespace
}  // namespace windrow
