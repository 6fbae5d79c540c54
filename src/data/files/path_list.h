// SPDX-License-Identifier: Apache-2.0
//
// Reads a file that lists paths: one to a line, or separated by NUL bytes when it holds any. Empty
// ones are skipped; everything else is taken as it stands, blanks and quotes included. A list whose
// name ends in .jsonl has one JSON object to a line and the path under "item", as
// failed_items.jsonl of a job does; those without one (results that were missing) are skipped.
//
// Thread: one at a time. Ownership: of the File. Failure: Error naming the list; memory is bounded
// by the longest entry, whatever the length of the list.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "os/file_system.h"

namespace windrow {

class PathList {
 public:
  static Result<PathList> open(FileSystem& fs, const std::string& path);
  // `title` stands for the list in messages.
  static Result<PathList> read(std::shared_ptr<File> file, std::string title);

  // The next path; nothing at the end.
  Result<std::optional<std::string>> next();

  // What the line of the latest path says of how its rows are counted; empty: nothing.
  [[nodiscard]] const std::string& row_places() const { return row_places_; }

  // Lines so far that say how many items have failed, but not which.
  [[nodiscard]] std::uint64_t unnamed() const { return unnamed_; }

 private:
  PathList(std::shared_ptr<File> file, std::string title)
      : file_(std::move(file)), title_(std::move(title)), json_(title_.ends_with(".jsonl")) {}
  Result<bool> fill();
  Result<std::optional<std::string>> next_entry();
  Result<std::string> item_of(const std::string& line);

  std::shared_ptr<File> file_;
  std::string title_;
  std::string row_places_;
  bool json_ = false;
  std::string buffer_;
  std::size_t at_ = 0;        // in the buffer
  std::uint64_t offset_ = 0;  // in the file, behind the buffer
  std::uint64_t number_ = 0;  // of the entry, from 1
  std::uint64_t unnamed_ = 0;
  char separator_ = '\n';
};

}  // namespace windrow
