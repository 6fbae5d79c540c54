// SPDX-License-Identifier: Apache-2.0
#include "core/spec/identity.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/hash.h"
#include "core/spec/values.h"

namespace windrow {
namespace {

void add_count(Sha256& hash, std::size_t count) { hash.update_field(std::to_string(count)); }

void add_list(Sha256& hash, const std::vector<std::string>& list) {
  add_count(hash, list.size());
  for (const std::string& one : list) hash.update_field(one);
}

void add_optional(Sha256& hash, const std::optional<std::string>& text) {
  hash.update_field(text ? "set" : "unset");
  hash.update_field(text.value_or(""));
}

void add_input(Sha256& hash, const InputSpec& input) {
  add_count(hash, static_cast<std::size_t>(input.type));
  add_list(hash, input.paths);
  add_list(hash, input.ignore);
  if (input.as_files) hash.update_field("as files");
  if (!input.partition_format.empty()) hash.update_field(input.partition_format);
  if (input.type == InputType::kSql) hash.update_field(input.query);
}

void add_table(Sha256& hash, const TableSpec& table) {
  hash.update_field("rows of a table");
  add_count(hash, table.format ? static_cast<std::size_t>(*table.format) + 1 : 0);
  add_optional(hash, table.delimiter);
  for (const std::string* word : {&table.header,
                                  &table.encoding,
                                  &table.comment,
                                  &table.ragged,
                                  &table.invalid_lines,
                                  &table.types,
                                  &table.partition_format}) {
    hash.update_field(*word);
  }
  for (const bool flag : {table.infer_column_types,
                          table.empty_as_string,
                          table.quotes,
                          table.multi_line,
                          table.include_path_column,
                          table.mixed_types,
                          table.count_rows}) {
    add_count(hash, flag ? 1 : 0);
  }
  add_count(hash, table.skip_lines);
  add_list(hash, table.transformations);
  if (!table.text_columns.empty()) {
    hash.update_field("text columns");
    add_list(hash, table.text_columns);
  }
}

void add_cut(Sha256& hash, const JobSpec& spec) {
  hash.update_field(batch_size_text(spec));
  hash.update_field(spec.rank_mini_batch_count ? std::to_string(*spec.rank_mini_batch_count) : "");
  hash.update_field(spec.largest_first ? "largest first" : "");
  if (!spec.partition_keys.empty()) add_list(hash, spec.partition_keys);
  if (!spec.partition_by.empty()) {
    hash.update_field("partition by");
    add_list(hash, spec.partition_by);
  }
  if (spec.input_as == InputAs::kJsonLines) hash.update_field("rows of JSON lines");
  if (spec.input_as == InputAs::kTable) add_table(hash, spec.table);
}

void add_program(Sha256& hash, const JobSpec& spec) {
  hash.update_field(spec.code);
  hash.update_field(spec.entry_script);
  hash.update_field(spec.command);
  hash.update_field(to_text(spec.command_mode));
  add_count(hash, spec.v1_argv ? 1 : 0);
  if (spec.frame != Frame::kPandas) add_count(hash, static_cast<std::size_t>(spec.frame));
}

void add_arguments(Sha256& hash, const JobSpec& spec) { add_list(hash, spec.arguments); }

void add_environment(Sha256& hash, const JobSpec& spec) {
  add_count(hash, spec.environment_variables.size());
  for (const auto& [name, value] : spec.environment_variables) {
    hash.update_field(name);
    hash.update_field(value);
  }
}

void add_inputs(Sha256& hash, const JobSpec& spec) {
  add_list(hash, spec.input_data);
  add_count(hash, spec.inputs.size());
  for (const InputSpec& input : spec.inputs) {
    hash.update_field(input.name);
    add_input(hash, input);
  }
}

void add_outputs(Sha256& hash, const JobSpec& spec) {
  add_count(hash, spec.outputs.size());
  for (const OutputSpec& output : spec.outputs) {
    hash.update_field(output.name);
    hash.update_field(to_text(output.type));
    add_optional(hash, output.path);
  }
  add_list(hash, spec.append_row_to);
  add_count(hash, spec.staged_outputs ? 1 : 0);
}

void add_rows(Sha256& hash, const JobSpec& spec) {
  add_count(hash, static_cast<std::size_t>(spec.rows.format));
  add_optional(hash, spec.rows.separator);
  add_count(hash, spec.rows.header ? 1 : 0);
  hash.update_field(spec.rows.field);
}

void add_retried(Sha256& hash, const JobSpec& spec) { add_optional(hash, spec.retry_of); }

struct Part {
  std::string_view name;
  void (*add)(Sha256&, const JobSpec&);
};

constexpr auto kParts = std::to_array<Part>({
    {"script", add_program},
    {"arguments", add_arguments},
    {"environment variables", add_environment},
    {"input", add_inputs},
    {"mini-batch size", add_cut},
    {"output", add_outputs},
    {"row format", add_rows},
    {"retried job", add_retried},
});

std::string part_hash(const Part& part, const JobSpec& spec) {
  Sha256 hash;
  part.add(hash, spec);
  return hash.finish();
}

}  // namespace

std::string identity_hash(const JobSpec& spec) {
  Sha256 hash;
  hash.update_field("windrow job identity 3");
  for (const Part& part : kParts) hash.update_field(part_hash(part, spec));
  return hash.finish();
}

std::vector<std::string_view> identity_differences(const JobSpec& one, const JobSpec& other) {
  std::vector<std::string_view> names;
  for (const Part& part : kParts) {
    if (part_hash(part, one) != part_hash(part, other)) names.push_back(part.name);
  }
  return names;
}

std::string formation_hash(const JobSpec& spec) {
  Sha256 hash;
  hash.update_field("windrow formation 2");
  for (const std::string& name : spec.input_data) {
    const auto data = std::ranges::find(spec.inputs, name, &InputSpec::name);
    if (data != spec.inputs.end()) add_input(hash, *data);
  }
  add_cut(hash, spec);
  return hash.finish();
}

}  // namespace windrow
