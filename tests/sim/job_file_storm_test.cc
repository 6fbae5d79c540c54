// SPDX-License-Identifier: Apache-2.0
//
// The reader of job files alone, in a storm of jobs: files that are drawn piece by piece, each
// piece right or wrong, and judged by what was drawn.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "base/json.h"
#include "base/text.h"
#include "core/spec/effective.h"
#include "core/spec/identity.h"
#include "core/spec/job_paths.h"
#include "core/spec/settings.h"
#include "core/spec/settings_text.h"
#include "drawn_job.h"
#include "storm.h"

namespace windrow::sim {
namespace {

// Where they are, without the column.
std::multiset<std::string> places(const std::vector<Problem>& problems) {
  std::multiset<std::string> out;
  const std::string file = std::string(kJobFile) + ":";
  for (const Problem& problem : problems) {
    const bool in_file = problem.where.starts_with(file);
    out.insert(in_file ? problem.where.substr(0, problem.where.rfind(':') + 1) : problem.where);
    EXPECT_FALSE(problem.message.empty());
    EXPECT_EQ(find_invalid_utf8(problem.message), std::string::npos);
  }
  return out;
}

std::multiset<std::string> as_set(const std::vector<std::string>& all) {
  return {all.begin(), all.end()};
}

void judge_settings(const DrawnJob& job, const JobSpec& spec) {
  for (const Setting& setting : settings()) {
    if (setting.write == nullptr) continue;
    const SettingValue value = setting.write(spec);
    const auto drawn = job.settings.find(std::string(setting.key));
    if (drawn == job.settings.end()) {
      EXPECT_EQ(value, setting.write(JobSpec{})) << setting.key;
    } else {
      EXPECT_EQ(value.text, drawn->second.means) << setting.key << " said " << drawn->second.said;
      EXPECT_EQ(value.items, drawn->second.items) << setting.key;
    }
  }
}

void judge_structure(const JobSpec& expected, const JobSpec& spec) {
  EXPECT_EQ(spec.name, expected.name);
  EXPECT_EQ(spec.labels, expected.labels);
  EXPECT_EQ(spec.code, expected.code);
  EXPECT_EQ(spec.entry_script, expected.entry_script);
  EXPECT_EQ(spec.arguments, expected.arguments);
  EXPECT_EQ(spec.environment_variables, expected.environment_variables);
  EXPECT_EQ(spec.python, expected.python);
  EXPECT_EQ(spec.inputs, expected.inputs);
  EXPECT_EQ(spec.input_data, expected.input_data);
  EXPECT_EQ(spec.outputs, expected.outputs);
  EXPECT_EQ(spec.append_row_to, expected.append_row_to);
  EXPECT_EQ(spec.job_folder, expected.job_folder);
  EXPECT_EQ(spec.retry_of, expected.retry_of);
}

// The job as it runs says the same as the file that it came from.
void judge_effective(const JobReading& reading) {
  const JobSpec& spec = reading.spec;
  JobFileText again;
  again.file = "effective.yml";
  again.text = effective_job_file(spec, reading.origins);
  again.folder = "/elsewhere";
  again.written_by_us = true;
  const auto second = read_job_file(again);
  ASSERT_TRUE(second) << problems_text(second.error()) << again.text;
  EXPECT_EQ(second->spec, spec) << again.text;
  EXPECT_EQ(identity_hash(second->spec), identity_hash(spec));
  EXPECT_EQ(formation_hash(second->spec), formation_hash(spec));
  JobSpec renamed = spec;
  renamed.name += "x";
  renamed.limits.tries_max += 1;
  EXPECT_EQ(identity_hash(renamed), identity_hash(spec));
  renamed.arguments.emplace_back("one more");
  EXPECT_NE(identity_hash(renamed), identity_hash(spec));
  const Result<Json> json = parse_json(effective_config_json(spec, reading.origins));
  ASSERT_TRUE(json);
  for (const EffectiveValue& value : effective_values(spec, reading.origins)) {
    std::string key;
    for (const std::string& part : value.path) key += (key.empty() ? "" : ".") + part;
    const Json* one = json->find(key);
    ASSERT_NE(one, nullptr) << key;
    EXPECT_EQ(one->find("meaning") != nullptr, value.value.kind == SettingValue::Kind::kUnset);
    const Json* said = one->find("value");
    if (value.value.kind == SettingValue::Kind::kText) {
      EXPECT_EQ(*said->get<std::string>(), value.value.text) << key;
    }
    if (value.value.kind == SettingValue::Kind::kList) {
      EXPECT_EQ(said->get<Json::Array>()->size(), value.value.items.size()) << key;
    }
  }
}

// What is shown of a job in short: the settings that were given, and those that decide most jobs.
void judge_main(const DrawnJob& job, const JobReading& reading) {
  const std::set<std::string> usual = {"task.program_arguments",
                                       "mini_batch_size",
                                       "output_exists",
                                       "staged_outputs",
                                       "retry_settings.max_retries",
                                       "retry_settings.timeout",
                                       "error_threshold",
                                       "mini_batch_error_threshold"};
  const std::string text = "\n" + main_settings(reading.spec, reading.origins);
  for (const auto& [key, value] : job.settings) {
    const bool table = reading.spec.input_as == InputAs::kTable;
    const bool unset = value.said.empty() || (value.means.empty() && value.items.empty());
    if (unset || (key.starts_with("table.") && !table)) {
      continue;
    }
    EXPECT_NE(text.find("\n" + key + ": "), std::string::npos) << key << text;
  }
  for (std::size_t at = 1; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    const bool of_default = line.ends_with("  # from default");
    EXPECT_TRUE(!of_default || usual.contains(line.substr(0, line.find(':')))) << line;
    EXPECT_NE(line.find("  # from "), std::string::npos) << line;
    at = end + 1;
  }
}

// Every file that the job will write or read stands where its parts say.
void judge_paths(const JobSpec& spec) {
  const JobPaths paths = resolve_job_paths(spec, "/jobs/j");
  ASSERT_EQ(paths.targets.size(), spec.append_row_to.size());
  for (std::size_t i = 0; i < paths.targets.size(); ++i) {
    const auto output = std::ranges::find(spec.outputs, spec.append_row_to[i], &OutputSpec::name);
    const std::string folder = output->path.value_or("/jobs/j/outputs/" + output->name);
    const bool named = output->type == OutputType::kFile && output->path;
    EXPECT_EQ(paths.targets[i], named ? folder : folder + "/parallel_run_step.txt");
  }
  ASSERT_EQ(paths.folders.size(), std::max<std::size_t>(spec.outputs.size(), 1));
  for (std::size_t i = 0; i < spec.outputs.size(); ++i) {
    const bool file = spec.outputs[i].type == OutputType::kFile && spec.outputs[i].path;
    const std::string inside =
        spec.outputs[i].path.value_or("/jobs/j/outputs/" + spec.outputs[i].name);
    EXPECT_EQ(paths.folders[i], file ? inside.substr(0, inside.rfind('/')) : inside);
  }
  const JobPaths staged = staged_paths(spec, paths, "/stage");
  for (const OutputSpec& output : spec.outputs) {
    const bool inside = staged.outputs.at(output.name).starts_with("/stage/" + output.name);
    EXPECT_TRUE(inside) << staged.outputs.at(output.name);
  }
  EXPECT_TRUE(staged.output_folder.starts_with("/stage/")) << staged.output_folder;
  EXPECT_EQ(staged_outputs(spec, paths).size(),
            spec.staged_outputs ? std::max<std::size_t>(spec.outputs.size(), 1) : 0U);
  ASSERT_EQ(paths.arguments.size(), spec.arguments.size());
  for (std::size_t i = 0; i < paths.arguments.size(); ++i) {
    EXPECT_EQ(paths.arguments[i].find("${{"), std::string::npos);
    const bool reference = spec.arguments[i].find("${{") != std::string::npos;
    if (!reference) {
      EXPECT_EQ(paths.arguments[i], spec.arguments[i]);
    }
  }
  const bool module = spec.entry_script == "pkg.main";
  EXPECT_EQ(script_module(spec), module ? "pkg.main" : "");
  EXPECT_EQ(script_path(spec), spec.code + (module ? "/pkg/main.py" : "/" + spec.entry_script));
}

void judge(const DrawnJob& job) {
  SCOPED_TRACE(job.input.text);
  const auto reading = read_job_file(job.input);
  if (!job.problems.empty()) {
    ASSERT_FALSE(reading) << "a problem should be at " << job.problems[0];
    EXPECT_EQ(places(reading.error()), as_set(job.problems)) << problems_text(reading.error());
    std::string told;
    for (const Problem& problem : reading.error()) {
      told += escape_bytes(problem.where) + ": " + problem.message + "\n";
    }
    EXPECT_EQ(problems_text(reading.error()), told);
    return;
  }
  ASSERT_TRUE(reading) << problems_text(reading.error());
  EXPECT_EQ(places(reading->notices), as_set(job.notices)) << problems_text(reading->notices);
  judge_settings(job, reading->spec);
  judge_structure(job.spec, reading->spec);
  judge_effective(*reading);
  judge_main(job, *reading);
  judge_paths(reading->spec);
}

template <DrawnJob (JobDraft::*Draw)()>
class JobFileStorm {
 public:
  explicit JobFileStorm(std::uint64_t seed) : random_(seed) {}

  void run() {
    for (const std::uint32_t wrong : {0U, 60U, 400U}) judge((JobDraft(random_, wrong).*Draw)());
  }

 private:
  Random random_;
};

// A right file that somebody has damaged: it is refused at places of the file, or it is a job
// still.
class DamageStorm {
 public:
  explicit DamageStorm(std::uint64_t seed) : random_(seed) {}

  void run() {
    DrawnJob job =
        random_.per_mille(800) ? JobDraft(random_, 20).draw_v2() : JobDraft(random_, 20).draw_v1();
    for (std::uint32_t i = random_.between(1, 4); i > 0; --i) damage(job.input.text);
    SCOPED_TRACE(job.input.text);
    draw_flags(job.input.flags);
    const auto reading = read_job_file(job.input);
    if (reading) return judge_effective(*reading);
    ASSERT_FALSE(reading.error().empty());
    EXPECT_LE(reading.error().size(), 101U + job.input.set.size());
    const auto lines = 2 + std::ranges::count(job.input.text, '\n');
    for (const std::string& place : places(reading.error())) {
      if (!place.starts_with("job.yml:")) continue;
      EXPECT_GE(std::stol(place.substr(8)), 1) << place;
      EXPECT_LE(std::stol(place.substr(8)), lines) << place;
    }
  }

 private:
  void draw_flags(JobFlags& flags) {
    for (std::uint32_t i = random_.between(0, 2); i > 0; --i) flags.input.emplace_back("in");
    if (random_.per_mille(300)) flags.output = "out";
    if (random_.per_mille(300)) flags.append_row_to = "rows.csv";
    if (random_.per_mille(300)) flags.arguments = {"--x", "1"};
  }

  void damage(std::string& text) {
    const std::size_t at = random_.below(text.size() + 1);
    const std::size_t line = text.rfind('\n', at == 0 ? 0 : at - 1) + 1;
    const std::size_t end = std::min(text.find('\n', line), text.size() - 1) + 1;
    switch (random_.below(6)) {
      case 0:
        text.erase(at, random_.between(1, 3));
        return;
      case 1:
        text.erase(line, end - line);
        return;
      case 2:
        text.insert(line, text.substr(line, end - line));
        return;
      case 3:
        text.insert(line, draw_from(random_, {"  ", "- ", "# ", "---\n", "a:\n", "? [x]\n"}));
        return;
      default:
        break;
    }
    text.insert(at, draw_from(random_, {":",   " ",       "[",    "]",    "{",          "}",
                                        "\"",  "'",       "&a ",  "*a",   "!!str ",     "!x ",
                                        "\n",  "\t",      "\x01", "\xff", "!!binary x", "${{",
                                        "$[[", "]]",      "}}",   "null", "\xc3\xa9",   ",",
                                        "0",   "9999999", "..",   "|\n"}));
  }

  Random random_;
};

TEST(JobFileStorm, ADamagedFileIsRefusedAtItsPlacesOrIsAJob) { play_storms<DamageStorm>(); }

// The first hundred are told, and how many more there are.
class FloodStorm {
 public:
  explicit FloodStorm(std::uint64_t seed) : random_(seed) {}

  void run() {
    const std::uint32_t count = random_.between(90, 130);
    const bool twice = random_.per_mille(500);  // else nobody knows the keys
    JobFileText input{.file = kJobFile, .text = "type: parallel\n", .folder = kFileFolder};
    for (std::uint32_t i = 0; i < count; ++i) {
      input.text += twice ? "type: x\n" : "stranger" + std::to_string(i) + ": x\n";
    }
    input.text +=
        "inputs: {d: {path: /d}}\ninput_data: ${{inputs.d}}\ntask: {entry_script: s.py}\n";
    const auto reading = read_job_file(input);
    ASSERT_FALSE(reading);
    const std::size_t told = std::min(count, 100U);
    ASSERT_EQ(reading.error().size(), twice || count <= 100 ? told : 101U);
    for (std::size_t i = 0; i < told; ++i) {
      EXPECT_EQ(reading.error()[i].where, "job.yml:" + std::to_string(i + 2) + ":1");
    }
    if (reading.error().size() > 100) {
      EXPECT_NE(reading.error()[100].message.find(std::to_string(count - 100)), std::string::npos);
    }
  }

 private:
  Random random_;
};

TEST(JobFileStorm, TheFirstHundredProblemsAreTold) { play_storms<FloodStorm>(50); }

// Files that lack a whole part, or are not a job file at all: which problems, in the order of
// places.
TEST(JobFileStorm, WhatIsMissingAsAWholeIsToldOnce) {
  const std::string rest = "task: {entry_script: s.py}\n";
  const std::string data = "input_data: ${{inputs.d}}\n";
  const std::vector<std::pair<std::string, std::vector<std::string>>> files = {
      {"- a\n", {"job.yml:1:"}},
      {"just text\n", {"job.yml:1:"}},
      {"type: parallel\n" + rest, {"job.yml:1:", "job.yml:1:"}},
      {"type: parallel\n" + data + rest, {"job.yml:1:", "job.yml:2:"}},
      {"type: parallel\ninputs: x\n" + data + rest, {"job.yml:2:", "job.yml:3:"}},
      {"type: parallel\noutputs: x\ninputs: {d: {path: /d}}\n" + data + rest, {"job.yml:2:"}},
      {"type: parallel\nparallel_run_config: x\ninputs: {d: {path: /d}}\n" + data + rest,
       {"job.yml:2:"}},
      {"type: parallel\ntags: x\ninputs: {d: {path: /d}}\n" + data + rest, {"job.yml:2:"}},
  };
  for (const auto& [text, expected] : files) {
    const auto reading = read_job_file({.file = kJobFile, .text = text, .folder = kFileFolder});
    ASSERT_FALSE(reading) << text;
    EXPECT_EQ(places(reading.error()), as_set(expected)) << text << problems_text(reading.error());
  }
}

TEST(JobFileStorm, TheTableForPeopleHasEveryKey) {
  const std::string text = settings_text();
  const std::string markdown = settings_markdown();
  const Result<Json> json = parse_json(settings_json());
  ASSERT_TRUE(json);
  ASSERT_EQ(json->get<Json::Array>()->size(), settings().size());
  std::size_t at = 0;
  for (const Setting& setting : settings()) {
    const std::string key(setting.key);
    EXPECT_NE(text.find("\n" + key + "\n"), std::string::npos) << key;
    EXPECT_NE(markdown.find("| `" + key + "` |"), std::string::npos) << key;
    const Json& row = json->get<Json::Array>()->at(at++);
    EXPECT_EQ(*row.find("key")->get<std::string>(), key);
    if (!setting.argument.empty()) {
      const std::string& arguments = *row.find("argument")->get<std::string>();
      EXPECT_TRUE(arguments.starts_with("--" + std::string(setting.argument))) << arguments;
    }
  }
}

TEST(JobFileStorm, EverySettingOfTheTableIsDrawn) {
  for (const Setting& setting : settings()) {
    // instance_count is drawn with what stands beside it.
    if (setting.read == nullptr || setting.key == "resources.instance_count") continue;
    EXPECT_TRUE(knows_setting(setting.key)) << setting.key;
  }
}

TEST(JobFileStorm, AJobFileIsReadAsItWasDrawnOrRefusedWhereItIsWrong) {
  play_storms<JobFileStorm<&JobDraft::draw_v2>>();
}

TEST(JobFileStorm, AParallelRunConfigMeansTheSameAsAJobFile) {
  play_storms<JobFileStorm<&JobDraft::draw_v1>>();
}

}  // namespace
}  // namespace windrow::sim
