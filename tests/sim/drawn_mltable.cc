// SPDX-License-Identifier: Apache-2.0
//
// The root of a drawn MLTable file, its paths, the order of its steps and the one that reads.
#include "drawn_mltable.h"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "yaml_page.h"

namespace windrow::sim {
namespace {

constexpr const char* kExtract = "extract_columns_from_partition_format";

}  // namespace

DrawnMlTable MlTableDraft::draw() {
  draw_root_keys();
  const bool steps_first = maybe(300);
  if (steps_first) draw_steps();
  draw_paths();
  if (!steps_first) draw_steps();
  return std::move(out_);
}

void MlTableDraft::draw_root_keys() {
  line("type: " + one_of({"mltable", "'mltable'"}));
  if (maybe(200)) line("$schema: https://x/y.json");
  if (maybe(200)) line("metadata: {owner: me}");
  if (maybe(100)) line("traits: [a]");
  if (!wrong()) return;
  line(one_of({"path: x", "query_source: {}", "zzzzzzzzzz: [a]"}));
  blame();
}

void MlTableDraft::draw_paths() {
  if (wrong() && maybe(200)) {
    if (maybe(300)) return out_.problems.push_back(1);  // the root stands on the first line
    line("paths: " + one_of({"[]", "a.csv", "{file: a}", ""}));
    return blame();
  }
  line("paths:");
  for (std::uint32_t i = random_.between(1, 3); i > 0; --i) draw_path();
}

void MlTableDraft::draw_path() {
  if (wrong()) {
    line("- " + one_of({"file: azureml://datastores/x/paths/a.csv",
                        "folder: https://example.com/a",
                        "pattern: abfss://c@a/*.csv",
                        "file: azureml:data:1",
                        "file: file://host/a.csv",
                        "file: \"*.csv\"",
                        "folder: a*b",
                        "file: \"\"",
                        "file: [a]",
                        "file:",
                        "a.csv",
                        "{}",
                        "[a]",
                        "{file: a.csv, folder: b}",
                        "{flie: a.csv}"}));
    return blame();
  }
  const std::uint64_t kind = random_.below(3);
  std::string said = one_of({"./a.csv", "/data", "../x y.csv", "a%20b", "\xc3\xa9.csv"});
  if (kind == 2) said += one_of({"/*.csv", "/**/[ab]?", ""});
  const bool url = said.starts_with('/') && maybe(500);
  const std::string path = yaml_text(random_, (url ? "file://" : "") + said);
  const std::string name = std::vector<std::string>{"file", "folder", "pattern"}[kind];
  line(maybe(500) ? "- " + name + ": " + path : "- {" + name + ": " + path + "}");
  out_.table.paths.push_back({static_cast<MlTable::Path::Kind>(kind), said});
}

// An extraction, a read step, and others behind it; or all of that out of order.
void MlTableDraft::draw_steps() {
  if (maybe(100)) return;
  if (wrong() && maybe(150)) {
    line("transformations: " + one_of({"read_delimited", "{read_delimited: {}}", ""}));
    return blame();
  }
  line("transformations:");
  const bool read = maybe(800);
  if (maybe(300) || !read) draw_extraction();
  if (wrong() && maybe(300)) write_misspelt();
  if (wrong()) draw_step();
  if (read) draw_read();
  for (std::uint32_t i = read ? random_.between(0, 5) : 0; i > 0; --i) draw_step();
  if (read && !extracted_ && maybe(200)) draw_extraction();
  if (read && wrong()) {
    line("- " + one_of({"read_parquet", "read_delimited:", "read_json_lines: {}"}));
    blame();  // a second one
  }
  if (wrong() && extracted_) draw_extraction();
  if (wrong()) write_misspelt();
  // Without a read step the table is one of paths, which all steps work on.
  if (read) out_.problems.insert(out_.problems.end(), early_.begin(), early_.end());
}

// What is not a step at all.
void MlTableDraft::write_misspelt() {
  line("- " + one_of({"keepColumns: a",
                      "pivot: a",
                      "read_delimted",
                      "read_delta_lake: {version_as_of: 1}",
                      "sample: {}",
                      "select_partitions: [0]",
                      "take",
                      "{}",
                      "[take]",
                      "{take: 1, skip: 2}",
                      "{take: , skip: 2}",
                      "{read_parquet: {}, take: 1}"}));
  blame();
}

void MlTableDraft::draw_extraction() {
  const bool twice = std::exchange(extracted_, true);
  if (wrong()) {
    line(fmt::format("- {}: {}",
                     kExtract,
                     one_of({"'/{a'",
                             "[a]",
                             "",
                             "{ignore_errors: false}",
                             "{partition_format: '/{a}', ignore_errors: true}",
                             "{partition_format: '/{a}', ignore_errors: maybe}",
                             "{partition_format: '/{a}', path_column: Other}",
                             "{partition_format: '/{a}', format: x}",
                             "{partition_format: ['/{a}']}"})));
    return blame(twice ? 2 : 1);
  }
  const std::string format = one_of({"/{a}/x.csv", "{Day:yyyy/MM/dd}", "*/{b}-{c}.parquet"});
  const std::string said = yaml_text(random_, format);
  if (maybe(500)) {
    line(fmt::format("- {}: {}", kExtract, said));
    if (twice) blame();
  } else {
    std::vector<Key> keys = {{"partition_format", said}};
    if (maybe(500)) keys.push_back({"ignore_errors", one_of({"false", "No", "off"})});
    if (maybe(500)) keys.push_back({"path_column", "Path"});
    const std::uint32_t first = line_ + 1;
    write_keys(kExtract, keys, false);
    if (twice) out_.problems.push_back(first);
  }
  out_.table.partition_format = format;
  if (!out_.table.table) return;
  out_.table.table->transformations.push_back(fmt::format("{{\"{}\": \"{}\"}}", kExtract, format));
}

// The keys on one line, below the name, or beside it.
void MlTableDraft::write_keys(const std::string& name, const std::vector<Key>& keys, bool beside) {
  const auto judge = [this](const Key& key) {
    blame(key.problems);
    if (key.noted) out_.notices.push_back(line_);
  };
  if (maybe(400)) {
    std::vector<std::string> said;
    for (const Key& key : keys) said.push_back(key.name + ": " + key.yaml);
    line(fmt::format("- {}: {{{}}}", name, fmt::join(said, ", ")));
    for (const Key& key : keys) judge(key);
    return;
  }
  line("- " + name + ":");
  for (const Key& key : keys) {
    line((beside ? "  " : "    ") + key.name + ": " + key.yaml);
    judge(key);
  }
}

MlTableDraft::Key MlTableDraft::draw_flag(const std::string& name, bool& into) {
  if (wrong()) return {name, one_of({"maybe", "2", "''", "[true]"}), 1};
  into = maybe(500);
  return {name, into ? one_of({"true", "Yes", "on", "' TRUE '"}) : one_of({"false", "no", "Off"})};
}

MlTableDraft::Key MlTableDraft::draw_delimiter(TableSpec& table) {
  if (wrong()) return {"delimiter", one_of({"'||'", "''", "\"\\n\"", "\"\\r\"", "'\"'", "[a]"}), 1};
  if (maybe(200)) {
    table.delimiter = "\t";
    return {"delimiter", "'\\t'", 0, true};
  }
  table.delimiter = one_of({",", ";", "|", "\t", "a"});
  return {"delimiter", yaml_text(random_, *table.delimiter)};
}

MlTableDraft::Key MlTableDraft::draw_inference(TableSpec& table) {
  const std::string name = "infer_column_types";
  if (maybe(500)) return draw_flag(name, table.infer_column_types);
  if (wrong()) {
    return {name,
            one_of({"{sample_size: 0}",
                    "{sample_size: many}",
                    "{overrides: []}",
                    "{column_type_overrides: a}",
                    "{column_type_overrides: [{columns: a, column_type: long}]}"}),
            1};
  }
  const std::vector<std::pair<std::string, std::string>> right = {
      {"{}", ""},
      {"{sample_size: 7}", R"({"sample_size": 7})"},
      {"{column_type_overrides: [{columns: a, column_type: int}], sample_size: 1}",
       R"({"sample_size": 1, )"
       R"("column_type_overrides": [{"columns": ["a"], "column_type": "int"}]})"},
      {"{column_type_overrides: []}", R"({"column_type_overrides": []})"}};
  const auto& [said, json] = right[random_.below(right.size())];
  out_.table.inference = json;
  return {name, said};
}

void MlTableDraft::draw_text_keys(TableSpec& table, std::vector<Key>& keys) {
  const bool delimited = table.format == TableFormat::kDelimited;
  if (maybe(300)) {
    const auto [said, name] = std::vector<std::pair<std::string, std::string>>{
        {"utf8", "utf8"},
        {"utf-8 bom", "utf8bom"},
        {"iso-8859-1", "iso88591"},
        {"latin 1", "latin1"},
        {"windows1252", "windows1252"},
        {"EBCDIC", ""}}[random_.below(wrong() ? 6 : 5)];
    keys.push_back({"encoding", said, name.empty() ? 1U : 0U});
    if (!name.empty()) table.encoding = name;
  }
  if (maybe(200)) {
    const bool many = wrong();
    keys.push_back({"partition_size", many ? one_of({"0", "many", "''"}) : "20971520", many});
  }
  const auto word = [&](const std::string& name, const std::string& right, std::string& into) {
    const bool bad = wrong();
    keys.push_back({name, bad ? one_of({"ALL", "''", "{a: b}"}) : right, bad});
    if (!bad) into = right;
  };
  if (!delimited) {
    if (maybe(300)) word("invalid_lines", one_of({"drop", "error"}), table.invalid_lines);
    return;
  }
  if (maybe(300)) keys.push_back(draw_delimiter(table));
  if (maybe(300)) {
    word("header",
         one_of({"no_header", "from_first_file", "all_files_different_headers"}),
         table.header);
  }
  if (maybe(300)) keys.push_back(draw_flag("empty_as_string", table.empty_as_string));
  if (maybe(300)) keys.push_back(draw_flag("support_multi_line", table.multi_line));
  if (maybe(400)) keys.push_back(draw_inference(table));
}

void MlTableDraft::draw_read() {
  constexpr TableFormat kFormats[] = {
      TableFormat::kDelimited, TableFormat::kParquet, TableFormat::kJsonLines};
  const std::uint64_t kind = maybe(600) ? 0 : random_.below(3);
  const std::string name =
      std::vector<std::string>{"read_delimited", "read_parquet", "read_json_lines"}[kind];
  TableSpec& table = out_.table.table.emplace();
  table.format = kFormats[kind];
  table.delimiter = ",";
  table.types = "mltable";
  table.partition_format = out_.table.partition_format;
  if (maybe(200)) return line("- " + one_of({name, name + ":", name + ": {}"}));
  if (wrong() && maybe(300)) {
    line("- " + name + ": " + one_of({"yes", "[a]"}));
    return blame();
  }
  std::vector<Key> keys;
  if (kind != 1) draw_text_keys(table, keys);
  if (maybe(300)) keys.push_back(draw_flag("include_path_column", table.include_path_column));
  if (maybe(300)) keys.push_back({"path_column", "Path"});
  if (wrong()) keys.push_back({one_of({"delimeter", "columns", "zzzzzzzz"}), "x", 1});
  if (wrong() && kind == 1) keys.push_back({"delimiter", "x", 1});
  if (wrong() && kind == 0) keys.push_back({"invalid_lines", "drop", 1});
  write_keys(name, keys, maybe(300));
}

}  // namespace windrow::sim
