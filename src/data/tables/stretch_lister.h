// SPDX-License-Identifier: Apache-2.0
//
// Cuts a file of a table into stretches, by their names (core/plan/stretch_name.h): each becomes a
// mini-batch of its own, and none crosses the end of a file.
//
// Text by size is looked at only where it is cut: a record belongs to the range of bytes in which
// it begins. It is read as a whole where rows are to be counted, or quotes decide where a record
// ends. Parquet and Arrow files are cut by what their footers say. Compressed text is one stretch.
//
// Thread: one at a time. Ownership: of the File. Failure: Error naming the file; memory is bounded
// by the size of a footer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/plan/stretch_name.h"
#include "core/spec/job_spec.h"
#include "core/spec/table_spec.h"
#include "core/table/text_records.h"
#include "os/file_system.h"

namespace windrow {

struct TableRules {
  TableFormat format = TableFormat::kDelimited;
  TextRules text;
  bool header_once = false;  // only the first file of the input begins with one
  bool count_rows = false;
  bool own_numbers = false;           // rows are counted from the first of this input on
  bool whole_files = false;           // in an encoding whose line breaks are not one byte
  std::uint64_t bytes = 1U << 20U;    // of a stretch, about
  std::optional<std::uint32_t> rows;  // at most so many, exactly
  friend bool operator==(const TableRules&, const TableRules&) = default;
};

class StretchLister {
 public:
  // `name`: what the stretches are named after; `first_row`: the number of its first row, none when
  // that is not known.
  static Result<StretchLister> open(FileSystem& fs,
                                    const std::string& path,
                                    std::string name,
                                    const TableRules& rules,
                                    std::optional<std::uint64_t> first_row);

  // Adds up to `max` more names; false at the end.
  Result<bool> next(std::size_t max, std::vector<std::string>& names);

  // Number of the row behind the last one; none when rows are not counted.
  [[nodiscard]] std::optional<std::uint64_t> next_row() const { return row_; }

 private:
  StretchLister(std::unique_ptr<File> file,
                std::string path,
                std::string name,
                const TableRules& rules,
                std::optional<std::uint64_t> first_row)
      : file_(std::move(file)),
        path_(std::move(path)),
        name_(std::move(name)),
        rules_(rules),
        row_(first_row),
        scanner_(rules.text) {}

  Result<bool> is_compressed();
  Status take_groups();
  Result<std::string> read(std::uint64_t offset, std::uint64_t length);
  Result<std::uint64_t> record_from(std::uint64_t place);
  Result<bool> next_by_size(std::size_t max, std::vector<std::string>& names);
  Result<bool> next_by_scan(std::size_t max, std::vector<std::string>& names);
  void add(Stretch stretch, std::vector<std::string>& names);
  void close_text(std::uint64_t end, std::vector<std::string>& names);

  std::unique_ptr<File> file_;
  std::string path_;
  std::string name_;
  TableRules rules_;
  std::optional<std::uint64_t> row_;
  std::uint64_t size_ = 0;
  bool whole_ = false;           // one stretch, uncounted
  std::vector<Stretch> groups_;  // of files that are cut by their footers
  std::size_t group_ = 0;
  std::uint64_t at_ = 0;  // where the next stretch of text begins
  RecordScanner scanner_;
  std::uint64_t scanned_ = 0;   // how far the text was looked at
  std::uint64_t boundary_ = 0;  // a record that begins there or behind is of another stretch
  std::uint32_t rows_ = 0;      // of the stretch that is open
  std::string buffer_;
};

}  // namespace windrow
