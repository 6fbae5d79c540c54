// SPDX-License-Identifier: Apache-2.0
//
// The form of the rows: what append_row says, and what the names of the files do.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/spec/job_sections.h"
#include "core/spec/values.h"

namespace windrow {
namespace {

// Names that promise a form which rows get only when it is asked for.
struct RowFileEnding {
  std::string_view text;
  RowFormat format;
};
constexpr auto kRowFileEndings = std::to_array<RowFileEnding>({
    {".csv", RowFormat::kCsv},
    {".jsonl", RowFormat::kJsonLines},
    {".ndjson", RowFormat::kJsonLines},
    {".pq", RowFormat::kParquet},
    {".feather", RowFormat::kArrow},
});

void note_row_file(JobTree& tree, const std::string& name, std::string_view path) {
  const std::optional<Place> outputs = tree.reader.at(tree.root, "outputs");
  for (const RowFileEnding& ending : kRowFileEndings) {
    if (!outputs || !tree.spec.command.empty() || !path.ends_with(ending.text)) continue;
    tree.reader.notice_at(
        *outputs,
        name,
        fmt::format("its name does not make it {0}: rows are text, the fields of a frame with "
                    "spaces between them; append_row.format: {0} (--set append_row.format={0}) "
                    "writes {0}",
                    to_text(ending.format)));
  }
}

// The path of a file of rows; empty: the job names it.
std::string_view row_file(const JobSpec& spec, const std::string& name) {
  const auto output = std::ranges::find(spec.outputs, name, &OutputSpec::name);
  const bool file = output != spec.outputs.end() && output->type == OutputType::kFile;
  return file && output->path ? std::string_view(*output->path) : "";
}

RowFormat format_by_name(std::string_view path) {
  if (path.ends_with(".parquet")) return RowFormat::kParquet;
  return path.ends_with(".arrow") ? RowFormat::kArrow : RowFormat::kAzure;
}

// A file of rows may say by its name what it is; several say the same.
void settle_row_format(JobTree& tree) {
  JobSpec& spec = tree.spec;
  const std::optional<Place> rows = tree.reader.at(tree.root, "append_row");
  if (spec.append_row_to.empty() || (rows && rows->node->find("format") != nullptr)) return;
  const std::string& first = spec.append_row_to.front();
  spec.rows.format = format_by_name(row_file(spec, first));
  for (const std::string& name : spec.append_row_to) {
    const RowFormat format = format_by_name(row_file(spec, name));
    if (const auto task = tree.reader.at(tree.root, "task"); task && format != spec.rows.format) {
      tree.reader.problem_at(
          *task,
          "append_row_to",
          fmt::format("all rows of a job are of one format, and by their names {} is {} and {} "
                      "{}; name the files alike, or set append_row.format",
                      first,
                      to_text(spec.rows.format),
                      name,
                      to_text(format)));
    }
    if (!rows) note_row_file(tree, name, row_file(spec, name));
  }
}

// What the form of the rows leaves no room for.
void check_row_style(JobTree& tree) {
  const JobSpec& spec = tree.spec;
  const std::optional<Place> rows = tree.reader.at(tree.root, "append_row");
  if (!rows || spec.rows.format == RowFormat::kAzure || spec.rows.format == RowFormat::kCsv) return;
  if (spec.rows.separator) {
    tree.reader.problem_at(
        *rows,
        "sep",
        fmt::format("is only for text and csv; {} has no separator", to_text(spec.rows.format)));
  }
  if (spec.rows.header) {
    tree.reader.notice_at(*rows, "header", "has no effect: the names of columns are always there");
  }
}

}  // namespace

void settle_row_form(JobTree& tree) {
  settle_row_format(tree);
  check_row_style(tree);
}

}  // namespace windrow
