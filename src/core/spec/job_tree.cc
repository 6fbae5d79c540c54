// SPDX-License-Identifier: Apache-2.0
#include "core/spec/job_tree.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "core/spec/job_keys.h"
#include "core/spec/job_name.h"
#include "core/spec/job_paths.h"
#include "core/spec/job_sections.h"
#include "core/spec/settings.h"
#include "core/spec/values.h"

namespace windrow {
namespace {

constexpr std::size_t kKeyMax = 255;
constexpr std::uint32_t kSmallFrame = 1000;         // bytes of its text that hardly anybody means
constexpr std::uint64_t kLargeFrame = 2ULL << 30U;  // bytes of its text

// False when the keys mean something else: another kind of job, not a misspelt one.
bool read_type(JobTree& tree) {
  const Node* type = tree.root.node->find("type");
  if (type == nullptr) {
    tree.reader.missing(tree.root, "type");
    return true;
  }
  constexpr std::string_view kAllowed[] = {"parallel"};
  constexpr std::string_view kNotYet[] = {"command", "spark", "sweep", "automl", "import"};
  if (type->text == "pipeline") {
    tree.reader.problem_at(tree.root,
                           "type",
                           "'pipeline' is not supported yet; put its parallel step into a file of "
                           "its own, with paths in place of ${{parent...}}, and run that");
    return false;
  }
  tree.reader.choice_at(tree.root, "type", kAllowed, kNotYet);
  return std::ranges::find(kNotYet, type->text) == std::end(kNotYet);
}

void read_text_map(JobTree& tree, std::string_view key, std::map<std::string, std::string>& into) {
  const std::optional<Place> place = tree.reader.at(tree.root, key);
  if (!place || !tree.reader.is_map(*place)) return;
  for (const Entry& entry : place->node->entries) {
    const Place child = tree.reader.child(*place, entry);
    if (entry.key.size() > kKeyMax) {
      tree.reader.problem(*place, fmt::format("a name of over {} bytes", kKeyMax));
    } else if (const auto text = bound_text(tree, child)) {
      into[entry.key] = *text;
    }
  }
}

void read_labels(JobTree& tree) {
  const auto text = [&tree](std::string_view key, std::string& into) {
    if (auto said = tree.reader.text_at(tree.root, key)) into = *std::move(said);
  };
  text("display_name", tree.spec.labels.display_name);
  text("description", tree.spec.labels.description);
  text("experiment_name", tree.spec.labels.experiment_name);
  tree.reader.text_at(tree.root, "$schema");
  read_text_map(tree, "tags", tree.spec.labels.tags);
  const auto name =
      tree.reader.value_at(tree.root, "name", [](std::string_view said) -> Result<std::string> {
        RETURN_IF_ERROR(check_job_name(said));
        return std::string(said);
      });
  if (name) tree.spec.name = *name;
}

void read_resources(JobTree& tree) {
  TreeReader& reader = tree.reader;
  const std::optional<std::string> compute = reader.text_at(tree.root, "compute");
  if (compute && *compute != "local" && *compute != "azureml:local") {
    reader.notice_at(tree.root,
                     "compute",
                     in_quotes(*compute) + " is not known here; the job runs on this machine");
  }
  if (const auto identity = reader.at(tree.root, "identity");
      identity && reader.is_map(*identity)) {
    constexpr std::string_view kAllowed[] = {"managed", "user_identity", "aml_token"};
    if (!identity->node->find("type")) reader.missing(*identity, "type");
    if (reader.choice_at(*identity, "type", kAllowed)) {
      reader.notice(*identity, "is not used: the job runs as the user who starts it");
    }
  }
  reader.value_at(tree.root, "is_deterministic", parse_bool);
  const std::optional<Place> resources = group_at(tree, "resources");
  if (!resources) return;
  if (const auto nodes = reader.at(*resources, "instance_count");
      nodes && nodes->node->text != "1") {
    reader.notice(*nodes,
                  nodes->node->text == "-1"
                      ? "this machine is the only node"
                      : nodes->node->text + " nodes are asked for; this machine is the only one");
    reader.set_origin("resources.instance_count", "this machine");
  }
  for (const Setting& setting : settings()) {
    const bool idle = group_of(setting) == "resources" && setting.read == nullptr;
    if (!idle || resources->node->find(leaf_of(setting)) == nullptr) continue;
    reader.notice_at(*resources, leaf_of(setting), "has no effect on this machine");
  }
}

void read_environment(JobTree& tree) {
  read_text_map(tree, "environment_variables", tree.spec.environment_variables);
  for (const auto& [name, value] : tree.spec.environment_variables) {
    if (!name.empty() && name.find('=') == std::string::npos) continue;
    tree.reader.problem_at(tree.root,
                           "environment_variables",
                           in_quotes(name) + " is not the name of an environment variable");
  }
}

void read_own_keys(JobTree& tree) {
  JobSpec& spec = tree.spec;
  if (const auto python = tree.reader.at(tree.root, "python")) {
    spec.python = tree.reader.text(*python);
    const bool is_path = spec.python && spec.python->find('/') != std::string::npos;
    if (is_path) spec.python = join_path(tree.folder, *spec.python);
    if (spec.python && spec.python->empty()) tree.reader.problem(*python, "is empty");
  }
  spec.job_folder = path_at(tree, tree.root, "job_dir");
  if (const auto job = tree.reader.at(tree.root, "retry_of")) {
    spec.retry_of = tree.reader.text(*job);
    if (spec.retry_of && spec.retry_of->empty()) tree.reader.problem(*job, "is empty");
  }
}

// A list for a setting stands as its items joined by commas.
std::optional<std::string> setting_text(JobTree& tree, const Place& place) {
  if (place.node->kind != Node::Kind::kSequence) return bound_text(tree, place);
  std::string all;
  for (const Node& item : place.node->items) {
    const std::optional<std::string> text = tree.reader.text({&item, place.path});
    if (!text) return std::nullopt;
    if (!all.empty()) all += ',';
    all += text->empty() ? " " : *text;
  }
  return all;
}

void read_setting(JobTree& tree, const Place& map, const Setting& setting) {
  const std::optional<Place> place = tree.reader.at(map, leaf_of(setting));
  if (!place) return;
  const bool list = setting.write(tree.spec).kind == SettingValue::Kind::kList ||
                    setting.allowed.starts_with("a list");
  const auto said = list ? setting_text(tree, *place) : bound_text(tree, *place);
  if (!said) return;
  if (const Status done = setting.read(tree.spec, *said); !done) {
    tree.reader.problem(*place, done.error().message);
  }
}

// That it is a map, and has known keys.
void check_group(JobTree& tree, std::string_view group) {
  const std::size_t point = group.rfind('.');
  const bool nested = point != std::string_view::npos;
  const std::optional<Place> map = group_at(tree, nested ? group.substr(0, point) : "");
  if (map) tree.reader.map_at(*map, nested ? group.substr(point + 1) : group, group_keys(group));
}

}  // namespace

void read_settings(JobTree& tree) {
  for (const std::string_view group : setting_groups()) check_group(tree, group);
  if (const std::optional<Place> compat = group_at(tree, "compat")) {
    const auto one = tree.reader.value_at(*compat, "v2_mini_batch_size_1", parse_bool);
    if (one == true) tree.spec.mini_batch_size.files = 1;
  }
  for (const Setting& setting : settings()) {
    if (setting.read == nullptr) continue;
    const std::optional<Place> map = group_at(tree, group_of(setting));
    if (map) read_setting(tree, *map, setting);
  }
}

std::optional<Place> group_at(JobTree& tree, std::string_view group) {
  Place place = tree.root;
  while (!group.empty()) {
    const std::string_view key = group.substr(0, group.find('.'));
    group.remove_prefix(std::min(key.size() + 1, group.size()));
    std::optional<Place> next = tree.reader.at(place, key);
    if (!next || next->node->kind != Node::Kind::kMap) return std::nullopt;
    place = *std::move(next);
  }
  return place;
}

// What is accepted for files that are shared with another system, and does nothing here.
void note_idle(JobTree& tree) {
  const RecordSpec& record = tree.spec.record;
  for (const auto& [said, key] :
       {std::pair(record.copy_logs_to_parent, "copy_logs_to_parent"),
        std::pair(record.push_metrics_to_parent, "push_metrics_to_parent")}) {
    if (said)
      tree.reader.notice_at(
          tree.root, key, "has no effect: a job that is started alone has no parent run");
  }
}

// What is for Python scripts alone.
void check_command(JobTree& tree) {
  const JobSpec& spec = tree.spec;
  if (spec.command.empty()) return;
  const auto idle = [&tree](bool said, std::string_view key, std::string_view why) {
    if (said && tree.root.node->find(key)) tree.reader.notice_at(tree.root, key, why);
  };
  idle(true, "python", "has no effect: task.command is a program of its own");
  idle(spec.record.profiler != Profiler::kNone,
       "profiling_module",
       "has no effect: task.command is not a Python script");
  if (const bool table =
          spec.rows.format == RowFormat::kParquet || spec.rows.format == RowFormat::kArrow;
      table && !spec.append_row_to.empty()) {
    tree.reader.problem(tree.root,
                        fmt::format("task.command writes rows as text, which makes no {} file",
                                    to_text(spec.rows.format)));
  }
  idle(spec.rows != RowStyle{},
       "append_row",
       "has no effect: the rows of task.command are written as they come");
  const std::optional<Place> rows = tree.reader.at(tree.root, "input_as");
  if (rows && spec.input_as != InputAs::kFiles) {
    tree.reader.problem(*rows, "is only for Python scripts; task.command gets files");
  }
  const std::optional<Place> task = tree.reader.at(tree.root, "task");
  if (task && spec.append_row_to.size() > 1) {
    tree.reader.problem_at(
        *task, "append_row_to", "names several outputs; the rows of task.command go to one");
  }
}

// Of two attempts that write files on their own, nobody could say which files count.
void check_speculate(JobTree& tree) {
  const JobSpec& spec = tree.spec;
  if (!spec.limits.speculate || spec.staged_outputs || !spec.append_row_to.empty()) return;
  const std::optional<Place> task = tree.reader.at(tree.root, "task");
  if (task && task->node->find("append_row_to") != nullptr) return;  // which is a problem already
  const Place place = tree.reader.at(tree.root, "speculate").value_or(tree.root);
  tree.reader.problem(place,
                      "a second attempt would write the same files again: a job without "
                      "append_row_to needs staged_outputs: true for it");
}

// Rows are put together by columns, which then are the keys.
void check_partition_by(JobTree& tree) {
  JobSpec& spec = tree.spec;
  if (spec.partition_by.empty()) return;
  const std::optional<Place> by = tree.reader.at(tree.root, "partition_by");
  const bool table =
      spec.input_as == InputAs::kTable || (spec.input_as == InputAs::kFiles && has_mltable(spec));
  if (by && !table) {
    tree.reader.problem(*by, "is only for tables: add input_as: table (--as table)");
  }
  if (spec.partition_keys.empty()) spec.partition_keys = spec.partition_by;
  for (const std::string& key : spec.partition_keys) {
    if (!by || std::ranges::find(spec.partition_by, key) != spec.partition_by.end()) continue;
    tree.reader.problem(*by, fmt::format("lacks {}, which partition_keys has", in_quotes(key)));
  }
}

// What a query gives is a table, and the only one.
void check_query(JobTree& tree) {
  JobSpec& spec = tree.spec;
  const auto is_query = [&spec](const std::string& name) {
    const InputSpec* input = find_input(spec, name);
    return input != nullptr && input->type == InputType::kSql;
  };
  if (std::ranges::none_of(spec.input_data, is_query)) return;
  const std::optional<Place> data = tree.reader.at(tree.root, "input_data");
  if (data && spec.input_data.size() > 1) {
    tree.reader.problem(*data, "names an input of type sql, which stands there alone");
  }
  if (const auto as = tree.reader.at(tree.root, "input_as");
      as && spec.input_as != InputAs::kTable) {
    tree.reader.problem(*as, "is table for an input of type sql");
  }
  spec.input_as = InputAs::kTable;
}

// Keys decide what a mini-batch is, and nothing else does.
void check_keys(JobTree& tree, const std::optional<Place>& size) {
  JobSpec& spec = tree.spec;
  if (size) {
    tree.reader.contradiction(
        *size,
        fmt::format("has no effect: {} what a mini-batch is",
                    spec.partition_by.empty() ? "partition_keys decide" : "partition_by decides"),
        spec.strict);
  }
  const std::optional<Place> keys = tree.reader.at(tree.root, "partition_keys");
  if (keys && spec.input_as == InputAs::kJsonLines) {
    tree.reader.problem(*keys, "go with files and tables, not with input_as: jsonl");
  }
  const std::optional<Place> said = keys ? keys : tree.reader.at(tree.root, "partition_by");
  const bool rows = spec.input_as == InputAs::kTable || has_mltable(spec);
  if (said && spec.limits.bisect_failed && rows) {
    tree.reader.problem(
        *said, "and bisect_failed do not go together for tables: the rows of a key stay together");
  }
  spec.mini_batch_size = {};
}

// What a mini-batch is full with, and how a table is read, by what the items are.
void check_rows(JobTree& tree) {
  JobSpec& spec = tree.spec;
  const BatchSize& said = spec.mini_batch_size;
  const std::optional<Place> size = tree.reader.at(tree.root, "mini_batch_size");
  if (!spec.partition_keys.empty()) return check_keys(tree, size);
  if (spec.input_as == InputAs::kFiles && has_mltable(spec)) return;  // its file says what it is
  if (size && spec.input_as == InputAs::kFiles && said.rows) {
    tree.reader.problem(*size,
                        "counts rows, and the items are files; input_as: table (--as table) makes "
                        "rows of tables the items, jsonl those of JSON lines");
  }
  if (size && spec.input_as == InputAs::kTable && said.files != kIntMax && !said.bare) {
    tree.reader.problem(*size,
                        "counts files; a mini-batch of a table is never of two files, and is full "
                        "with bytes or rows, as in '1MB' or '500 rows'");
  }
  if (size && spec.input_as == InputAs::kTable && said.bare && said.files < kSmallFrame) {
    tree.reader.notice(*size,
                       fmt::format("counts bytes of a table; '{} rows' counts rows", said.files));
  }
  settle_batch_size(spec);
  if (size && spec.input_as == InputAs::kTable && said.bytes.value_or(0) > kLargeFrame) {
    tree.reader.notice(*size, "more than 2 GB: a frame takes several times the memory of its text");
  }
  const std::optional<Place> table = tree.reader.at(tree.root, "table");
  if (!table || spec.input_as == InputAs::kTable) return;
  for (const Entry& entry : table->node->entries) {
    tree.reader.notice_at(*table, entry.key, "has no effect: the items are not rows of a table");
  }
}

void check_whole(JobTree& tree) {
  const JobSpec& spec = tree.spec;
  if (spec.limits.first_task_timeout > kRunTimeoutMax) {
    tree.reader.notice_at(
        tree.root, "first_task_creation_timeout", "is longer than 259200 seconds, three days");
  }
  settle_row_form(tree);
  check_query(tree);
  check_partition_by(tree);
  check_rows(tree);
  const std::optional<Place> data = tree.reader.at(tree.root, "input_data");
  if (spec.rank_mini_batch_count && data) {
    tree.reader.contradiction(
        *data, "is not read: rank_mini_batch_count makes mini-batches without items", spec.strict);
    tree.spec.input_data.clear();
  }
}

std::expected<JobReading, std::vector<Problem>> read_job_tree(const Node& root,
                                                              TreeReader reader,
                                                              std::string_view folder,
                                                              JobSource source,
                                                              JobReading* rest) {
  JobTree tree{{&root, ""}, folder, std::move(reader)};
  if (tree.reader.is_map(tree.root) && read_type(tree)) {
    tree.reader.check_keys(tree.root, root_keys());
    read_inputs(tree);
    read_labels(tree);
    read_outputs(tree);
    read_settings(tree);
    read_task(tree);
    if (source == JobSource::kV1) check_v1(tree);
    if (source != JobSource::kEffective) read_engine_arguments(tree);
    read_input_data(tree);
    read_resources(tree);
    read_environment(tree);
    read_own_keys(tree);
    check_whole(tree);
    check_command(tree);
    if (source != JobSource::kEffective) {
      check_speculate(tree);
      note_idle(tree);
    }
  }
  JobReading read{std::move(tree.spec), tree.reader.take_origins(), tree.reader.take_notices()};
  if (!tree.reader.has_problems()) return read;
  if (rest != nullptr) *rest = std::move(read);
  return std::unexpected(tree.reader.take_problems());
}

}  // namespace windrow
