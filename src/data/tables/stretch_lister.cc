// SPDX-License-Identifier: Apache-2.0
#include "data/tables/stretch_lister.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "data/tables/row_groups.h"

namespace windrow {
namespace {

constexpr std::size_t kChunk = 256U << 10U;

// gzip, bzip2, xz, Zstandard.
constexpr auto kCompressed = std::to_array<std::string_view>({{"\x1f\x8b", 2},
                                                              {"BZh", 3},
                                                              {"\xfd"
                                                               "7zXZ",
                                                               5},
                                                              {"\x28\xb5\x2f\xfd", 4}});

}  // namespace

Result<StretchLister> StretchLister::open(FileSystem& fs,
                                          const std::string& path,
                                          std::string name,
                                          const TableRules& rules,
                                          std::optional<std::uint64_t> first_row) {
  ASSIGN_OR_RETURN(std::unique_ptr<File> file, fs.open(path));
  StretchLister out(std::move(file), path, std::move(name), rules, first_row);
  ASSIGN_OR_RETURN(out.size_, out.file_->size());
  const bool text =
      rules.format == TableFormat::kDelimited || rules.format == TableFormat::kJsonLines;
  if (text) {
    ASSIGN_OR_RETURN(const bool compressed, out.is_compressed());
    out.whole_ = compressed || rules.whole_files;
    if (compressed && rules.rows) {
      return fail(ErrorCode::kConflict,
                  "{} is compressed, so it cannot be cut by rows: decompress it, or leave out rows "
                  "in mini_batch_size (the file is then one mini-batch)",
                  path_in_quotes(path));
    }
  } else {
    RETURN_IF_ERROR(out.take_groups());
  }
  out.boundary_ = rules.bytes;
  return out;
}

Result<bool> StretchLister::is_compressed() {
  ASSIGN_OR_RETURN(const std::string begin, read(0, std::min<std::uint64_t>(size_, 5)));
  return std::ranges::any_of(kCompressed,
                             [&](std::string_view magic) { return begin.starts_with(magic); });
}

Result<std::string> StretchLister::read(std::uint64_t offset, std::uint64_t length) {
  std::string bytes(length, '\0');
  ASSIGN_OR_RETURN(const std::size_t got, file_->read_at(offset, bytes));
  if (got < length) {
    return fail(ErrorCode::kConflict, "{} became shorter while read", path_in_quotes(path_));
  }
  return bytes;
}

// Groups that stand side by side are packed as long as their bytes fit; then come the rows.
Status StretchLister::take_groups() {
  ASSIGN_OR_RETURN(const std::vector<RowGroup> groups,
                   read_row_groups(*file_, path_, size_, rules_.format));
  const std::uint64_t most = rules_.rows.value_or(UINT32_MAX);
  std::uint64_t offset = 0;
  for (std::size_t at = 0; at < groups.size();) {
    std::uint64_t rows = 0;
    std::uint64_t bytes = 0;
    do {
      rows += groups[at].rows;
      bytes += groups[at].bytes;
      ++at;
    } while (at < groups.size() &&
             groups[at].bytes <= rules_.bytes - std::min(bytes, rules_.bytes));
    while (rows > 0) {
      const std::uint64_t some = std::min(rows, most);
      groups_.push_back({offset, some, 0, static_cast<std::uint32_t>(some)});
      offset += some;
      rows -= some;
    }
  }
  return {};
}

Result<bool> StretchLister::next(std::size_t max, std::vector<std::string>& names) {
  const std::size_t enough = names.size() + max;
  if (whole_) {
    if (std::exchange(size_, 0) > 0) add({}, names);
    return false;
  }
  if (rules_.format == TableFormat::kDelimited || rules_.format == TableFormat::kJsonLines) {
    const bool scan = rules_.rows || rules_.count_rows || rules_.text.multi_line;
    return scan ? next_by_scan(enough, names) : next_by_size(enough, names);
  }
  for (; group_ < groups_.size() && names.size() < enough; ++group_) add(groups_[group_], names);
  return group_ < groups_.size();
}

void StretchLister::add(Stretch stretch, std::vector<std::string>& names) {
  const bool counted = stretch.rows > 0;
  if (counted && row_) stretch.row = *row_;
  if (!row_ || !counted) {  // a number of rows without a place in the input would be taken for one
    row_.reset();
    stretch.row = stretch.rows = 0;
  } else {
    *row_ += stretch.rows;
  }
  names.push_back(stretch_name(name_, stretch));
}

// Where the first record begins that begins at this place or behind it; size_ when none does.
Result<std::uint64_t> StretchLister::record_from(std::uint64_t place) {
  for (std::uint64_t from = place - 1; from < size_;) {
    buffer_.resize(std::min<std::uint64_t>(kChunk, size_ - from));
    ASSIGN_OR_RETURN(const std::size_t got, file_->read_at(from, buffer_));
    const std::size_t found = std::string_view(buffer_).substr(0, got).find('\n');
    if (found != std::string_view::npos) return from + found + 1;
    if (got == 0) break;
    from += got;
  }
  return size_;
}

Result<bool> StretchLister::next_by_size(std::size_t enough, std::vector<std::string>& names) {
  while (at_ < size_ && names.size() < enough) {
    std::uint64_t end = size_;
    if (boundary_ < size_) {
      ASSIGN_OR_RETURN(end, record_from(boundary_));
    }
    add({.offset = at_, .length = end - at_}, names);
    at_ = end;
    boundary_ = (end / rules_.bytes + 1) * rules_.bytes;
  }
  return at_ < size_;
}

void StretchLister::close_text(std::uint64_t end, std::vector<std::string>& names) {
  if (rows_ > 0) {
    add({at_, end - at_, 0, std::exchange(rows_, 0)}, names);
    at_ = end;
  }
  boundary_ = (end / rules_.bytes + 1) * rules_.bytes;
}

Result<bool> StretchLister::next_by_scan(std::size_t enough, std::vector<std::string>& names) {
  while (scanned_ < size_ && names.size() < enough) {
    buffer_.resize(std::min<std::uint64_t>(kChunk, size_ - scanned_));
    ASSIGN_OR_RETURN(const std::size_t got, file_->read_at(scanned_, buffer_));
    if (got == 0) {
      return fail(ErrorCode::kConflict, "{} became shorter while read", path_in_quotes(path_));
    }
    std::string_view text = std::string_view(buffer_).substr(0, got);
    while (!text.empty() && names.size() < enough) {
      const std::size_t used = scanner_.take(text);
      text.remove_prefix(used);
      scanned_ += used;
      if (scanner_.ended_row()) ++rows_;
      const bool full = scanner_.between_records() &&
                        (scanned_ >= boundary_ || (rules_.rows && rows_ >= *rules_.rows));
      if (full) close_text(scanned_, names);
    }
  }
  if (scanned_ < size_) return true;
  scanner_.finish();
  if (scanner_.ended_row()) ++rows_;
  close_text(size_, names);
  return false;
}

}  // namespace windrow
