// SPDX-License-Identifier: Apache-2.0
//
// The keys of a job file that say how files are read as a table.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/encoding_name.h"
#include "core/spec/setting_codecs.h"
#include "core/spec/setting_rows.h"

namespace windrow::setting_rows {

// A text that is one of a few words.
template <const auto& Words, auto Field>
constexpr codecs::Codec word() {
  return {[](JobSpec& spec, std::string_view said) -> Status {
            const auto* found = std::ranges::find(Words, lower_case(trimmed(said)));
            if (found == Words.end()) {
              return fail(ErrorCode::kInvalid,
                          "{} is not known; allowed is {}",
                          in_quotes(said),
                          codecs::names_text(Words));
            }
            spec.table.*Field = *found;
            return {};
          },
          [](const JobSpec& spec) -> SettingValue {
            return {SettingValue::Kind::kBare, spec.table.*Field, {}};
          }};
}

inline constexpr auto kTableFormats =
    std::to_array<std::string_view>({"delimited", "parquet", "json_lines", "arrow"});
inline constexpr auto kHeaders = std::to_array<std::string_view>(
    {"all_files_same_headers", "from_first_file", "all_files_different_headers", "no_header"});
inline constexpr auto kRagged = std::to_array<std::string_view>({"error", "skip", "fill"});
inline constexpr auto kInvalidLines = std::to_array<std::string_view>({"error", "drop"});
inline constexpr auto kTypes = std::to_array<std::string_view>({"pandas", "mltable"});

inline constexpr codecs::Codec kTableFormat = {
    [](JobSpec& spec, std::string_view said) -> Status {
      const auto* found = std::ranges::find(kTableFormats, lower_case(trimmed(said)));
      if (found == kTableFormats.end()) {
        return fail(ErrorCode::kInvalid,
                    "{} is not known; allowed is {}",
                    in_quotes(said),
                    codecs::names_text(kTableFormats));
      }
      spec.table.format = static_cast<TableFormat>(found - kTableFormats.begin());
      return {};
    },
    [](const JobSpec& spec) -> SettingValue {
      if (!spec.table.format) return {};
      const auto index = static_cast<std::size_t>(*spec.table.format);
      return {SettingValue::Kind::kBare, std::string(kTableFormats.at(index)), {}};
    }};

// In any spelling; an unknown one is refused as it was given.
inline constexpr codecs::Codec kEncoding = {
    [](JobSpec& spec, std::string_view said) -> Status {
      const std::string name = encoding_name(said);
      const bool known = std::ranges::find(kEncodings, name) != kEncodings.end();
      return word<kEncodings, &TableSpec::encoding>().read(spec, known ? name : said);
    },
    word<kEncodings, &TableSpec::encoding>().write};

template <auto Field>
constexpr codecs::Codec table_flag() {
  return codecs::flag<&JobSpec::table, Field>();
}

inline constexpr auto kTableRows = std::to_array<Row>({
    {"table.format",
     "",
     "delimited, parquet, json_lines or arrow",
     "by the name of the first file",
     "format of the files of a table",
     kTableFormat},
    {"table.delimiter",
     "",
     "one ASCII character, no quote or line break",
     "a comma, or a tab in .tsv files",
     "separator of fields",
     codecs::character<&JobSpec::table, &TableSpec::delimiter>()},
    {"table.header",
     "",
     "all_files_same_headers, from_first_file, all_files_different_headers or no_header",
     "",
     "which files begin with the names of columns",
     word<kHeaders, &TableSpec::header>()},
    {"table.encoding",
     "",
     "utf8, utf8bom, ascii, iso88591, latin1, windows1252, utf16 or utf32",
     "",
     "how text is encoded",
     kEncoding},
    {"table.infer_column_types",
     "",
     kBooleans,
     "",
     "types of columns come from the first 200 rows; false: all are text, and JSON as it is",
     table_flag<&TableSpec::infer_column_types>()},
    {"table.types",
     "",
     "pandas or mltable",
     "",
     "whose rules decide the types: pandas, or MLTable (0 and 1 are booleans, dates are dates)",
     word<kTypes, &TableSpec::types>()},
    {"table.mixed_types",
     "amlbi_dataframe_mixed_types",
     kBooleans,
     "",
     "columns with values of several types are text, in every mini-batch",
     table_flag<&TableSpec::mixed_types>()},
    {"table.text_columns",
     "",
     "a list of names, or its JSON text",
     "none",
     "columns of delimited text that stay text: 00123 keeps its zeros",
     codecs::names<&JobSpec::table, &TableSpec::text_columns>()},
    {"table.empty_as_string",
     "",
     kBooleans,
     "",
     "an empty field is an empty text, not a missing value",
     table_flag<&TableSpec::empty_as_string>()},
    {"table.quotes",
     "",
     kBooleans,
     "",
     "double quotes hold fields of delimited text; false: they are ordinary characters",
     table_flag<&TableSpec::quotes>()},
    {"table.support_multi_line",
     "",
     kBooleans,
     "",
     "quoted fields may hold line breaks",
     table_flag<&TableSpec::multi_line>()},
    {"table.include_path_column",
     "",
     kBooleans,
     "",
     "a column Path names the file of each row",
     table_flag<&TableSpec::include_path_column>()},
    {"table.comment",
     "",
     "one ASCII character, no quote or line break",
     "none",
     "lines that begin with it are left out",
     codecs::character<&JobSpec::table, &TableSpec::comment>()},
    {"table.skip_lines",
     "",
     kCounts,
     "",
     "lines left out at the beginning of each file",
     codecs::whole<0, kIntMax, &JobSpec::table, &TableSpec::skip_lines>()},
    {"table.ragged",
     "",
     "error, skip or fill",
     "",
     "rows with too many or too few fields fail the mini-batch, are left out, or are filled up",
     word<kRagged, &TableSpec::ragged>()},
    {"table.invalid_lines",
     "",
     "error or drop",
     "",
     "lines that are not JSON fail the mini-batch, or are left out",
     word<kInvalidLines, &TableSpec::invalid_lines>()},
    {"table.count_rows",
     "",
     kBooleans,
     "",
     "text is read once more, so that mini_batch_context.global_row_index_lower_bound is known",
     table_flag<&TableSpec::count_rows>()},
});

}  // namespace windrow::setting_rows
