// SPDX-License-Identifier: Apache-2.0
#include "core/table/transformation.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "base/check.h"
#include "base/text.h"
#include "core/spec/values.h"
#include "core/table/partition_format.h"

namespace windrow {
namespace {

constexpr std::int64_t kCountMax = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view kTypesAllowed =
    "allowed is int, float, string, boolean, or datetime with formats";

// The texts of a list, or the one that stands there alone.
std::vector<std::string> texts_of(const Place& place, TreeReader& reader) {
  std::vector<std::string> texts;
  const auto add = [&](const Place& one) {
    if (std::optional<std::string> text = reader.text(one)) texts.push_back(*std::move(text));
  };
  if (place.node->kind != Node::Kind::kSequence) {
    add(place);
    return texts;
  }
  if (place.node->items.empty()) reader.problem(place, "is an empty list");
  for (const Node& item : place.node->items) add({&item, place.path});
  return texts;
}

void write_list(const std::vector<std::string>& texts, JsonWriter& json) {
  json.begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

void write_columns(const Place& place, TreeReader& reader, JsonWriter& json) {
  if (place.node->kind == Node::Kind::kMap) {
    return reader.problem(place,
                          "is not a name or a list of names; a pattern of names is not supported");
  }
  write_list(texts_of(place, reader), json);
}

void write_text(const Place& place, TreeReader& reader, JsonWriter& json) {
  const std::string text = reader.text(place).value_or("-");
  if (trimmed(text).empty()) reader.problem(place, "is empty; an expression is expected");
  json.value(text);
}

void write_count(const Place& place, TreeReader& reader, JsonWriter& json) {
  const std::optional<std::string> text = reader.text(place);
  if (!text) return;
  const Result<std::int64_t> count = parse_integer(*text, {0, kCountMax});
  if (!count) return reader.problem(place, count.error().message);
  json.value(*count);
}

Result<double> parse_probability(std::string_view text) {
  const std::string_view said = trimmed(text);
  double value = -1;
  if (is_number(said)) std::from_chars(said.data(), said.data() + said.size(), value);
  if (value >= 0 && value <= 1) return value;
  return fail(ErrorCode::kInvalid,
              "{} is not a probability; allowed is a number from 0 to 1",
              in_quotes(text));
}

void write_sample(const Place& place, TreeReader& reader, JsonWriter& json) {
  constexpr auto kKeys = std::to_array<std::string_view>({"probability", "seed"});
  if (!reader.is_map(place)) return;
  reader.check_keys(place, {kKeys, {}, {}, {}});
  for (const std::string_view key : kKeys) {
    if (place.node->find(key) == nullptr) reader.missing(place, key);
  }
  const auto probability = reader.value_at(place, "probability", parse_probability);
  const auto seed = reader.value_at(
      place, "seed", [](std::string_view text) { return parse_integer(text, {0, kCountMax}); });
  json.begin_object();
  json.field("probability", probability.value_or(0)).field("seed", seed.value_or(0));
  json.end_object();
}

// REQUIRES: a map or null.
void write_boolean(const Place& place, TreeReader& reader, JsonWriter& json) {
  constexpr auto kKeys =
      std::to_array<std::string_view>({"true_values", "false_values", "mismatch_as"});
  constexpr auto kMismatch = std::to_array<std::string_view>({"error", "true", "false"});
  reader.check_keys(place, {kKeys, {}, {}, {}});
  const bool one = (place.node->find("true_values") != nullptr);
  if (one != (place.node->find("false_values") != nullptr)) {
    reader.missing(place, one ? "false_values" : "true_values");
  }
  if (place.node->entries.empty()) {
    json.value("boolean");
    return;
  }
  json.begin_object().key("boolean").begin_object();
  for (const std::string_view key : {"true_values", "false_values"}) {
    const std::optional<Place> values = reader.at(place, key);
    if (!values) continue;
    json.key(key);
    write_list(texts_of(*values, reader), json);
  }
  json.field("mismatch_as", reader.choice_at(place, "mismatch_as", kMismatch).value_or("error"));
  json.end_object().end_object();
}

void write_datetime(const Place& place, TreeReader& reader, JsonWriter& json) {
  constexpr auto kKeys = std::to_array<std::string_view>({"formats"});
  constexpr auto kNotYet = std::to_array<std::string_view>({"date_constant"});
  if (!reader.is_map(place)) return;
  reader.check_keys(place, {kKeys, kNotYet, {}, {}});
  const std::optional<Place> formats = reader.at(place, "formats");
  if (!formats) return reader.missing(place, "formats");
  json.begin_object().key("datetime").begin_object().key("formats");
  write_list(texts_of(*formats, reader), json);
  json.end_object().end_object();
}

void write_plain_type(const Place& place, TreeReader& reader, JsonWriter& json) {
  constexpr auto kTypes = std::to_array<std::string_view>({"int", "float", "string", "boolean"});
  const std::optional<std::string> type = reader.text(place);
  if (!type) return;
  if (*type == "datetime") {
    return reader.problem(place,
                          "datetime needs formats, as in {datetime: {formats: ['%Y-%m-%d']}}");
  }
  if (std::ranges::find(kTypes, *type) == kTypes.end()) {
    return reader.problem(place,
                          fmt::format("{} is {}; {}",
                                      in_quotes(*type),
                                      *type == "stream_info" ? "not supported" : "not known",
                                      kTypesAllowed));
  }
  json.value(*type);
}

void write_type(const Place& place, TreeReader& reader, JsonWriter& json) {
  if (place.node->kind != Node::Kind::kMap) return write_plain_type(place, reader, json);
  const std::vector<Entry>& entries = place.node->entries;
  const std::string name = entries.size() == 1 ? entries.front().key : "";
  if (name != "boolean" && name != "datetime") {
    return reader.problem(place, fmt::format("is not a type; {}", kTypesAllowed));
  }
  const Place below = reader.child(place, entries.front());
  if (name == "datetime") return write_datetime(below, reader, json);
  if (below.node->kind != Node::Kind::kNull && !reader.is_map(below)) return;
  write_boolean(below, reader, json);
}

void write_column_type(const Place& place, TreeReader& reader, JsonWriter& json) {
  constexpr auto kKeys = std::to_array<std::string_view>({"columns", "column_type"});
  if (!reader.is_map(place)) return;
  reader.check_keys(place, {kKeys, {}, {}, {}});
  json.begin_object();
  for (const std::string_view key : kKeys) {
    const std::optional<Place> value = reader.at(place, key);
    if (!value) {
      reader.missing(place, key);
      continue;
    }
    json.key(key);
    if (key == "columns") {
      write_columns(*value, reader, json);
    } else {
      write_type(*value, reader, json);
    }
  }
  json.end_object();
}

struct Transformation {
  std::string_view name;
  void (*write)(const Place& argument, TreeReader& reader, JsonWriter& json);
};

constexpr auto kTransformations = std::to_array<Transformation>({
    {"keep_columns", write_columns},
    {"drop_columns", write_columns},
    {"convert_column_types", write_column_types},
    {"filter", write_text},
    {"skip", write_count},
    {"take", write_count},
    {"take_random_sample", write_sample},
});

}  // namespace

std::span<const std::string_view> transformation_names() {
  static constexpr auto kNames = [] {
    std::array<std::string_view, kTransformations.size() + 1> names;
    std::ranges::transform(kTransformations, names.begin(), &Transformation::name);
    names.back() = kExtraction;
    return names;
  }();
  return kNames;
}

std::string transformation_text(std::string_view name, const Place& argument, TreeReader& reader) {
  const auto* known = std::ranges::find(kTransformations, name, &Transformation::name);
  CHECK(known != kTransformations.end());
  JsonWriter json;
  json.begin_object().key(name);
  known->write(argument, reader, json);
  json.end_object();
  return json.text();
}

std::optional<std::string> read_extraction(const Place& argument, TreeReader& reader) {
  constexpr auto kKeys =
      std::to_array<std::string_view>({"partition_format", "ignore_errors", "path_column"});
  Place said = argument;
  if (argument.node->kind == Node::Kind::kMap) {
    reader.check_keys(argument, {kKeys, {}, {}, {}});
    if (reader.value_at(argument, "ignore_errors", parse_flag).value_or(false)) {
      reader.problem_at(argument,
                        "ignore_errors",
                        "is not supported: a path that does not match the format is an error");
    }
    check_path_column(argument, reader);
    const std::optional<Place> format = reader.at(argument, "partition_format");
    if (!format) return reader.missing(argument, "partition_format"), std::nullopt;
    said = *format;
  }
  std::optional<std::string> text = reader.text(said);
  if (!text) return std::nullopt;
  const Result<PartitionFormat> format = PartitionFormat::parse(*text);
  if (format) return text;
  reader.problem(said, format.error().message);
  return std::nullopt;
}

void write_column_types(const Place& list, TreeReader& reader, JsonWriter& json) {
  json.begin_array();
  if (list.node->kind == Node::Kind::kSequence) {
    for (const Node& item : list.node->items) write_column_type({&item, list.path}, reader, json);
  } else {
    reader.problem(list, "a list is expected, as in - {columns: [a], column_type: int}");
  }
  json.end_array();
}

void check_path_column(const Place& keys, TreeReader& reader) {
  reader.value_at(keys, "path_column", [](std::string_view name) -> Result<bool> {
    if (name == "Path") return true;
    return fail(ErrorCode::kInvalid, "{} is not supported; allowed is Path", in_quotes(name));
  });
}

Result<bool> parse_flag(std::string_view text) {
  const std::string word = lower_case(trimmed(text));
  if (word == "true" || word == "yes" || word == "on") return true;
  if (word == "false" || word == "no" || word == "off") return false;
  return fail(ErrorCode::kInvalid, "{} is not known; allowed is true or false", in_quotes(text));
}

}  // namespace windrow
