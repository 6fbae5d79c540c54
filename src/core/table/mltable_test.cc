// SPDX-License-Identifier: Apache-2.0
#include "core/table/mltable.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace windrow {
namespace {

using Kind = MlTable::Path::Kind;

MlTable reading_of(std::string_view text) {
  auto table = read_mltable("MLTable", text);
  EXPECT_TRUE(table) << text << (table ? "" : table.error().front().message);
  return table ? *std::move(table) : MlTable{};
}

// All problems, a line for each.
std::string problems(std::string_view text) {
  const auto table = read_mltable("MLTable", text);
  if (table) return "";
  std::string lines;
  for (const Problem& one : table.error()) lines += fmt::format("{}: {}\n", one.where, one.message);
  return lines;
}

// A table of one file with these steps.
std::string with_steps(std::string_view steps) {
  return fmt::format("paths:\n  - file: a.csv\ntransformations:\n{}", steps);
}

TableSpec table_of(std::string_view steps) {
  return reading_of(with_steps(steps)).table.value_or(TableSpec());
}

// What is made of steps after read_delimited.
std::string steps_of(std::string_view steps) {
  const TableSpec table = table_of(fmt::format("- read_delimited\n{}", steps));
  return fmt::format("{}", fmt::join(table.transformations, "\n"));
}

// The problems without their places; one of the step that stands on line 5.
std::string refusal(std::string_view step) {
  const std::string text = with_steps(fmt::format("- read_delimited\n{}", step));
  std::string lines;
  const auto table = read_mltable("MLTable", text);
  if (table) return "";
  for (const Problem& one : table.error()) lines += one.message + "\n";
  return lines;
}

TableSpec plain(TableFormat format) {
  TableSpec table;
  table.format = format;
  table.delimiter = ",";
  table.types = "mltable";
  return table;
}

// As the package saves it.
constexpr const char* kSaved = R"(paths:
- file: ../x.csv
transformations:
- extract_columns_from_partition_format:
    ignore_errors: false
    partition_format: /{x}.csv
    path_column: Path
- read_delimited:
    delimiter: ;
    empty_as_string: true
    encoding: latin-1
    header: from_first_file
    include_path_column: true
    infer_column_types: false
    partition_size: 20971520
    path_column: Path
    support_multi_line: true
- take: 5
- skip: 1
- keep_columns: a
- drop_columns:
  - b
  - c
- convert_column_types:
  - column_type: int
    columns: a
  - column_type:
      boolean:
        false_values:
        - '0'
        mismatch_as: error
        true_values:
        - '1'
    columns:
    - b
    - c
  - column_type:
      datetime:
        formats: '%Y'
    columns: d
- filter: col("a") > 3
- take_random_sample:
    probability: 0.5
    seed: 3
type: mltable
)";

TEST(MlTable, ReadsWhatThePackageWrites) {
  const MlTable table = reading_of(kSaved);
  EXPECT_EQ(table.paths, (std::vector<MlTable::Path>{{Kind::kFile, "../x.csv"}}));
  TableSpec expected = plain(TableFormat::kDelimited);
  expected.delimiter = ";";
  expected.empty_as_string = true;
  expected.encoding = "latin1";
  expected.header = "from_first_file";
  expected.include_path_column = true;
  expected.infer_column_types = false;
  expected.multi_line = true;
  expected.partition_format = "/{x}.csv";
  const std::string types =
      R"({"convert_column_types": [{"columns": ["a"], "column_type": "int"}, )"
      R"({"columns": ["b", "c"], "column_type": {"boolean": {"true_values": ["1"], )"
      R"("false_values": ["0"], "mismatch_as": "error"}}}, )"
      R"({"columns": ["d"], "column_type": {"datetime": {"formats": ["%Y"]}}}]})";
  expected.transformations = {R"({"take": 5})",
                              R"({"skip": 1})",
                              R"({"keep_columns": ["a"]})",
                              R"({"drop_columns": ["b", "c"]})",
                              types,
                              R"({"filter": "col(\"a\") > 3"})",
                              R"({"take_random_sample": {"probability": 0.5, "seed": 3}})"};
  EXPECT_EQ(table.table, expected);
  EXPECT_EQ(table.partition_format, "/{x}.csv");
  EXPECT_TRUE(table.notices.empty());
}

TEST(MlTable, PathsAreFilesFoldersAndPatternsOfThisMachine) {
  const MlTable table = reading_of(R"($schema: any
metadata: {owner: me}
traits: {index_columns: [a]}
paths:
  - file: ./a.csv
  - folder: /data
  - pattern: ./**/[ab]*.csv
  - file: file:///data/a%20b.csv
  - pattern: file:///data/*.csv
)");
  EXPECT_EQ(table.paths,
            (std::vector<MlTable::Path>{{Kind::kFile, "./a.csv"},
                                        {Kind::kFolder, "/data"},
                                        {Kind::kPattern, "./**/[ab]*.csv"},
                                        {Kind::kFile, "/data/a%20b.csv"},
                                        {Kind::kPattern, "/data/*.csv"}}));
  EXPECT_FALSE(table.table);
}

TEST(MlTable, PathsThatCannotBeAreRefusedAllAtOnce) {
  EXPECT_EQ(problems(R"(paths:
  - file: azureml://datastores/x/paths/a.csv
  - folder: https://example.com/a
  - pattern: wasbs://c@a.blob.core.windows.net/*.csv
  - file: abfss://c@a/x
  - file: adl://a/x
  - file: azureml:data:1
  - file: file://host/a.csv
  - file: "*.csv"
  - file: ""
  - file: [a]
  - a.csv
  - {}
  - {file: a.csv, folder: b}
  - {flie: a.csv}
)"),
            "MLTable:2:11: paths.file: 'azureml://datastores/x/paths/a.csv' is not a path of "
            "this machine; others are not supported yet\n"
            "MLTable:3:13: paths.folder: 'https://example.com/a' is not a path of this "
            "machine; others are not supported yet\n"
            "MLTable:4:14: paths.pattern: 'wasbs://c@a.blob.core.windows.net/*.csv' is not a "
            "path of this machine; others are not supported yet\n"
            "MLTable:5:11: paths.file: 'abfss://c@a/x' is not a path of this machine; others "
            "are not supported yet\n"
            "MLTable:6:11: paths.file: 'adl://a/x' is not a path of this machine; others are "
            "not supported yet\n"
            "MLTable:7:11: paths.file: 'azureml:data:1' is not a path of this machine; "
            "others are not supported yet\n"
            "MLTable:8:11: paths.file: 'file://host/a.csv' names no path of this machine; "
            "allowed is file:// and an absolute path\n"
            "MLTable:9:11: paths.file: '*.csv' is a pattern; write pattern: before it\n"
            "MLTable:10:11: paths.file: is empty; a path is expected\n"
            "MLTable:11:11: paths.file: is a list; one value is expected\n"
            "MLTable:12:5: paths: write file:, folder: or pattern: before each path\n"
            "MLTable:13:5: paths: is one of file, folder and pattern; begin each with a "
            "dash\n"
            "MLTable:14:5: paths: is one of file, folder and pattern; begin each with a "
            "dash\n"
            "MLTable:15:6: paths: unknown key 'flie'; did you mean 'file'?\n");
}

TEST(MlTable, TheRootIsCheckedStrictly) {
  EXPECT_EQ(problems("transformations: []"), "MLTable:1:1: paths is missing\n");
  EXPECT_EQ(problems("paths: []"), "MLTable:1:8: paths: is an empty list\n");
  EXPECT_EQ(problems("paths: a.csv"),
            "MLTable:1:8: paths: a list is expected, as in - file: ./data.csv\n");
  EXPECT_EQ(problems("paths: [file: a]\ntransformations: read_delimited"),
            "MLTable:2:18: transformations: a list is expected, as in - read_delimited\n");
  EXPECT_EQ(problems("type: uri_file\npath: [file: a]\npaths: [file: a]"),
            "MLTable:1:7: type: 'uri_file' is not known; allowed is mltable\n"
            "MLTable:2:1: unknown key 'path'; did you mean 'paths'?\n");
  EXPECT_EQ(problems("query_source: {}\npaths: [file: a]"),
            "MLTable:1:1: key 'query_source' is not supported yet\n");
  EXPECT_EQ(problems("- a"), "MLTable:1:1: keys are expected below it\n");
  EXPECT_EQ(problems(""), "MLTable: the file is empty\n");
  EXPECT_EQ(problems("a: ["), "MLTable:1:1: not valid YAML: end of sequence flow not found\n");
}

TEST(MlTable, AReadStepWithoutKeysHasTheDefaults) {
  for (const char* step : {"- read_delimited", "- read_delimited:", "- read_delimited: {}"}) {
    EXPECT_EQ(table_of(step), plain(TableFormat::kDelimited)) << step;
  }
  EXPECT_EQ(table_of("- read_parquet"), plain(TableFormat::kParquet));
  EXPECT_EQ(table_of("- read_json_lines:"), plain(TableFormat::kJsonLines));
}

TEST(MlTable, KeysStandBelowAReadStepOrBesideIt) {
  EXPECT_EQ(table_of("- read_delimited:\n    delimiter: '|'\n").delimiter, "|");
  EXPECT_EQ(table_of("- read_delimited:\n  delimiter: '|'\n  header: no_header\n").delimiter, "|");
  EXPECT_TRUE(table_of("- read_parquet: {include_path_column: yes}").include_path_column);
  const TableSpec lines =
      table_of("- read_json_lines: {invalid_lines: drop, encoding: utf-16, path_column: Path}");
  EXPECT_EQ(lines.invalid_lines, "drop");
  EXPECT_EQ(lines.encoding, "utf16");
}

TEST(MlTable, EncodingsHaveOneName) {
  for (const auto& [said, name] : std::initializer_list<std::pair<const char*, const char*>>{
           {"utf8", "utf8"},
           {"utf-8", "utf8"},
           {"utf8bom", "utf8bom"},
           {"utf8 bom", "utf8bom"},
           {"utf-8 bom", "utf8bom"},
           {"iso-8859-1", "iso88591"},
           {"latin-1", "latin1"},
           {"ascii", "ascii"},
           {"utf32", "utf32"},
           {"UTF-8", "utf8"},
           {"utf_8_sig", "utf8bom"},
           {"cp1252", "windows1252"},
           {"windows-1252", "windows1252"}}) {
    EXPECT_EQ(table_of(fmt::format("- read_delimited: {{encoding: {}}}", said)).encoding, name);
  }
}

TEST(MlTable, ADelimiterIsOneCharacter) {
  EXPECT_EQ(table_of(R"(- read_delimited: {delimiter: "\t"})").delimiter, "\t");
  EXPECT_EQ(table_of("- read_delimited: {delimiter: \xc2\xa6}").delimiter, "\xc2\xa6");
  const MlTable tab = reading_of(with_steps("- read_delimited: {delimiter: '\\t'}"));
  EXPECT_EQ(tab.table->delimiter, "\t");
  EXPECT_EQ(tab.notices,
            (std::vector<Problem>{{"MLTable:4:31",
                                   "transformations.read_delimited.delimiter: a backslash and a t, "
                                   "taken for a tab"}}));
  for (const char* wrong : {"'||'", "''", R"("\n")", R"("\"")", "\"\\r\""}) {
    const std::string said =
        problems(with_steps(fmt::format("- read_delimited: {{delimiter: {}}}", wrong)));
    EXPECT_TRUE(said.ends_with(
        "is not a delimiter; allowed is one character, but no quote and no line break\n"))
        << said;
  }
}

TEST(MlTable, TypesMayBeInferredInManyWays) {
  const auto inference = [](std::string_view keys) {
    return reading_of(
               with_steps(fmt::format("- read_delimited:\n    infer_column_types: {}", keys)))
        .inference;
  };
  EXPECT_TRUE(table_of("- read_delimited: {infer_column_types: true}").infer_column_types);
  EXPECT_FALSE(table_of("- read_delimited: {infer_column_types: No}").infer_column_types);
  EXPECT_EQ(inference("{}"), "");
  EXPECT_EQ(inference("{sample_size: 7}"), R"({"sample_size": 7})");
  EXPECT_EQ(
      inference("{sample_size: 7, column_type_overrides: [{columns: a, column_type: string}]}"),
      R"({"sample_size": 7, "column_type_overrides": [{"columns": ["a"], )"
      R"("column_type": "string"}]})");
  EXPECT_EQ(problems(with_steps("- read_delimited:\n"
                                "    infer_column_types: {sample_size: 0, overrides: []}")),
            "MLTable:5:39: transformations.read_delimited.infer_column_types.sample_size: 0 is out "
            "of range; allowed is 1 to 2147483647\n"
            "MLTable:5:42: transformations.read_delimited.infer_column_types: unknown key "
            "'overrides'; allowed are sample_size, column_type_overrides\n");
}

TEST(MlTable, KeysOfReadStepsAreCheckedStrictly) {
  EXPECT_EQ(problems(with_steps(R"(- read_delimited:
    delimeter: ';'
    header: ALL
    encoding: EBCDIC
    empty_as_string: maybe
    path_column: where
    partition_size: many
)")),
            "MLTable:5:5: transformations.read_delimited: unknown key 'delimeter'; did you "
            "mean 'delimiter'?\n"
            "MLTable:6:13: transformations.read_delimited.header: 'ALL' is not known; "
            "allowed is all_files_same_headers, from_first_file, all_files_different_headers "
            "or no_header\n"
            "MLTable:7:15: transformations.read_delimited.encoding: 'EBCDIC' is not known; "
            "allowed is utf8, utf8bom, ascii, iso88591, latin1, windows1252, utf16, utf32\n"
            "MLTable:8:22: transformations.read_delimited.empty_as_string: 'maybe' is not "
            "known; allowed is true or false\n"
            "MLTable:9:18: transformations.read_delimited.path_column: 'where' is not "
            "supported; allowed is Path\n"
            "MLTable:10:21: transformations.read_delimited.partition_size: 'many' is not a "
            "whole number; allowed is 1 to 9223372036854775807\n");
  EXPECT_EQ(problems(with_steps("- read_parquet: {delimiter: ';'}")),
            "MLTable:4:18: transformations.read_parquet: unknown key 'delimiter'; allowed are "
            "include_path_column, path_column\n");
  EXPECT_EQ(problems(with_steps("- read_parquet: yes")),
            "MLTable:4:17: transformations.read_parquet: keys are expected below it\n");
  EXPECT_EQ(problems(with_steps("- read_delimited:\n  delimeter: ';'")),
            "MLTable:5:3: transformations: unknown key 'delimeter'; did you mean 'delimiter'?\n");
}

TEST(MlTable, OneReadStepComesFirst) {
  EXPECT_EQ(refusal("- read_parquet"), "transformations: is a second read step; one is allowed\n");
  EXPECT_EQ(problems(with_steps("- take: 5\n- read_delimited")),
            "MLTable:4:3: transformations: take stands before the read step; move it after\n");
  EXPECT_EQ(problems(with_steps("- take: 5")), "");  // a list of files
  EXPECT_EQ(problems(with_steps("- read_delimted\n- take: 5")),
            "MLTable:4:3: transformations: unknown transformation 'read_delimted'; did you mean "
            "'read_delimited'?\n");
}

TEST(MlTable, UnknownStepsAreRefusedWithTheNearestName) {
  EXPECT_EQ(
      refusal("- keepColumns: a"),
      "transformations: unknown transformation 'keepColumns'; did you mean 'keep_columns'?\n");
  EXPECT_EQ(refusal("- pivot: a"),
            "transformations: unknown transformation 'pivot'; allowed are read_delimited, "
            "read_parquet, read_json_lines, keep_columns, drop_columns, convert_column_types, "
            "filter, skip, take, take_random_sample, extract_columns_from_partition_format\n");
  EXPECT_EQ(refusal("- take"), "transformations: take needs a value after a colon\n");
  EXPECT_EQ(refusal("- {}"), "transformations: is empty; a step is expected\n");
  EXPECT_EQ(refusal("- [take]"), "transformations: keys are expected below it\n");
  EXPECT_EQ(refusal("- {take: 1, skip: 2}"),
            "transformations: 'take' and 'skip' stand in one step; begin each step with a dash\n");
  EXPECT_EQ(problems(with_steps("- read_delta_lake: {version_as_of: 1}\n- take: 1")),
            "MLTable:4:3: transformations: read_delta_lake is not supported; write the table to "
            "Parquet files, and read those with read_parquet\n");
  EXPECT_NE(refusal("- sample: {}"), "");
  EXPECT_NE(refusal("- select_partitions: [0]"), "");
}

TEST(MlTable, StepsAreWrittenInOneForm) {
  EXPECT_EQ(steps_of("- keep_columns: [a, b]"), R"({"keep_columns": ["a", "b"]})");
  EXPECT_EQ(steps_of("- drop_columns: \"\xc3\xbc \\\"q\\\"\""),
            "{\"drop_columns\": [\"\xc3\xbc \\\"q\\\"\"]}");
  EXPECT_EQ(steps_of("- take: 0\n- skip: 7"), "{\"take\": 0}\n{\"skip\": 7}");
  EXPECT_EQ(steps_of("- filter: \"a > 1 and col('b') == 'x'\""),
            R"({"filter": "a > 1 and col('b') == 'x'"})");
  EXPECT_EQ(steps_of("- take_random_sample: {probability: 1e-3, seed: 0}"),
            R"({"take_random_sample": {"probability": 0.001, "seed": 0}})");
  EXPECT_EQ(steps_of("- extract_columns_from_partition_format: '/{a}/x.csv'"),
            R"({"extract_columns_from_partition_format": "/{a}/x.csv"})");
}

TEST(MlTable, TypesOfColumnsAreWrittenInOneForm) {
  const auto type = [](std::string_view said) {
    return steps_of(
        fmt::format("- convert_column_types:\n  - {{columns: a, column_type: {}}}", said));
  };
  const auto expected = [](std::string_view json) {
    return fmt::format(R"({{"convert_column_types": [{{"columns": ["a"], "column_type": {}}}]}})",
                       json);
  };
  EXPECT_EQ(type("int"), expected(R"("int")"));
  EXPECT_EQ(type("boolean"), expected(R"("boolean")"));
  EXPECT_EQ(type("{boolean: }"), expected(R"("boolean")"));
  EXPECT_EQ(type("{boolean: {mismatch_as: 'true'}}"),
            expected(R"({"boolean": {"mismatch_as": "true"}})"));
  EXPECT_EQ(type("{boolean: {true_values: y, false_values: [n, N]}}"),
            expected(R"({"boolean": {"true_values": ["y"], "false_values": ["n", "N"], )"
                     R"("mismatch_as": "error"}})"));
  EXPECT_EQ(type("{datetime: {formats: ['%Y', '%m']}}"),
            expected(R"({"datetime": {"formats": ["%Y", "%m"]}})"));
}

TEST(MlTable, StepsAreCheckedStrictly) {
  const std::string place = "transformations.";
  EXPECT_EQ(refusal("- keep_columns: []"), place + "keep_columns: is an empty list\n");
  EXPECT_EQ(
      refusal("- keep_columns: {pattern: a}"),
      place +
          "keep_columns: is not a name or a list of names; a pattern of names is not supported\n");
  EXPECT_EQ(refusal("- take: -1"),
            place + "take: -1 is out of range; allowed is 0 to 9223372036854775807\n");
  EXPECT_EQ(refusal("- take: [1]"), place + "take: is a list; one value is expected\n");
  EXPECT_EQ(refusal("- filter: ' '"), place + "filter: is empty; an expression is expected\n");
  EXPECT_EQ(refusal("- filter:"), place + "filter: is empty; leave it out or give it a value\n");
  EXPECT_EQ(
      refusal("- take_random_sample: {probability: 1.5, sede: 1}"),
      place + "take_random_sample.seed is missing\n" + place +
          "take_random_sample.probability: '1.5' is not a probability; allowed is a number from "
          "0 to 1\n" +
          place + "take_random_sample: unknown key 'sede'; did you mean 'seed'?\n");
  EXPECT_EQ(refusal("- take_random_sample: 0.5"),
            place + "take_random_sample: keys are expected below it\n");
  EXPECT_EQ(refusal("- extract_columns_from_partition_format: {ignore_errors: true}"),
            place + "extract_columns_from_partition_format.partition_format is missing\n" + place +
                "extract_columns_from_partition_format.ignore_errors: is not supported: a path "
                "that does not match the format is an error\n");
  EXPECT_EQ(refusal("- extract_columns_from_partition_format: /{a"),
            place +
                "extract_columns_from_partition_format: '/{a' is not a partition format: the '{' "
                "at character 2 has no '}' after it\n");
  EXPECT_EQ(refusal("- extract_columns_from_partition_format: '{a}'\n"
                    "- extract_columns_from_partition_format: '{a}'"),
            "transformations: extract_columns_from_partition_format is there twice\n");
}

TEST(MlTable, TypesOfColumnsAreCheckedStrictly) {
  const std::string list = "transformations.convert_column_types";
  const std::string allowed = "allowed is int, float, string, boolean, or datetime with formats\n";
  const auto type = [](std::string_view said) {
    return refusal(
        fmt::format("- convert_column_types:\n  - {{columns: a, column_type: {}}}", said));
  };
  EXPECT_EQ(refusal("- convert_column_types: {columns: a, column_type: int}"),
            list + ": a list is expected, as in - {columns: [a], column_type: int}\n");
  EXPECT_EQ(refusal("- convert_column_types: [{column_type: int}, {columns: a}, a]"),
            list + ".columns is missing\n" + list + ".column_type is missing\n" + list +
                ": keys are expected below it\n");
  EXPECT_EQ(type("long"), list + ".column_type: 'long' is not known; " + allowed);
  EXPECT_EQ(type("stream_info"), list + ".column_type: 'stream_info' is not supported; " + allowed);
  EXPECT_EQ(type("datetime"),
            list +
                ".column_type: datetime needs formats, as in {datetime: {formats: "
                "['%Y-%m-%d']}}\n");
  EXPECT_EQ(type("{int: {}}"), list + ".column_type: is not a type; " + allowed);
  EXPECT_EQ(type("{boolean: {true_values: [1]}}"),
            list + ".column_type.boolean.false_values is missing\n");
  EXPECT_EQ(type("{boolean: {mismatch_as: maybe}}"),
            list +
                ".column_type.boolean.mismatch_as: 'maybe' is not known; allowed is error, true "
                "or false\n");
  EXPECT_EQ(type("{boolean: yes}"), list + ".column_type.boolean: keys are expected below it\n");
  EXPECT_EQ(type("{datetime: {formats: [], date_constant: x}}"),
            list + ".column_type.datetime.formats: is an empty list\n" + list +
                ".column_type.datetime: key 'date_constant' is not supported yet\n");
  EXPECT_EQ(type("{datetime: {}}"), list + ".column_type.datetime.formats is missing\n");
}

TEST(MlTable, AnExtractionGivesKeysToAListOfFilesToo) {
  const MlTable table =
      reading_of(with_steps("- extract_columns_from_partition_format: '/{a}/{b}.csv'"));
  EXPECT_FALSE(table.table);
  EXPECT_EQ(table.partition_format, "/{a}/{b}.csv");
}

}  // namespace
}  // namespace windrow
