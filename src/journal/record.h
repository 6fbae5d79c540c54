// SPDX-License-Identifier: Apache-2.0
//
// Records: how plan, journal, segments and index are laid out on disk.
//
// A file is eight bytes (four of magic, a version), then records; a record is length, CRC-32C and
// payload (docs/formats/records.md). The reader stops at the first record that is cut short or
// whose checksum is wrong: everything before it is good, nothing behind it is looked at.
//
// Thread: one at a time. Ownership: the File outlives the reader. Failure: Error for an unreadable
// file, wrong magic or unknown version; damage is an end, not an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/file_system.h"

namespace windrow {

inline constexpr std::size_t kFileMagicSize = 8;
inline constexpr std::size_t kRecordHeaderSize = 8;
inline constexpr std::uint32_t kRecordPayloadMax = (1U << 30) + (1U << 16);

// The eight bytes a file begins with: `magic` is four letters.
std::string file_magic(std::string_view magic, std::uint32_t version);

// Appends a record with this payload to `out`.
void append_record(std::string_view payload, std::string& out);

// Writes length and checksum of the record that begins at `start` and ends where `out` ends.
void seal_record(std::string& out, std::size_t start);

// Appends a record whose payload `fill` appends, without a copy of it.
template <class Fill>
void append_record_with(std::string& out, Fill&& fill) {
  const std::size_t start = out.size();
  out.append(kRecordHeaderSize, '\0');
  fill(out);
  seal_record(out, start);
}

class RecordReader {
 public:
  // Reads the magic. kInternal when it is another file's, kInvalid when the version is unknown:
  // neither `version` nor an older one from `oldest` on (0: that one only).
  static Result<RecordReader> open(File& file,
                                   std::string_view magic,
                                   std::uint32_t version,
                                   std::uint32_t oldest = 0);

  [[nodiscard]] std::uint32_t version() const { return version_; }

  // The next payload, valid until the next call; nothing at the end of what is good, and never
  // beyond `limit` bytes of the file.
  Result<std::optional<std::string_view>> next(std::uint64_t limit = UINT64_MAX);

  // How far the file is good: the end of the last record read.
  [[nodiscard]] std::uint64_t position() const { return position_; }

  // CRC-32C of everything up to position().
  [[nodiscard]] std::uint32_t crc() const { return crc_; }

  // Jumps to a known record. crc() has no meaning afterwards.
  void seek(std::uint64_t position) {
    position_ = position;
    chained_ = false;
  }

 private:
  explicit RecordReader(File& file) : file_(&file) {}
  // The `size` bytes at `position_`; shorter at the end of the file.
  Result<std::string_view> peek(std::size_t size);

  File* file_;
  std::uint64_t position_ = 0;
  std::uint32_t crc_ = 0;
  bool chained_ = true;  // every record from the start was read
  std::uint32_t version_ = 0;
  std::string window_;
  std::size_t window_size_ = 1U << 12;  // of the next read ahead: grows, for most files are short
  std::uint64_t window_start_ = 0;
};

}  // namespace windrow
