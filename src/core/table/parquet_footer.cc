// SPDX-License-Identifier: Apache-2.0
#include "core/table/parquet_footer.h"

#include <limits>
#include <optional>

#include "base/bytes.h"
#include "base/text.h"

namespace windrow {
namespace {

constexpr std::string_view kMagic = "PAR1";
constexpr std::string_view kEncryptedMagic = "PARE";
constexpr std::uint64_t kFooterMax = std::uint64_t{1} << 30U;
constexpr std::int64_t kNumberMax = std::numeric_limits<std::int64_t>::max();
constexpr int kDepthMax = 32;  // the format itself nests eight levels

// What may stand behind the header of a field or of a list.
enum class Wire : std::uint8_t {
  kStop = 0,
  kTrue = 1,
  kFalse = 2,
  kByte = 3,
  kI16 = 4,
  kI32 = 5,
  kI64 = 6,
  kDouble = 7,
  kBinary = 8,
  kList = 9,
  kSet = 10,
  kMap = 11,
  kStruct = 12,
  kUuid = 13,
};

// Reads Thrift's compact protocol. As with ByteReader, the first thing that cannot be is kept, what
// is read afterwards is nothing, and one check at the end is enough.
class CompactReader {
 public:
  explicit CompactReader(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] bool ok() const { return bytes_.ok() && problem_.empty(); }
  [[nodiscard]] std::string_view problem() const {
    return problem_.empty() ? "it ends before it should" : problem_;
  }
  void refuse(std::string_view problem) {
    if (ok()) problem_ = problem;
  }

  // Calls read(field, type) for each field; the value is skipped where that returns false.
  template <class Read>
  void structure(Read read) {
    if (!enter()) return;
    std::int64_t field = 0;
    while (ok()) {
      const auto head = bytes_.fixed<std::uint8_t>();
      const Wire type = wire_type(head & 0x0fU);
      if (type == Wire::kStop) break;
      // The step from the last field, or in a number of its own where that is far.
      const std::int64_t step = head >> 4U;
      field = step != 0 ? field + step : zigzag();
      if (field < 1 || field > std::numeric_limits<std::int16_t>::max()) {
        refuse("a field has a number that cannot be");
      }
      if (ok() && !read(field, type)) skip(type);
    }
    depth_ -= 1;
  }

  // Calls read() for each struct of a list.
  template <class Read>
  void structures(Wire type, Read read) {
    if (type != Wire::kList) return refuse("a list is something else");
    const ListHead list = list_head();
    if (list.size > 0 && list.type != Wire::kStruct) return refuse("a list holds something else");
    for (std::uint64_t i = 0; i < list.size && ok(); ++i) read();
  }

  // A number that counts something. REQUIRES: right behind the header of its field.
  std::int64_t count(Wire type) {
    if (type != Wire::kI64) return refuse("a number is something else"), 0;
    const std::int64_t value = zigzag();
    if (value < 0) return refuse("a size is below zero"), 0;
    return value;
  }

 private:
  struct ListHead {
    std::uint64_t size = 0;
    Wire type = Wire::kStop;
  };

  bool enter() {
    if (depth_ == kDepthMax) refuse("it is nested too deep");
    if (!ok()) return false;
    depth_ += 1;
    return true;
  }

  Wire wire_type(unsigned bits) {
    if (bits > static_cast<unsigned>(Wire::kUuid)) return refuse("unknown type"), Wire::kStop;
    return static_cast<Wire>(bits);
  }

  std::int64_t zigzag() {
    const std::uint64_t value = bytes_.varint();
    return static_cast<std::int64_t>(value >> 1U ^ (0 - (value & 1U)));
  }

  ListHead list_head() {
    const auto head = bytes_.fixed<std::uint8_t>();
    const std::uint64_t size = head >> 4U == 0x0fU ? bytes_.varint() : head >> 4U;
    const Wire type = wire_type(head & 0x0fU);
    if (size > 0 && type == Wire::kStop) refuse("a list holds nothing that can be");
    return {checked(size), type};
  }

  // Every element takes a byte or more, so that a list cannot promise more than is there.
  std::uint64_t checked(std::uint64_t size) {
    if (size <= bytes_.rest().size()) return size;
    return refuse("a list is longer than the footer"), 0;
  }

  void skip_list() {
    const ListHead list = list_head();
    if (!enter()) return;
    for (std::uint64_t i = 0; i < list.size && ok(); ++i) skip_element(list.type);
    depth_ -= 1;
  }

  void skip_map() {
    const std::uint64_t pairs = bytes_.varint();
    if (pairs == 0) return;
    const auto types = bytes_.fixed<std::uint8_t>();
    const Wire key = wire_type(types >> 4U);
    const Wire value = wire_type(types & 0x0fU);
    if (key == Wire::kStop || value == Wire::kStop) refuse("a map holds nothing that can be");
    const std::uint64_t size = checked(pairs);
    if (!enter()) return;
    for (std::uint64_t i = 0; i < size && ok(); ++i) {
      skip_element(key);
      skip_element(value);
    }
    depth_ -= 1;
  }

  // A flag is a byte of its own in a list, and part of the header in a struct.
  void skip_element(Wire type) {
    const bool flag = type == Wire::kTrue || type == Wire::kFalse;
    skip(flag ? Wire::kByte : type);
  }

  void skip(Wire type) {
    switch (type) {
      case Wire::kStop:
      case Wire::kTrue:
      case Wire::kFalse:
        return;
      case Wire::kByte:
        bytes_.fixed<std::uint8_t>();
        return;
      case Wire::kI16:
      case Wire::kI32:
      case Wire::kI64:
        bytes_.varint();
        return;
      case Wire::kDouble:
        bytes_.fixed<std::uint64_t>();
        return;
      case Wire::kBinary:
        bytes_.text();
        return;
      case Wire::kList:
      case Wire::kSet:
        return skip_list();
      case Wire::kMap:
        return skip_map();
      case Wire::kStruct:
        return structure([](std::int64_t /*field*/, Wire /*type*/) { return false; });
      case Wire::kUuid:
        bytes_.fixed<std::uint64_t>();
        bytes_.fixed<std::uint64_t>();
        return;
    }
  }

  ByteReader bytes_;
  std::string_view problem_;
  int depth_ = 0;
};

// The numbers of fields, from the definition of the format.
constexpr std::int64_t kFileRows = 3;
constexpr std::int64_t kFileGroups = 4;
constexpr std::int64_t kGroupColumns = 1;
constexpr std::int64_t kGroupRows = 3;
constexpr std::int64_t kGroupBytes = 6;
constexpr std::int64_t kColumnFile = 1;
constexpr std::int64_t kColumnMetadata = 3;
constexpr std::int64_t kMetadataBytes = 7;

void add(std::int64_t& sum, std::int64_t more, CompactReader& in) {
  if (more > kNumberMax - sum) return in.refuse("its sizes do not add up to a number");
  sum += more;
}

std::int64_t read_column_bytes(CompactReader& in) {
  std::int64_t bytes = 0;
  in.structure([&](std::int64_t field, Wire type) {
    if (field == kColumnFile) in.refuse("its columns lie in other files");
    if (field != kColumnMetadata || type != Wire::kStruct) return false;
    in.structure([&](std::int64_t part, Wire part_type) {
      if (part != kMetadataBytes) return false;
      bytes = in.count(part_type);
      return true;
    });
    return true;
  });
  return bytes;
}

RowGroup read_group(CompactReader& in) {
  std::optional<std::int64_t> rows;
  std::int64_t group_bytes = 0;
  std::int64_t column_bytes = 0;
  in.structure([&](std::int64_t field, Wire type) {
    if (field == kGroupColumns) {
      column_bytes = 0;
      in.structures(type, [&] { add(column_bytes, read_column_bytes(in), in); });
    } else if (field == kGroupRows) {
      rows = in.count(type);
    } else if (field == kGroupBytes) {
      group_bytes = in.count(type);
    } else {
      return false;
    }
    return true;
  });
  if (!rows) in.refuse("a row group does not say how many rows it has");
  const std::int64_t bytes = group_bytes > 0 ? group_bytes : column_bytes;
  return {static_cast<std::uint64_t>(rows.value_or(0)), static_cast<std::uint64_t>(bytes)};
}

}  // namespace

Result<std::uint64_t> parquet_footer_length(std::string_view tail, std::uint64_t file_size) {
  if (file_size == 0) return fail(ErrorCode::kInvalid, "is not a Parquet file: it is empty");
  const std::uint64_t around = kMagic.size() + kParquetTail;
  if (file_size < around || tail.size() < kParquetTail) {
    return fail(ErrorCode::kInvalid, "is not a Parquet file: it has {} bytes", file_size);
  }
  const std::string_view last = tail.substr(tail.size() - kParquetTail);
  const std::string_view magic = last.substr(last.size() - kMagic.size());
  if (magic == kEncryptedMagic) {
    return fail(ErrorCode::kInvalid,
                "is an encrypted Parquet file; allowed are those that are not");
  }
  if (magic != kMagic) {
    return fail(ErrorCode::kInvalid,
                "is not a Parquet file, or was cut off: it ends in {} and not in {}",
                in_quotes(magic),
                in_quotes(kMagic));
  }
  const std::uint64_t length = ByteReader(last).fixed<std::uint32_t>();
  if (length == 0 || length > file_size - around) {
    return fail(ErrorCode::kInvalid,
                "is a damaged Parquet file: its footer should have {} bytes, and it has {} in all",
                length,
                file_size);
  }
  if (length > kFooterMax) {
    return fail(ErrorCode::kInvalid,
                "has a footer that is too large: {}; allowed is {}",
                human_bytes(length),
                human_bytes(kFooterMax));
  }
  return length;
}

Result<std::vector<RowGroup>> parse_parquet_footer(std::string_view footer) {
  CompactReader in(footer);
  std::vector<RowGroup> groups;
  std::optional<std::int64_t> rows;
  bool has_groups = false;
  in.structure([&](std::int64_t field, Wire type) {
    if (field == kFileRows) {
      rows = in.count(type);
      return true;
    }
    if (field != kFileGroups) return false;
    if (has_groups) in.refuse("it lists its row groups twice");
    has_groups = true;
    in.structures(type, [&] { groups.push_back(read_group(in)); });
    return true;
  });
  if (!rows || !has_groups) in.refuse("it does not say which rows there are");
  std::int64_t rows_sum = 0;
  std::int64_t bytes_sum = 0;
  for (const RowGroup& group : groups) {
    add(rows_sum, static_cast<std::int64_t>(group.rows), in);
    add(bytes_sum, static_cast<std::int64_t>(group.bytes), in);
  }
  if (!in.ok()) {
    return fail(ErrorCode::kInvalid, "has a footer that cannot be read: {}", in.problem());
  }
  if (rows_sum != *rows) {
    return fail(ErrorCode::kInvalid,
                "is a damaged Parquet file: its row groups have {} rows, and its footer says {}",
                rows_sum,
                *rows);
  }
  return groups;
}

}  // namespace windrow
