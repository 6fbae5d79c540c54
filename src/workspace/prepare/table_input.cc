// SPDX-License-Identifier: Apache-2.0
#include "workspace/prepare/table_input.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/json.h"
#include "base/text.h"
#include "base/words.h"
#include "core/plan/cutter.h"
#include "core/spec/job_paths.h"
#include "core/spec/values.h"
#include "core/table/mltable.h"
#include "core/table/partition_format.h"
#include "os/machine.h"
#include "workspace/prepare/made_tables.h"
#include "workspace/prepare/mltable_input.h"
#include "workspace/prepare/plan_rules.h"
#include "workspace/prepare/table_description.h"
#include "workspace/prepare/table_kind.h"

namespace windrow {
namespace {

// With the files that a list names which is not in the job folder yet.
std::vector<InputPart> parts_now(FileSystem& fs,
                                 const InputFiles& input,
                                 const std::vector<std::string>& listed) {
  std::vector<InputPart> out;
  for (const InputPart& part : input.parts) {
    if (!part.kept || fs.stat(part.name)) {
      out.push_back(part);
      continue;
    }
    for (const std::string& path : listed) {
      const std::string file(file_of_stretch(path));
      out.push_back(
          {.kind = InputPart::Kind::kFile, .folder = parent_folder(file), .name = base_name(file)});
    }
  }
  return out;
}

Result<FirstFiles> first_files(FileSystem& fs,
                               const std::vector<std::string>& without,
                               const PreparedJob& run) {
  const auto is_stretch = [](const std::string& name) {
    return file_of_stretch(name).size() != name.size();
  };
  FirstFiles out{.rows_of_lists = std::ranges::any_of(run.input.listed, is_stretch)};
  for (InputFiles files : run.input.files) {
    if (out.paths.size() == kSampleFiles) break;
    files.items = InputAs::kFiles;
    files.parts = parts_now(fs, files, run.input.listed);
    InputLister lister(fs, files, without);
    ASSIGN_OR_RETURN(const std::vector<std::string> names,
                     lister.next(kSampleFiles - out.paths.size()));
    for (const std::string& name : names) {
      out.rows_of_lists = out.rows_of_lists || is_stretch(name);
      out.paths.push_back(join_path(files.root, std::string(file_of_stretch(name))));
    }
  }
  return out;
}

TableRules rules_of(const TableSpec& table, const BatchSize& size) {
  TableRules rules;
  rules.format = *table.format;
  rules.text = {
      .header = rules.format == TableFormat::kDelimited && table.header != "no_header",
      .multi_line = rules.format == TableFormat::kDelimited && table.multi_line && table.quotes,
      .delimiter = table.delimiter->front(),
      .comment = table.comment,
      .skip_lines = table.skip_lines};
  rules.header_once = table.header == "from_first_file";
  rules.count_rows = table.count_rows;
  rules.whole_files = table.encoding == "utf16" || table.encoding == "utf32";
  rules.bytes = size.bytes.value_or(UINT64_MAX);
  rules.rows = size.rows;
  return rules;
}

// Steps that count rows: they need to know where in the whole table each row stands. Behind one
// that leaves rows out that takes the whole table.
enum class Counting : std::uint8_t { kNone, kRows, kWhole };

Counting counting_of(const TableSpec& table) {
  Counting out = Counting::kNone;
  bool left_out = false;
  for (const std::string& step : table.transformations) {
    const auto is = [&step](std::string_view name) {
      return std::string_view(step).substr(1).starts_with(fmt::format("\"{}\"", name));
    };
    const bool sample = is("take_random_sample");
    if (sample || is("take") || is("skip")) {
      out = left_out || out == Counting::kWhole ? Counting::kWhole : Counting::kRows;
    }
    left_out = left_out || sample || is("filter");
  }
  return out;
}

// Sees to it that steps which count rows get what they need. True when that is the whole table in
// one mini-batch.
bool settle_counting(const TableSpec& table,
                     const std::vector<std::string>& files,
                     std::vector<InputFiles>& inputs) {
  const Counting counting = counting_of(table);
  if (counting == Counting::kNone) return false;
  const bool no_places =
      table.encoding == "utf16" || table.encoding == "utf32" ||
      std::ranges::any_of(files, [](const std::string& file) { return is_packed_name(file); });
  const bool whole = counting == Counting::kWhole || no_places;
  const bool by_keys = std::ranges::any_of(inputs, &InputFiles::grouped);
  for (InputFiles& input : inputs) {
    input.table.count_rows = input.table.own_numbers = true;
    input.grouped = input.grouped || whole;
  }
  return whole && !by_keys;
}

// Refuses rows of lists that are counted in another way than they will be found.
Status check_row_places(FileSystem& fs, const PreparedJob& run) {
  for (const InputFiles& input : run.input.files) {
    for (const InputPart& part : input.parts) {
      if (part.kind != InputPart::Kind::kList || part.kept) continue;
      ASSIGN_OR_RETURN(PathList list, PathList::open(fs, part.name));
      for (;;) {
        ASSIGN_OR_RETURN(const std::optional<std::string> path, list.next());
        if (!path) break;
        if (list.row_places().empty() || list.row_places() == run.input.table.row_places) continue;
        return fail(ErrorCode::kInvalid,
                    "{} names rows of a table that was read in another way (settings under table, "
                    "or an MLTable file), so other rows have their numbers here: use what that job "
                    "set for its table, or try them again with windrow retry JOB",
                    path_in_quotes(part.name));
      }
    }
  }
  return {};
}

// Of folders called key=value that make no column.
std::string unused_keys(const TableInput& input,
                        const std::vector<std::string>& files,
                        const PreparedJob& run) {
  if (input.described || input.has_keys || files.empty() || run.input.files.empty()) return "";
  const InputFiles& first = run.input.files.front();
  if (!first.keys.format.empty() || !files.front().starts_with(first.root)) return "";
  const auto all = match_hive(std::string_view(files.front()).substr(first.root.size()));
  if (!all) return "";
  std::vector<std::string> unused;
  for (const auto& [key, value] : *all) {
    if (std::ranges::find(first.keys.keys, key) == first.keys.keys.end()) unused.push_back(key);
  }
  if (unused.empty()) return "";
  return fmt::format(
      "the frames have no column for folders called {0}=...: --set inputs.{1}.partition_format "
      "makes "
      "columns of folders, as in '/{0}={{{0}}}/...'; --set partition_keys={0} makes a mini-batch "
      "of "
      "each value as well",
      unused.front(),
      run.spec.input_data.front());
}

struct ReadInput {
  InputSpec files;
  PathWindow window;
  std::optional<TableSpec> described;  // how they are read, when an MLTable file says it
  std::string inference;               // as TableInput has it
};

Result<ReadInput> read_input(const InputSpec& input) {
  if (input.type != InputType::kMlTable) return ReadInput{.files = input};
  ASSIGN_OR_RETURN(MlTable table, read_mltable_of(input));
  ReadInput out{.files = files_of(table, input)};
  const Result<PathWindow> window = path_window(table);
  if (!window) {
    return fail(ErrorCode::kInvalid, "the input {}: {}", input.name, window.error().message);
  }
  out.window = *window;
  if (!table.table || input.as_files) return out;
  out.described = std::move(table.table);
  out.inference = std::move(table.inference);
  return out;
}

// What the job itself may say of a table that an MLTable file describes.
Status check_said(const TableSpec& said, const std::string& input) {
  TableSpec rest = said;
  rest.count_rows = rest.mixed_types = false;
  if (rest == TableSpec{}) return {};
  return fail(ErrorCode::kInvalid,
              "how the table {} is read stands in its MLTable file: leave out what the job says "
              "under table, but for count_rows and mixed_types",
              input);
}

void settle_size(PreparedJob& run) {
  JobSpec settled = run.spec;
  settled.input_as = run.input.items;
  settle_batch_size(settled);
  run.input.size = settled.mini_batch_size;
}

// For mltable.load: the files, and what is done with the list of them.
Result<std::string> describe_paths(FileSystem& fs, const MlTable& table, const InputSpec& input) {
  constexpr std::size_t kPage = 10000;
  ASSIGN_OR_RETURN(const InputFiles files,
                   resolve_input(fs, files_of(table, input), real_path, ""));
  RETURN_IF_ERROR(check_input(fs, files));
  JsonWriter json;
  json.begin_object().key("paths").begin_array();
  InputLister lister(fs, files, {});
  for (std::size_t got = kPage; got == kPage;) {
    ASSIGN_OR_RETURN(const std::vector<std::string> names, lister.next(kPage));
    got = names.size();
    for (const std::string& name : names) json.value(join_path(files.root, name));
  }
  json.end_array().key("transformations").begin_array();
  for (const std::string& step : table.path_steps) json.value(step);
  json.end_array().end_object();
  return json.text();
}

// A table that was made for this job. The rows of a query are one mini-batch, whatever their size,
// unless rows are counted.
TableInput table_of(const InputSpec& made, PreparedJob& run) {
  TableInput out{.inputs = {made}, .windows = {{}}};
  out.has_keys = run.input.made == MadeSoFar::kAll;
  out.table.format =
      run.input.made == MadeSoFar::kAll ? TableFormat::kParquet : TableFormat::kArrow;
  run.input.items = InputAs::kTable;
  settle_size(run);
  if (run.input.made == MadeSoFar::kQuery) run.input.size.bytes.reset();
  return out;
}

}  // namespace

Result<TableInput> read_table_input(PreparedJob& run) {
  TableInput out{.inputs = {}, .windows = {}, .table = run.spec.table};
  run.input.items = run.spec.input_as;
  for (const InputSpec& input : run.spec.inputs) {
    RETURN_IF_ERROR(check_side_table(run.spec, input));
  }
  if (const std::optional<InputSpec> made = made_input(run)) return table_of(*made, run);
  std::optional<TableSpec> described;
  for (const std::string& name : run.spec.input_data) {
    const auto found = std::ranges::find(run.spec.inputs, name, &InputSpec::name);
    CHECK(found != run.spec.inputs.end());
    if (found->type == InputType::kSql) continue;  // not there yet
    ASSIGN_OR_RETURN(ReadInput input, read_input(*found));
    if (input.described) RETURN_IF_ERROR(check_said(run.spec.table, name));
    if (out.inputs.empty()) {
      described = std::move(input.described);
      out.inference = std::move(input.inference);
    } else if (input.described != described || input.inference != out.inference) {
      return fail(ErrorCode::kInvalid,
                  "inputs that are cut into mini-batches are of one kind: {} is read in another "
                  "way than those before it",
                  name);
    }
    out.inputs.push_back(std::move(input.files));
    out.windows.push_back(input.window);
  }
  if (described) {
    run.input.items = InputAs::kTable;
    described->count_rows = run.spec.table.count_rows;
    described->mixed_types = run.spec.table.mixed_types;
    out.table = *std::move(described);
    out.described = true;
  }
  settle_size(run);
  return out;
}

std::string partition_of(const PreparedJob& run) {
  if (run.spec.partition_keys.empty()) return "";
  JsonWriter json;
  json.begin_object();
  json.key("keys").begin_array();
  for (const std::string& key : run.spec.partition_keys) json.value(key);
  json.end_array();
  json.field("stretches", run.input.items == InputAs::kTable);
  json.key("inputs").begin_array();
  for (const InputFiles& input : run.input.files) {
    json.begin_object();
    json.field("root", input.root).field("format", input.keys.format);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.text();
}

Status prepare_table(FileSystem& fs,
                     TableInput input,
                     const std::vector<std::string>& without,
                     PreparedJob& run) {
  if (run.input.items != InputAs::kTable) return {};
  ASSIGN_OR_RETURN(const FirstFiles files, first_files(fs, without, run));
  RETURN_IF_ERROR(settle_table_format(files.paths, run.spec, input.table));
  const TableRules rules = rules_of(input.table, run.input.size);
  if (rules.whole_files && rules.rows) {
    return fail(ErrorCode::kInvalid,
                "{} is not UTF-8, so it cannot be cut by rows: write the files in UTF-8, or leave "
                "out rows in mini_batch_size (a file is then one mini-batch)",
                input.table.encoding);
  }
  for (InputFiles& one : run.input.files) one.table = rules;
  input.whole = settle_counting(input.table, files.paths, run.input.files);
  if (input.whole && run.spec.limits.bisect_failed) {
    return fail(ErrorCode::kInvalid,
                "skip, take and samples need the whole table in one mini-batch here, and "
                "bisect_failed cannot cut that: leave one of them out");
  }
  const KeyRules keys = run.input.files.empty() ? KeyRules{} : run.input.files.front().keys;
  run.input.table.description = table_description(fs, input, files, keys, run.spec.frame);
  run.input.table.reading = table_description(fs, input, {}, keys, run.spec.frame);
  run.input.table.row_places = row_places_of(fs, input);
  run.input.table.notice = unused_keys(input, files.paths, run);
  return check_row_places(fs, run);
}

Result<std::vector<std::string>> list_stretches(FileSystem& fs,
                                                const PreparedJob& run,
                                                std::uint64_t bytes) {
  PlanRules rules = plan_rules(run, resolve_job_paths(run.spec, run.folder.root()));
  for (InputFiles& input : rules.inputs) {
    input.table.bytes = bytes;
    input.table.rows.reset();
  }
  rules.largest_first = false;
  std::vector<std::string> all;
  const auto add = [&](const Cut& cut) {
    for (const std::string& name : split_at_nul(cut.names)) {
      all.push_back(join_path(rules.inputs[cut.input].root, name));
    }
  };
  const Result<ListingRemarks> listed = cut_inputs(fs, rules, add);
  if (!listed) return std::unexpected(listed.error());
  return all;
}

Result<std::string> describe_mltable(FileSystem& fs, const std::string& folder) {
  PreparedJob run;
  run.spec.inputs = {{.name = "table", .type = InputType::kMlTable, .paths = {folder}}};
  run.spec.input_data = {"table"};
  run.folder = JobFolder(join_path(folder, ".windrow"));  // nothing is written there
  ASSIGN_OR_RETURN(const MlTable table, read_mltable_of(run.spec.inputs.front()));
  if (!table.table) return describe_paths(fs, table, run.spec.inputs.front());
  ASSIGN_OR_RETURN(TableInput input, read_table_input(run));
  for (const InputSpec& one : input.inputs) {
    ASSIGN_OR_RETURN(InputFiles files, resolve_input(fs, one, real_path, ""));
    RETURN_IF_ERROR(check_input(fs, files));
    files.items = run.input.items;
    run.input.files.push_back(std::move(files));
  }
  RETURN_IF_ERROR(prepare_table(fs, std::move(input), {}, run));
  ASSIGN_OR_RETURN(const std::vector<std::string> all, list_stretches(fs, run, UINT64_MAX));
  JsonWriter json;
  json.begin_object().members(run.input.table.description).key("stretches").begin_array();
  for (const std::string& name : all) json.value(name);
  return json.end_array().end_object().text();
}

}  // namespace windrow
