// SPDX-License-Identifier: Apache-2.0
#include "core/spec/identity.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "core/spec/effective.h"

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

TEST(IdentityHash, ChangesWithWhatMakesAnotherJob) {
  struct Change {
    std::string_view part;
    void (*make)(JobSpec&);
  };
  const std::vector<Change> changes = {
      {"script", [](JobSpec& s) { s.code = "/other"; }},
      {"script", [](JobSpec& s) { s.entry_script = "other.py"; }},
      {"input", [](JobSpec& s) { s.inputs[0].paths = {"/other"}; }},
      {"input", [](JobSpec& s) { s.inputs.push_back({.name = "more", .paths = {"/x"}}); }},
      {"output", [](JobSpec& s) { s.outputs[0].path = "/other"; }},
      {"output", [](JobSpec& s) { s.outputs[0].path = ""; }},
      {"output", [](JobSpec& s) { s.outputs[0].type = OutputType::kFile; }},
      {"output", [](JobSpec& s) { s.append_row_to.clear(); }},
      {"mini-batch size", [](JobSpec& s) { s.mini_batch_size.files = 11; }},
      {"arguments", [](JobSpec& s) { s.arguments = {"a"}; }},
      {"arguments", [](JobSpec& s) { s.arguments = {"a", ""}; }},
      {"environment variables", [](JobSpec& s) { s.environment_variables = {{"a", ""}}; }},
      {"retried job", [](JobSpec& s) { s.retry_of = "x"; }},
      {"input", [](JobSpec& s) { s.inputs[0].ignore = {"x"}; }},
      {"input", [](JobSpec& s) { s.inputs[0].type = InputType::kFile; }},
      {"mini-batch size", [](JobSpec& s) { s.mini_batch_size.bytes = 10; }},
      {"mini-batch size", [](JobSpec& s) { s.rank_mini_batch_count = 0; }},
      {"mini-batch size", [](JobSpec& s) { s.largest_first = true; }},
      {"row format", [](JobSpec& s) { s.rows.format = RowFormat::kCsv; }},
      {"row format", [](JobSpec& s) { s.rows.separator = ","; }},
      {"row format", [](JobSpec& s) { s.rows.header = true; }},
      {"script", [](JobSpec& s) { s.v1_argv = true; }},
      {"output", [](JobSpec& s) { s.staged_outputs = true; }},
      {"script", [](JobSpec& s) { s.command = "./program"; }},
      {"script", [](JobSpec& s) { s.command_mode = CommandMode::kLines; }},
      {"mini-batch size", [](JobSpec& s) { s.input_as = InputAs::kJsonLines; }},
  };
  std::set<std::string> hashes = {identity_hash(small())};
  for (const auto& change : changes) {
    JobSpec spec = small();
    change.make(spec);
    EXPECT_TRUE(hashes.insert(identity_hash(spec)).second) << effective_job_file(spec, {});
    EXPECT_EQ(identity_differences(small(), spec), std::vector{change.part});
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
  EXPECT_TRUE(identity_differences(spec, small()).empty());
}

TEST(IdentityDifferences, AreAllNamed) {
  JobSpec spec = small();
  spec.arguments = {"a"};
  spec.mini_batch_size.files = 11;
  EXPECT_EQ(identity_differences(small(), spec),
            (std::vector<std::string_view>{"arguments", "mini-batch size"}));
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

// 7 is 7 bytes if the file says that the items are rows; 7 files are the usual size then.
TEST(FormationHash, OfAnMlTableDependsOnTheUnitOfTheSize) {
  JobSpec files = small();
  files.inputs[0].type = InputType::kMlTable;
  files.mini_batch_size = {.files = 7};
  JobSpec bare = files;
  bare.mini_batch_size.bare = true;
  EXPECT_NE(formation_hash(bare), formation_hash(files));
}

}  // namespace
}  // namespace windrow
