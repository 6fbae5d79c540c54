// SPDX-License-Identifier: Apache-2.0
//
// The steps of a drawn MLTable file behind the one that reads.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "drawn_mltable.h"
#include "yaml_page.h"

namespace windrow::sim {
namespace {

std::string json_list(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (const std::string& text : texts) {
    std::string escaped;
    for (const char c : text) escaped += (c == '"' ? "\\" : "") + std::string(1, c);
    quoted.push_back("\"" + escaped + "\"");
  }
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

}  // namespace

MlTableDraft::Said MlTableDraft::draw_columns() {
  if (wrong()) return {one_of({"[]", "{pattern: a}", "[a, [b]]", "[{}]"}), "", 1};
  std::vector<std::string> names;
  for (std::uint32_t i = random_.between(1, 3); i > 0; --i) {
    names.push_back(one_of({"a", "b c", "\xc3\xa9", "say \"x\"", "1"}));
  }
  const bool alone = names.size() == 1 && maybe(500);
  return {alone ? yaml_text(random_, names[0]) : yaml_list(random_, names), json_list(names)};
}

MlTableDraft::Said MlTableDraft::draw_sample() {
  if (wrong()) {
    const std::vector<Said> faults = {{"0.5", "", 1},
                                      {"{}", "", 2},
                                      {"{probability: 0.5}", "", 1},
                                      {"{seed: 1}", "", 1},
                                      {"{probability: 1.5, seed: 1}", "", 1},
                                      {"{probability: -0.5, seed: 1}", "", 1},
                                      {"{probability: half, seed: -1}", "", 2},
                                      {"{probability: 0.5, seed: x}", "", 1},
                                      {"{probability: 0.5, sede: 1}", "", 2}};
    return faults[random_.below(faults.size())];
  }
  const std::vector<std::pair<std::string, std::string>> parts = {
      {"0.5", "0.5"}, {"1", "1"}, {"0", "0"}, {"' 0.25 '", "0.25"}, {"1e-3", "0.001"}};
  const auto& [said, means] = parts[random_.below(parts.size())];
  const std::uint64_t seed = random_.below(100);
  return {maybe(500) ? fmt::format("{{probability: {}, seed: {}}}", said, seed)
                     : fmt::format("{{seed: {}, probability: {}}}", seed, said),
          fmt::format(R"({{"probability": {}, "seed": {}}})", means, seed)};
}

// The types of columns, each {columns, column_type}, on one line.
MlTableDraft::Said MlTableDraft::draw_types() {
  static const std::vector<Said> kRight = {
      {"int", R"("int")"},
      {"float", R"("float")"},
      {"'string'", R"("string")"},
      {"boolean", R"("boolean")"},
      {"{boolean: }", R"("boolean")"},
      {"{boolean: {}}", R"("boolean")"},
      {"{boolean: {mismatch_as: 'true'}}", R"({"boolean": {"mismatch_as": "true"}})"},
      {"{boolean: {true_values: y, false_values: [n, N]}}",
       R"({"boolean": {"true_values": ["y"], "false_values": ["n", "N"], )"
       R"("mismatch_as": "error"}})"},
      {"{datetime: {formats: ['%Y', '%m']}}", R"({"datetime": {"formats": ["%Y", "%m"]}})"},
      {"{datetime: {formats: '%Y'}}", R"({"datetime": {"formats": ["%Y"]}})"}};
  static const std::vector<Said> kWrong = {{"long", "", 1},
                                           {"stream_info", "", 1},
                                           {"datetime", "", 1},
                                           {"[int]", "", 1},
                                           {"{}", "", 1},
                                           {"{int: {}}", "", 1},
                                           {"{boolean: {}, datetime: {}}", "", 1},
                                           {"{boolean: yes}", "", 1},
                                           {"{boolean: {true_values: [1]}}", "", 1},
                                           {"{boolean: {false_values: [1]}}", "", 1},
                                           {"{boolean: {true_values: [], false_values: x}}", "", 1},
                                           {"{boolean: {mismatch_as: maybe}}", "", 1},
                                           {"{boolean: {values: x}}", "", 1},
                                           {"{datetime: x}", "", 1},
                                           {"{datetime: {}}", "", 1},
                                           {"{datetime: {formats: [], date_constant: x}}", "", 2}};
  if (wrong()) {
    return {one_of({"{columns: a, column_type: int}", "int", ""}), "", 1};
  }
  Said out{"[", "["};
  for (std::uint32_t i = random_.between(0, 3); i > 0; --i) {
    const std::string comma = out.yaml == "[" ? "" : ", ";
    if (wrong()) {
      out.yaml +=
          comma +
          one_of(
              {"{column_type: int}", "{columns: a}", "a", "{columns: a, column_type: int, x: y}"});
      out.problems += 1;
      continue;
    }
    const Said columns = draw_columns();
    const bool bad = wrong();
    const Said type =
        bad ? kWrong[random_.below(kWrong.size())] : kRight[random_.below(kRight.size())];
    out.yaml += fmt::format("{}{{columns: {}, column_type: {}}}", comma, columns.yaml, type.yaml);
    out.json +=
        fmt::format(R"({}{{"columns": {}, "column_type": {}}})", comma, columns.json, type.json);
    out.problems += columns.problems + type.problems;
  }
  return {out.yaml + "]", out.json + "]", out.problems};
}

MlTableDraft::Said MlTableDraft::draw_argument(const std::string& name) {
  if (name.ends_with("_columns")) return draw_columns();
  if (name == "convert_column_types") return draw_types();
  if (name == "take_random_sample") return draw_sample();
  if (name == "filter") {
    if (wrong()) return {one_of({"' '", "", "[a]", "''"}), "", 1};
    const std::string text = one_of({"a > 1", "col('b') == 'x'", "x", " 1 "});
    return {yaml_text(random_, text), "\"" + text + "\""};
  }
  if (wrong()) return {one_of({"-1", "[1]", "many", "''", "99999999999999999999", ""}), "", 1};
  const std::uint64_t count = maybe(200) ? INT64_MAX : random_.below(1000);
  return {yaml_text(random_, std::to_string(count)), std::to_string(count)};
}

void MlTableDraft::draw_step() {
  const std::string name = one_of({"keep_columns",
                                   "drop_columns",
                                   "convert_column_types",
                                   "filter",
                                   "skip",
                                   "take",
                                   "take_random_sample"});
  if (!out_.table.table) early_.push_back(line_ + 1);
  add_step(name, draw_argument(name));
}

void MlTableDraft::add_step(const std::string& name, const Said& said) {
  line(maybe(700) ? "- " + name + ": " + said.yaml : "- {" + name + ": " + said.yaml + "}");
  blame(said.problems);
  if (!out_.table.table) return;
  out_.table.table->transformations.push_back(fmt::format(R"({{"{}": {}}})", name, said.json));
}

}  // namespace windrow::sim
