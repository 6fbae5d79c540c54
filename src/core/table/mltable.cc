// SPDX-License-Identifier: Apache-2.0
#include "core/table/mltable.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/encoding_name.h"
#include "base/text.h"
#include "core/spec/job_paths.h"
#include "core/spec/tree_reader.h"
#include "core/spec/values.h"
#include "core/spec/yaml.h"
#include "core/table/transformation.h"

namespace windrow {
namespace {

using Keys = std::span<const std::string_view>;

constexpr std::string_view kFileScheme = "file://";

// Steps that the format has and that are not built.
struct Refused {
  std::string_view name;
  std::string_view instead;
};
constexpr auto kRefused = std::to_array<Refused>({
    {"read_delta_lake", "write the table to Parquet files, and read those with read_parquet"},
    {"sample", "take_random_sample takes a part of the rows"},
    {"select_partitions", "mini_batch_size says how a table is cut"},
});

constexpr auto kDelimitedKeys = std::to_array<std::string_view>({"delimiter",
                                                                 "header",
                                                                 "encoding",
                                                                 "infer_column_types",
                                                                 "empty_as_string",
                                                                 "support_multi_line",
                                                                 "include_path_column",
                                                                 "path_column",
                                                                 "partition_size"});
constexpr auto kParquetKeys =
    std::to_array<std::string_view>({"include_path_column", "path_column"});
constexpr auto kJsonLinesKeys = std::to_array<std::string_view>(
    {"invalid_lines", "encoding", "include_path_column", "path_column", "partition_size"});

struct ReadStep {
  std::string_view name;
  TableFormat format;
  Keys keys;
};
constexpr auto kReadSteps = std::to_array<ReadStep>({
    {"read_delimited", TableFormat::kDelimited, kDelimitedKeys},
    {"read_parquet", TableFormat::kParquet, kParquetKeys},
    {"read_json_lines", TableFormat::kJsonLines, kJsonLinesKeys},
});

const ReadStep* read_step(std::string_view name) {
  const auto* found = std::ranges::find(kReadSteps, name, &ReadStep::name);
  return found == kReadSteps.end() ? nullptr : found;
}

std::vector<std::string_view> step_names() {
  std::vector<std::string_view> names;
  for (const ReadStep& step : kReadSteps) names.push_back(step.name);
  for (const std::string_view name : transformation_names()) names.push_back(name);
  return names;
}

Result<std::string> parse_encoding(std::string_view text) {
  std::string name = encoding_name(text);
  if (std::ranges::find(kEncodings, name) != kEncodings.end()) return name;
  return fail(ErrorCode::kInvalid,
              "{} is not known; allowed is {}",
              in_quotes(text),
              fmt::join(kEncodings, ", "));
}

Result<std::string> parse_delimiter(std::string_view text) {
  const bool one = !text.empty() && utf8_length(text) == text.size();
  if (one && std::string_view("\"\r\n").find(text) == std::string_view::npos) {
    return std::string(text);
  }
  return fail(ErrorCode::kInvalid,
              "{} is not a delimiter; allowed is one character, but no quote and no line break",
              in_quotes(text));
}

// A path of this machine.
Result<std::string> parse_path(std::string_view said, MlTable::Path::Kind kind) {
  std::string_view path = said;
  const bool url = path.starts_with(kFileScheme);
  if (url) path.remove_prefix(kFileScheme.size());
  if (said.empty()) return fail(ErrorCode::kInvalid, "is empty; a path is expected");
  if (url && !path.starts_with('/')) {
    return fail(ErrorCode::kInvalid,
                "{} names no path of this machine; allowed is file:// and an absolute path",
                in_quotes(said));
  }
  if (!url && is_remote_path(path)) {
    return fail(ErrorCode::kInvalid,
                "{} is not a path of this machine; others are not supported yet",
                in_quotes(said));
  }
  if (kind != MlTable::Path::Kind::kPattern && path.find('*') != std::string_view::npos) {
    return fail(ErrorCode::kInvalid, "{} is a pattern; write pattern: before it", in_quotes(said));
  }
  return std::string(path);
}

class MlTableReader {
 public:
  MlTableReader(std::string_view file, const Node& root) : root_{&root, ""}, reader_(file) {}

  std::expected<MlTable, std::vector<Problem>> read() {
    constexpr auto kKnown = std::to_array<std::string_view>(
        {"type", "paths", "transformations", "metadata", "traits", "$schema"});
    constexpr auto kNotYet = std::to_array<std::string_view>({"query_source"});
    constexpr auto kTypes = std::to_array<std::string_view>({"mltable"});
    if (reader_.is_map(root_)) {
      reader_.check_keys(root_, {kKnown, kNotYet, {}, {}});
      reader_.choice_at(root_, "type", kTypes);
      read_paths();
      read_steps();
    }
    if (reader_.has_problems()) return std::unexpected(reader_.take_problems());
    if (out_.table) out_.path_steps.clear();
    out_.notices = reader_.take_notices();
    return std::move(out_);
  }

 private:
  struct Step {
    std::string name;  // empty: a problem was told
    Place at;          // of the step
    Place argument;    // what stands below its name; the step itself where nothing does
  };

  // The list behind a key of the root, each with its place; nothing when there is none.
  std::vector<Place> list_at(std::string_view key, std::string_view example) {
    const std::optional<Place> list = reader_.at(root_, key);
    if (!list) return {};
    if (list->node->kind != Node::Kind::kSequence) {
      reader_.problem(*list, fmt::format("a list is expected, as in {}", example));
      return {};
    }
    std::vector<Place> items;
    for (const Node& item : list->node->items) items.push_back({&item, list->path});
    return items;
  }

  void read_paths() {
    const Node* said = root_.node->find("paths");
    if (said == nullptr) return reader_.missing(root_, "paths");
    if (said->kind == Node::Kind::kSequence && said->items.empty()) {
      return reader_.problem_at(root_, "paths", "is an empty list");
    }
    for (const Place& item : list_at("paths", "- file: ./data.csv")) read_path(item);
  }

  void read_path(const Place& item) {
    constexpr auto kKinds = std::to_array<std::string_view>({"file", "folder", "pattern"});
    if (item.node->kind != Node::Kind::kMap) {
      return reader_.problem(item, "write file:, folder: or pattern: before each path");
    }
    reader_.check_keys(item, {kKinds, {}, {}, {}});
    if (item.node->entries.size() != 1) {
      return reader_.problem(item, "is one of file, folder and pattern; begin each with a dash");
    }
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
      const auto kind = static_cast<MlTable::Path::Kind>(i);
      auto path = reader_.value_at(
          item, kKinds.at(i), [kind](std::string_view said) { return parse_path(said, kind); });
      if (path) out_.paths.push_back({kind, *std::move(path)});
    }
  }

  // The name of a step and what stands below it.
  Step step_at(const Place& item) {
    if (item.node->kind == Node::Kind::kScalar) return bare_step(item);
    if (!reader_.is_map(item)) return {};
    const std::vector<Entry>& entries = item.node->entries;
    if (entries.empty()) return reader_.problem(item, "is empty; a step is expected"), Step();
    const Entry& first = entries.front();
    if (entries.size() == 1) return checked({first.key, item, reader_.child(item, first)});
    // Keys that stand beside the name, where they were meant to stand below it.
    if (read_step(first.key) != nullptr && first.value.kind == Node::Kind::kNull) {
      return {first.key, item, item};
    }
    reader_.problem(item,
                    fmt::format("{} and {} stand in one step; begin each step with a dash",
                                in_quotes(first.key),
                                in_quotes(entries[1].key)));
    return {};
  }

  // A step that is a name and nothing else.
  Step bare_step(const Place& item) {
    Step step = checked({item.node->text, item, item});
    if (step.name.empty() || read_step(step.name) != nullptr) return step;
    reader_.problem(item, fmt::format("{} needs a value after a colon", step.name));
    return {};
  }

  Step checked(Step step) {
    const std::vector<std::string_view> known = step_names();
    if (std::ranges::find(known, step.name) != known.end()) return step;
    const auto* refused = std::ranges::find(kRefused, step.name, &Refused::name);
    const std::optional<std::string_view> right = nearest_name(step.name, known);
    if (refused != kRefused.end()) {
      reader_.problem(step.at,
                      fmt::format("{} is not supported; {}", refused->name, refused->instead));
    } else if (right) {
      reader_.problem(
          step.at,
          fmt::format(
              "unknown transformation {}; did you mean '{}'?", in_quotes(step.name), *right));
    } else {
      reader_.problem(step.at,
                      fmt::format("unknown transformation {}; allowed are {}",
                                  in_quotes(step.name),
                                  fmt::join(known, ", ")));
    }
    step.name.clear();
    return step;
  }

  void read_steps() {
    std::vector<Step> steps;
    for (const Place& item : list_at("transformations", "- read_delimited")) {
      steps.push_back(step_at(item));
    }
    const auto is_read = [](const Step& step) { return read_step(step.name) != nullptr; };
    const auto first = std::ranges::find_if(steps, is_read);
    for (auto step = steps.begin(); step != steps.end(); ++step) {
      if (step->name.empty()) continue;
      if (const ReadStep* read = read_step(step->name)) {
        if (step == first) read_table(*step, *read);
        if (step != first) reader_.problem(step->at, "is a second read step; one is allowed");
        continue;
      }
      if (step->name == kExtraction) {
        extract(*step);
        continue;
      }
      if (first != steps.end() && !out_.table) refuse_order(*step);
      std::string text = transformation_text(step->name, step->argument, reader_);
      (out_.table ? out_.table->transformations : out_.path_steps).push_back(std::move(text));
    }
  }

  void refuse_order(const Step& step) {
    reader_.problem(step.at,
                    fmt::format("{} stands before the read step; move it after", step.name));
  }

  void extract(const Step& step) {
    if (extracted_) reader_.problem(step.at, fmt::format("{} is there twice", kExtraction));
    extracted_ = true;
    const std::optional<std::string> format = read_extraction(step.argument, reader_);
    if (!format) return;
    out_.partition_format = *format;
    JsonWriter json;
    json.begin_object().field(kExtraction, *format).end_object();
    // One before the read step is taken from partition_format.
    (out_.table ? out_.table->transformations : out_.path_steps).push_back(json.text());
  }

  void read_table(const Step& step, const ReadStep& read) {
    TableSpec& table = out_.table.emplace();
    table.types = "mltable";
    table.format = read.format;
    table.delimiter = ",";
    table.partition_format = out_.partition_format;
    const Place& keys = step.argument;
    const Node::Kind kind = keys.node->kind;
    const bool beside = kind == Node::Kind::kMap && keys.node == step.at.node;
    if (kind == Node::Kind::kNull || (kind == Node::Kind::kScalar && keys.node == step.at.node)) {
      return;
    }
    if (!reader_.is_map(keys)) return;
    std::vector<std::string_view> known(read.keys.begin(), read.keys.end());
    if (beside) known.push_back(read.name);
    reader_.check_keys(keys, {known, {}, {}, {}});
    read_text_keys(keys, table);
    read_common_keys(keys, table);
  }

  // Of delimited text and JSON lines.
  void read_text_keys(const Place& keys, TableSpec& table) {
    constexpr auto kHeaders = std::to_array<std::string_view>(
        {"all_files_same_headers", "from_first_file", "all_files_different_headers", "no_header"});
    constexpr auto kInvalidLines = std::to_array<std::string_view>({"error", "drop"});
    if (const Node* said = keys.node->find("delimiter"); said != nullptr && said->text == "\\t") {
      table.delimiter = "\t";
      reader_.notice_at(keys, "delimiter", "a backslash and a t, taken for a tab");
    } else if (auto one = reader_.value_at(keys, "delimiter", parse_delimiter)) {
      table.delimiter = *std::move(one);
    }
    take(reader_.choice_at(keys, "header", kHeaders), table.header);
    take(reader_.value_at(keys, "encoding", parse_encoding), table.encoding);
    take(reader_.choice_at(keys, "invalid_lines", kInvalidLines), table.invalid_lines);
    take(reader_.value_at(keys, "empty_as_string", parse_flag), table.empty_as_string);
    take(reader_.value_at(keys, "support_multi_line", parse_flag), table.multi_line);
    const std::optional<Place> infer = reader_.at(keys, "infer_column_types");
    if (infer && infer->node->kind == Node::Kind::kMap) {
      read_inference(*infer);
    } else {
      take(reader_.value_at(keys, "infer_column_types", parse_flag), table.infer_column_types);
    }
  }

  void read_inference(const Place& place) {
    constexpr auto kKeys =
        std::to_array<std::string_view>({"sample_size", "column_type_overrides"});
    reader_.check_keys(place, {kKeys, {}, {}, {}});
    JsonWriter json;
    json.begin_object();
    const auto size = reader_.value_at(place, "sample_size", [](std::string_view text) {
      return parse_integer(text, {1, kIntMax});
    });
    if (size) json.field("sample_size", *size);
    if (const auto overrides = reader_.at(place, "column_type_overrides")) {
      json.key("column_type_overrides");
      write_column_types(*overrides, reader_, json);
    }
    json.end_object();
    if (!place.node->entries.empty()) out_.inference = json.text();
  }

  void read_common_keys(const Place& keys, TableSpec& table) {
    take(reader_.value_at(keys, "include_path_column", parse_flag), table.include_path_column);
    check_path_column(keys, reader_);
    // How the package cuts a table; here the size of mini-batches says it.
    reader_.value_at(keys, "partition_size", [](std::string_view text) {
      return parse_integer(text, {1, std::numeric_limits<std::int64_t>::max()});
    });
  }

  template <class T>
  static void take(std::optional<T> said, T& into) {
    if (said) into = *std::move(said);
  }

  Place root_;
  TreeReader reader_;
  MlTable out_;
  bool extracted_ = false;
};

}  // namespace

std::expected<MlTable, std::vector<Problem>> read_mltable(std::string_view file,
                                                          std::string_view text) {
  auto root = parse_yaml(file, text);
  if (!root) return std::unexpected(std::move(root).error());
  return MlTableReader(file, *root).read();
}

}  // namespace windrow
