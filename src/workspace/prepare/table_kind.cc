// SPDX-License-Identifier: Apache-2.0
#include "workspace/prepare/table_kind.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "core/spec/job_paths.h"

namespace windrow {
namespace {

struct Ending {
  std::string_view text;
  TableFormat format;
  char delimiter = ',';
};
constexpr auto kEndings = std::to_array<Ending>({
    {".csv", TableFormat::kDelimited},
    {".tsv", TableFormat::kDelimited, '\t'},
    {".tab", TableFormat::kDelimited, '\t'},
    {".parquet", TableFormat::kParquet},
    {".pq", TableFormat::kParquet},
    {".jsonl", TableFormat::kJsonLines},
    {".ndjson", TableFormat::kJsonLines},
    {".json", TableFormat::kJsonLines},
    {".arrow", TableFormat::kArrow},
    {".feather", TableFormat::kArrow},
    {".ipc", TableFormat::kArrow},
});

// Without the ending that says how it is compressed.
std::string unpacked_name(std::string_view file) {
  std::string name = lower_case(file);
  for (const std::string_view packed : {".gz", ".bz2", ".xz", ".zst"}) {
    if (name.ends_with(packed)) name.resize(name.size() - packed.size());
  }
  return name;
}

std::optional<Ending> ending_of(std::string_view file) {
  const std::string name = unpacked_name(file);
  for (const Ending& one : kEndings) {
    if (name.ends_with(one.text)) return one;
  }
  return std::nullopt;
}

constexpr const char* kSayFormat =
    "--set table.format=delimited, parquet, json_lines or arrow (in a job file table: {format: "
    "...})";

// The first file whose name does not say what that of `first` does; none when all agree.
const std::string* odd_one(const std::vector<std::string>& files, const Ending& first) {
  const auto same = [&first](const std::string& file) {
    const std::optional<Ending> ending = ending_of(file);
    return ending && ending->format == first.format && ending->delimiter == first.delimiter;
  };
  const auto found = std::ranges::find_if_not(files, same);
  return found == files.end() ? nullptr : &*found;
}

// Files of one kind by their names, when nothing but these says what kind it is.
Status check_names(const std::vector<std::string>& files, const std::string& input) {
  const auto told =
      std::ranges::find_if(files, [](const auto& one) { return ending_of(one).has_value(); });
  if (told == files.end()) {
    return fail(ErrorCode::kInvalid,
                "the name of {} does not say what kind of table it is: add {}",
                path_in_quotes(files.front()),
                kSayFormat);
  }
  const std::string* odd = odd_one(files, *ending_of(*told));
  if (odd == nullptr) return {};
  if (base_name(*odd) == "MLTable") {
    return fail(ErrorCode::kInvalid,
                "{} describes the table of its folder: give that as an input of type mltable in a "
                "job file, or leave it out with --set inputs.{}.ignore=MLTable",
                path_in_quotes(*odd),
                input);
  }
  const std::optional<Ending> ending = ending_of(*odd);
  const bool text = ending && ending->format == ending_of(*told)->format;  // with other delimiters
  const bool hidden = base_name(*odd).find_first_of("._") == 0;  // what other programs leave there
  return fail(ErrorCode::kInvalid,
              "by their names {} and {} are not tables of one kind; leave one out with --set "
              "inputs.{}.ignore={}, or {}",
              path_in_quotes(*told),
              path_in_quotes(*odd),
              input,
              in_quotes(hidden ? "[._]*" : base_name(*odd)),
              text ? "make two jobs of them" : fmt::format("set their format with {}", kSayFormat));
}

}  // namespace

bool is_packed_name(const std::string& file) { return unpacked_name(file).size() < file.size(); }

Status settle_table_format(const std::vector<std::string>& files,
                           const JobSpec& spec,
                           TableSpec& table) {
  if (!table.format && !files.empty()) {
    RETURN_IF_ERROR(check_names(files, spec.input_data.front()));
  }
  const std::optional<Ending> ending = ending_of(files.empty() ? "" : files.front());
  if (!table.format) table.format = ending ? ending->format : TableFormat::kDelimited;
  if (!table.delimiter) {
    const bool delimited = ending && ending->format == TableFormat::kDelimited;
    table.delimiter = std::string(1, delimited ? ending->delimiter : ',');
  }
  if (!table.text_columns.empty() && table.format != TableFormat::kDelimited) {
    return fail(ErrorCode::kInvalid,
                "table.text_columns is only for delimited text; files of other formats say "
                "themselves what is text");
  }
  return {};
}

}  // namespace windrow
