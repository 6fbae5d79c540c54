// SPDX-License-Identifier: Apache-2.0
//
// The rows of a file of lines, by their names (core/plan/row_name.h). Blank lines are not rows; the
// last line need not end with a line break, and "\r\n" is one too.
//
// Thread: one at a time. Ownership: of the File. Failure: Error naming the file; memory is bounded,
// however long a line is.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/plan/row_name.h"
#include "os/file_system.h"

namespace windrow {

class RowLister {
 public:
  // `name`: what the rows are named after; `first_row`: the number of its first one.
  static Result<RowLister> open(FileSystem& fs,
                                const std::string& path,
                                std::string name,
                                std::uint64_t first_row);

  // Adds up to `max` more names; false at the end.
  Result<bool> next(std::size_t max, std::vector<std::string>& names);

  [[nodiscard]] std::uint64_t next_row() const { return row_; }

 private:
  RowLister(std::unique_ptr<File> file, std::string name, std::uint64_t first_row)
      : file_(std::move(file)), name_(std::move(name)), row_(first_row) {}
  Result<bool> fill();
  void end_line(std::vector<std::string>& names);

  std::unique_ptr<File> file_;
  std::string name_;
  std::uint64_t row_ = 0;
  std::string buffer_;
  std::size_t at_ = 0;          // in the buffer
  std::uint64_t behind_ = 0;    // where the buffer ends in the file
  std::uint64_t number_ = 1;    // of the line
  std::uint64_t began_ = 0;     // where the line begins
  std::uint64_t text_end_ = 0;  // behind its last character that is not blank
  bool ended_ = false;
};

}  // namespace windrow
