// SPDX-License-Identifier: Apache-2.0
//
// A log file: lines gathered in memory, appended when there are many or when asked.
//
// Never state. A disk that refuses a line loses it and nothing else; `lost()` counts. Created with
// its first line.
//
// Thread: one at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "os/descriptor.h"

namespace windrow {

// Makes `alias` a symbolic link to `target` (a name beside it), in place of what it was before. A
// file system without links has to do without.
void point_alias(const std::string& alias, const std::string& target);

// Where a link points to; empty when there is none.
std::string alias_target(const std::string& alias);

// Leaves the first `size_max` bytes of a file that others append to, with `mark` behind them.
// Nothing happens to a file that has no more, and to one that is not there.
void cut_log(const std::string& path, std::uint64_t size_max, std::string_view mark);

class LogFile {
 public:
  explicit LogFile(std::string path) : path_(std::move(path)) {}
  ~LogFile() { flush(); }
  LogFile(LogFile&&) = default;
  LogFile& operator=(LogFile&&) = default;

  // The memory to append to; call grown() afterwards.
  [[nodiscard]] std::string& buffer() { return buffer_; }
  void grown() {
    if (buffer_.size() >= kFlushAt) flush();
  }

  void write(std::string_view text) {
    buffer_.append(text);
    grown();
  }

  void flush();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  static constexpr std::size_t kFlushAt = 1U << 16;

  std::string path_;
  std::string buffer_;
  Descriptor file_;
  std::uint64_t lost_ = 0;
};

}  // namespace windrow
