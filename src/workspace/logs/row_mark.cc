// SPDX-License-Identifier: Apache-2.0
#include "workspace/logs/row_mark.h"

#include "base/json.h"
#include "core/plan/row_name.h"

namespace windrow {
namespace {

constexpr std::uint64_t kRowMax = 64U << 20;

Result<std::string> read_row(FileSystem& fs, const RowName& row) {
  if (row.place.length > kRowMax) return fail(ErrorCode::kInvalid, "too long");
  ASSIGN_OR_RETURN(const std::unique_ptr<File> file, fs.open(std::string(row.file)));
  std::string text(row.place.length, '\0');
  ASSIGN_OR_RETURN(const std::size_t got, file->read_at(row.place.offset, text));
  text.resize(got);
  return text;
}

}  // namespace

MarkOfRow mark_of_row(FileSystem& fs, InputAs input_as) {
  if (input_as != InputAs::kJsonLines) return nullptr;
  return [&fs](const std::string& path) -> std::string {
    const std::optional<RowName> row = parse_row_name(path);
    const Result<std::string> text = row ? read_row(fs, *row) : fail(ErrorCode::kInvalid, "no row");
    const Result<Json> json = text ? parse_json(*text) : fail(ErrorCode::kInvalid, "no text");
    const Json* const mark = json ? json->find("custom_id") : nullptr;
    const std::string* const said = mark == nullptr ? nullptr : mark->get<std::string>();
    return said == nullptr ? "" : *said;
  };
}

}  // namespace windrow
