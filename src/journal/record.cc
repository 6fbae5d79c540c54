// SPDX-License-Identifier: Apache-2.0
#include "journal/record.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "base/check.h"
#include "base/crc32c.h"
#include "base/plant.h"

namespace windrow {
namespace {

constexpr std::size_t kWindowMax = 1U << 18;

}  // namespace

std::string file_magic(std::string_view magic, std::uint32_t version) {
  CHECK(magic.size() == 4);
  std::string out(magic);
  ByteWriter(out).fixed(version);
  return out;
}

void append_record(std::string_view payload, std::string& out) {
  append_record_with(out, [&](std::string& inner) { inner.append(payload); });
}

void seal_record(std::string& out, std::size_t start) {
  const std::string_view payload = std::string_view(out).substr(start + kRecordHeaderSize);
  CHECK(payload.size() <= kRecordPayloadMax);
  const auto length = static_cast<std::uint32_t>(payload.size());
  // The length is under the checksum too: a flipped bit in it must not find a record elsewhere.
  char bytes[4];
  std::memcpy(bytes, &length, 4);
  const std::uint32_t crc = crc32c(payload, crc32c(std::string_view(bytes, 4)));
  std::memcpy(out.data() + start, &length, 4);
  std::memcpy(out.data() + start + 4, &crc, 4);
}

Result<RecordReader> RecordReader::open(File& file,
                                        std::string_view magic,
                                        std::uint32_t version,
                                        std::uint32_t oldest) {
  RecordReader reader(file);
  ASSIGN_OR_RETURN(const std::string_view head, reader.peek(kFileMagicSize));
  if (head.size() < kFileMagicSize || head.substr(0, 4) != magic) {
    return fail(ErrorCode::kInternal, "it does not begin like a {} file", magic);
  }
  ByteReader bytes(head.substr(4));
  const auto found = bytes.fixed<std::uint32_t>();
  // No version is 0: the power failed while the beginning was written.
  if (found == 0) return fail(ErrorCode::kInternal, "its beginning is not whole");
  if (found > version || found < (oldest == 0 ? version : oldest)) {
    return fail(ErrorCode::kInvalid,
                "its format is version {}, and this windrow reads version {}",
                found,
                version);
  }
  reader.version_ = found;
  reader.crc_ = crc32c(head);
  reader.position_ = kFileMagicSize;
  return reader;
}

Result<std::string_view> RecordReader::peek(std::size_t size) {
  const bool inside =
      position_ >= window_start_ && position_ + size <= window_start_ + window_.size();
  if (!inside) {
    window_start_ = position_;
    window_.resize(std::max(size, window_size_));
    window_size_ = std::min(window_size_ * 4, kWindowMax);
    ASSIGN_OR_RETURN(const std::size_t got, file_->read_at(position_, window_));
    window_.resize(got);
  }
  return std::string_view(window_).substr(position_ - window_start_, size);
}

Result<std::optional<std::string_view>> RecordReader::next(std::uint64_t limit) {
  if (position_ + kRecordHeaderSize > limit) return std::nullopt;
  ASSIGN_OR_RETURN(const std::string_view head, peek(kRecordHeaderSize));
  if (head.size() < kRecordHeaderSize) return std::nullopt;
  ByteReader bytes(head);
  const auto length = bytes.fixed<std::uint32_t>();
  const auto crc = bytes.fixed<std::uint32_t>();
  const std::size_t whole = kRecordHeaderSize + length;
  if (length > kRecordPayloadMax || position_ + whole > limit) return std::nullopt;
  if (whole > kWindowMax) {  // a damaged length must not cost a gigabyte of memory
    ASSIGN_OR_RETURN(const std::uint64_t size, file_->size());
    if (position_ + whole > size) return std::nullopt;
  }
  ASSIGN_OR_RETURN(const std::string_view record, peek(whole));
  if (record.size() < whole) return std::nullopt;
  const std::string_view payload = record.substr(kRecordHeaderSize);
  const bool right = crc32c(payload, crc32c(record.substr(0, 4))) == crc;
  if (!right && !planted(Fault::kTruncatedTailTrusted)) return std::nullopt;
  if (chained_) crc_ = crc32c(record, crc_);
  position_ += whole;
  return payload;
}

}  // namespace windrow
