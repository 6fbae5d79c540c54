// SPDX-License-Identifier: Apache-2.0
//
// Jobs that were changed in drawn places: they are one exactly when none of the changes is part of
// their identity, and cut alike when none concerns the cut.
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/spec/identity.h"
#include "core/spec/job_file.h"
#include "drawn_job.h"
#include "storm.h"

namespace windrow::sim {
namespace {

// A change, the part of the identity that it belongs to ("" is none), and whether mini-batches are
// cut in another way.
struct Change {
  std::string part;
  bool cut;
  std::function<void(JobSpec&)> make;
};

InputSpec& data_of(JobSpec& spec) {
  for (InputSpec& input : spec.inputs) {
    if (input.name == "data") return input;
  }
  return spec.inputs.emplace_back(InputSpec{.name = "data", .paths = {"/in"}});
}

const std::vector<Change>& changes() {
  static const std::vector<Change> kAll = {
      {"", false, [](JobSpec& spec) { spec.name += "x"; }},
      {"", false, [](JobSpec& spec) { spec.limits.tries_max += 1; }},
      {"", false, [](JobSpec& spec) { spec.python = "another"; }},
      {"", false, [](JobSpec& spec) { spec.worker.count = 77; }},
      {"", false, [](JobSpec& spec) { spec.labels.tags["x"] = "y"; }},
      {"script", false, [](JobSpec& spec) { spec.code += "x"; }},
      {"script", false, [](JobSpec& spec) { spec.entry_script += "x"; }},
      {"script", false, [](JobSpec& spec) { spec.v1_argv = !spec.v1_argv; }},
      {"script", false, [](JobSpec& spec) { spec.command += "x"; }},
      {"arguments", false, [](JobSpec& spec) { spec.arguments.emplace_back(""); }},
      {"environment variables",
       false,
       [](JobSpec& spec) { spec.environment_variables["X"] = "1"; }},
      {"input", true, [](JobSpec& spec) { data_of(spec).paths.emplace_back("/more"); }},
      {"input", true, [](JobSpec& spec) { data_of(spec).ignore.emplace_back("x"); }},
      {"input", true, [](JobSpec& spec) { data_of(spec).partition_format += "{z}"; }},
      {"input", true, [](JobSpec& spec) { data_of(spec).as_files = !data_of(spec).as_files; }},
      {"input",
       false,
       [](JobSpec& spec) { spec.inputs.push_back({.name = "z", .paths = {"/z"}}); }},
      {"mini-batch size", true, [](JobSpec& spec) { spec.mini_batch_size.files ^= 64U; }},
      {"mini-batch size", true, [](JobSpec& spec) { spec.mini_batch_size.bytes = 7; }},
      {"mini-batch size", true, [](JobSpec& spec) { spec.mini_batch_size.rows = 7; }},
      {"mini-batch size", true, [](JobSpec& spec) { spec.largest_first = !spec.largest_first; }},
      {"mini-batch size", true, [](JobSpec& spec) { spec.rank_mini_batch_count = 99; }},
      {"mini-batch size", true, [](JobSpec& spec) { spec.partition_keys.emplace_back("z"); }},
      {"mini-batch size", true, [](JobSpec& spec) { spec.partition_by.emplace_back("z"); }},
      {"output", false, [](JobSpec& spec) { spec.outputs.push_back({.name = "z"}); }},
      {"output", false, [](JobSpec& spec) { spec.staged_outputs = !spec.staged_outputs; }},
      {"output", false, [](JobSpec& spec) { spec.append_row_to.emplace_back("z"); }},
      {"row format", false, [](JobSpec& spec) { spec.rows.header = !spec.rows.header; }},
      {"row format", false, [](JobSpec& spec) { spec.rows.separator = "z"; }},
      {"row format", false, [](JobSpec& spec) { spec.rows.field += "x"; }},
      {"retried job", false, [](JobSpec& spec) { spec.retry_of = "z"; }},
  };
  return kAll;
}

// Only of jobs whose items are rows of a table.
const std::vector<std::function<void(TableSpec&)>>& table_changes() {
  static const std::vector<std::function<void(TableSpec&)>> kAll = {
      [](TableSpec& table) {
        const bool arrow = table.format == TableFormat::kArrow;
        table.format = arrow ? std::optional<TableFormat>() : TableFormat::kArrow;
      },
      [](TableSpec& table) { table.delimiter = table.delimiter.value_or("") + "x"; },
      [](TableSpec& table) { table.header += "x"; },
      [](TableSpec& table) { table.encoding += "x"; },
      [](TableSpec& table) { table.comment += "x"; },
      [](TableSpec& table) { table.ragged += "x"; },
      [](TableSpec& table) { table.invalid_lines += "x"; },
      [](TableSpec& table) { table.types += "x"; },
      [](TableSpec& table) { table.partition_format += "x"; },
      [](TableSpec& table) { table.infer_column_types = !table.infer_column_types; },
      [](TableSpec& table) { table.empty_as_string = !table.empty_as_string; },
      [](TableSpec& table) { table.quotes = !table.quotes; },
      [](TableSpec& table) { table.multi_line = !table.multi_line; },
      [](TableSpec& table) { table.include_path_column = !table.include_path_column; },
      [](TableSpec& table) { table.mixed_types = !table.mixed_types; },
      [](TableSpec& table) { table.count_rows = !table.count_rows; },
      [](TableSpec& table) { table.skip_lines += 1; },
      [](TableSpec& table) { table.text_columns.emplace_back("z"); },
      [](TableSpec& table) { table.transformations.emplace_back("{}"); },
  };
  return kAll;
}

class IdentityStorm {
 public:
  explicit IdentityStorm(std::uint64_t seed) : random_(seed) {}

  void run() {
    const auto reading = read_job_file(JobDraft(random_, 0).draw_v2().input);
    if (!reading) return;  // two settings that do not go together
    JobSpec one = reading->spec;
    data_of(one);
    one.input_data = {"data"};
    for (int i = 0; i < 10; ++i) {
      if (random_.per_mille(300)) one.input_as = InputAs::kTable;
      judge_changed(one);
    }
  }

 private:
  void judge_changed(const JobSpec& one) {
    JobSpec other = one;
    std::set<std::string> parts;
    bool cut = false;
    std::set<std::size_t> made;
    for (std::uint32_t i = random_.between(0, 2); i > 0; --i) {
      const std::size_t at = random_.below(changes().size());
      if (!made.insert(at).second) continue;  // twice would be not at all
      const Change& change = changes()[at];
      change.make(other);
      if (!change.part.empty()) parts.insert(change.part);
      cut = cut || change.cut;
    }
    if (random_.per_mille(300)) {
      table_changes()[random_.below(table_changes().size())](other.table);
      if (one.input_as == InputAs::kTable) parts.insert("mini-batch size");
      cut = cut || one.input_as == InputAs::kTable;
    }
    if (random_.per_mille(100)) {
      other.input_as = one.input_as == InputAs::kTable ? InputAs::kFiles : InputAs::kTable;
      parts.insert("mini-batch size");
      cut = true;
    }
    const auto differences = identity_differences(one, other);
    EXPECT_EQ(std::set<std::string>(differences.begin(), differences.end()), parts);
    EXPECT_EQ(identity_hash(one) == identity_hash(other), parts.empty());
    EXPECT_EQ(formation_hash(one) == formation_hash(other), !cut);
  }

  Random random_;
};

TEST(IdentityStorm, JobsAreOneUnlessAPartOfThemDiffers) { play_storms<IdentityStorm>(100); }

}  // namespace
}  // namespace windrow::sim
