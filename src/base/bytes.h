// SPDX-License-Identifier: Apache-2.0
//
// Numbers and texts to bytes and back, for every file and packet of Windrow.
//
// ByteWriter appends to a string. ByteReader reads in the same order; the first read past the end
// or over a limit makes it bad for good: values read then are zero, and `ok()` says so once at the
// end, so that a decoder needs one check and never reads what is not there.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace windrow {

static_assert(std::endian::native == std::endian::little,
              "the formats are little-endian and are copied as they are");

class ByteWriter {
 public:
  explicit ByteWriter(std::string& out) : out_(out) {}

  template <class Number>
  void fixed(Number value) {
    char bytes[sizeof(Number)];
    std::memcpy(bytes, &value, sizeof(Number));
    out_.append(bytes, sizeof(Number));
  }

  // Seven bits a byte, low first, top bit set on all but the last.
  void varint(std::uint64_t value) {
    char bytes[10];
    std::size_t size = 0;
    while (value >= 0x80) {
      bytes[size++] = static_cast<char>(value | 0x80);
      value >>= 7;
    }
    bytes[size++] = static_cast<char>(value);
    out_.append(bytes, size);
  }

  void text(std::string_view value) {
    varint(value.size());
    out_.append(value);
  }

 private:
  std::string& out_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <class Number>
  Number fixed() {
    Number value{};
    if (bytes_.size() < sizeof(Number)) return bad(), value;
    std::memcpy(&value, bytes_.data(), sizeof(Number));
    bytes_.remove_prefix(sizeof(Number));
    return value;
  }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (bytes_.empty()) return bad(), 0;
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if (byte < 0x80) return value;
    }
    return bad(), 0;
  }

  // A varint that must fit 32 bits.
  std::uint32_t varint32() {
    const std::uint64_t value = varint();
    if (value > 0xffffffffU) return bad(), 0;
    return static_cast<std::uint32_t>(value);
  }

  std::string_view text() {
    const std::uint64_t size = varint();
    if (size > bytes_.size()) return bad(), std::string_view{};
    const std::string_view value = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return value;
  }

  [[nodiscard]] std::string_view rest() const { return bytes_; }

  // True when every read so far was within the bytes.
  [[nodiscard]] bool ok() const { return ok_; }

  // True when, beyond that, nothing is left over.
  [[nodiscard]] bool done() const { return ok_ && bytes_.empty(); }

 private:
  void bad() {
    ok_ = false;
    bytes_ = {};
  }

  std::string_view bytes_;
  bool ok_ = true;
};

}  // namespace windrow
