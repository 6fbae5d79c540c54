// SPDX-License-Identifier: Apache-2.0
#include "core/table/arrow_footer.h"

#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>

#include "base/bytes.h"
#include "base/text.h"

namespace windrow {
namespace {

constexpr std::string_view kMagic = "ARROW1";
constexpr std::string_view kOldMagic = "FEA1";  // of Feather V1
constexpr std::string_view kEndOfStream("\xff\xff\xff\xff\0\0\0\0", 8);
constexpr std::uint64_t kHead = 8;  // the magic and two bytes
constexpr std::uint64_t kLengthMax = std::uint64_t{1} << 30U;
constexpr std::uint64_t kNumberMax = std::numeric_limits<std::int64_t>::max();
constexpr std::uint32_t kContinuation = 0xffffffff;

// Places of fields in the tables of the format, and how it tells kinds of messages apart.
constexpr std::size_t kFooterBatches = 3;
constexpr std::size_t kMessageKind = 1;
constexpr std::size_t kMessageHeader = 2;
constexpr std::size_t kBatchLength = 0;
constexpr std::uint8_t kRecordBatch = 3;
constexpr std::size_t kBlockSize = 24;

// Looks into a flatbuffer: positions are from its start, and every look is checked. Nothing is
// found where a position or a length leads out of it.
class Flatbuffer {
 public:
  explicit Flatbuffer(std::string_view bytes) : bytes_(bytes) {}

  template <class Number>
  [[nodiscard]] std::optional<Number> number(std::uint64_t at) const {
    if (at > bytes_.size() || bytes_.size() - at < sizeof(Number)) return std::nullopt;
    Number value{};
    std::memcpy(&value, bytes_.data() + at, sizeof(Number));
    return value;
  }

  // What the offset at this position points to: forward from itself.
  [[nodiscard]] std::optional<std::uint64_t> target(std::uint64_t at) const {
    const auto offset = number<std::uint32_t>(at);
    if (!offset || *offset == 0) return std::nullopt;
    return at + *offset;
  }

  struct Field {
    bool readable = false;  // false: the table leads out of the buffer
    std::uint64_t at = 0;   // 0: the table does not have the field
  };

  // Where a field of the table at `table` stands.
  [[nodiscard]] Field field(std::uint64_t table, std::size_t index) const {
    const auto back = number<std::int32_t>(table);
    if (!back) return {};
    // A position before the start wraps round to one far behind the end.
    const std::uint64_t places = table - static_cast<std::uint64_t>(std::int64_t{*back});
    const auto size = number<std::uint16_t>(places);
    const auto table_size = number<std::uint16_t>(places + sizeof(std::uint16_t));
    if (!size || !table_size || *size < 2 * sizeof(std::uint16_t)) return {};
    const std::size_t place = (2 + index) * sizeof(std::uint16_t);
    if (place + sizeof(std::uint16_t) > *size) return {true, 0};
    const auto offset = number<std::uint16_t>(places + place);
    if (!offset || *offset >= *table_size) return {};
    return {true, *offset == 0 ? 0 : table + *offset};
  }

  // A vector of `count` elements, from `at` on; all within the buffer.
  struct Vector {
    std::uint64_t at = 0;
    std::uint64_t count = 0;
  };
  [[nodiscard]] std::optional<Vector> vector(std::uint64_t field, std::size_t element) const {
    const auto start = target(field);
    const auto count = start ? number<std::uint32_t>(*start) : std::nullopt;
    if (!count) return std::nullopt;
    const std::uint64_t at = *start + sizeof(std::uint32_t);
    if ((bytes_.size() - at) / element < *count) return std::nullopt;
    return Vector{at, *count};
  }

 private:
  std::string_view bytes_;
};

std::unexpected<Error> damaged(std::string_view what, std::string_view why) {
  return fail(ErrorCode::kInvalid, "is a damaged Arrow file: {} {}", what, why);
}

Result<ArrowBlock> read_block(const Flatbuffer& buffer, std::uint64_t at) {
  const auto offset = buffer.number<std::int64_t>(at);
  const auto metadata = buffer.number<std::int32_t>(at + 8);
  const auto body = buffer.number<std::int64_t>(at + 16);  // behind four bytes of nothing
  const bool there = offset && metadata && body;
  if (!there || *offset < static_cast<std::int64_t>(kHead) || *metadata <= 0 || *body < 0) {
    return damaged("its footer", "has a record batch at a place that cannot be");
  }
  const ArrowBlock block{static_cast<std::uint64_t>(*offset),
                         static_cast<std::uint64_t>(*metadata),
                         static_cast<std::uint64_t>(*body)};
  if (block.metadata > kLengthMax || block.metadata > kNumberMax - block.offset ||
      block.body > kNumberMax - block.offset - block.metadata) {
    return damaged("its footer", "has a record batch that is too large");
  }
  return block;
}

// The flatbuffer of a message, without the length in front of it and what fills it up.
Result<std::string_view> message_buffer(std::string_view message) {
  ByteReader reader(message);
  auto length = reader.fixed<std::uint32_t>();
  // Before Arrow 0.15 the mark was not written.
  if (length == kContinuation) length = reader.fixed<std::uint32_t>();
  const std::string_view rest = reader.rest();
  if (!reader.ok() || length == 0 || length > rest.size()) {
    return damaged("a record batch", "has a length that cannot be");
  }
  return rest.substr(0, length);
}

}  // namespace

Result<std::uint64_t> arrow_footer_length(std::string_view tail, std::uint64_t file_size) {
  if (file_size == 0) return fail(ErrorCode::kInvalid, "is not an Arrow file: it is empty");
  const std::uint64_t around = kHead + kArrowTail;
  if (file_size >= around && tail.ends_with(kOldMagic)) {
    return fail(ErrorCode::kInvalid, "is a file of Feather V1; allowed is V2, the Arrow IPC file");
  }
  if (file_size < around || tail.size() < kArrowTail) {
    return fail(ErrorCode::kInvalid, "is not an Arrow file: it has {} bytes", file_size);
  }
  if (tail.ends_with(kEndOfStream)) {
    return fail(ErrorCode::kInvalid,
                "is an Arrow stream; allowed is the Arrow IPC file, as pyarrow.ipc.new_file and "
                "to_feather() write it");
  }
  const std::string_view last = tail.substr(tail.size() - kArrowTail);
  if (!last.ends_with(kMagic)) {
    return fail(ErrorCode::kInvalid,
                "is not an Arrow file, or was cut off: it ends in {} and not in {}",
                in_quotes(last.substr(last.size() - kMagic.size())),
                in_quotes(kMagic));
  }
  const auto length = ByteReader(last).fixed<std::int32_t>();
  if (length <= 0 || static_cast<std::uint64_t>(length) > file_size - around) {
    return fail(ErrorCode::kInvalid,
                "is a damaged Arrow file: its footer should have {} bytes, and it has {} in all",
                length,
                file_size);
  }
  if (static_cast<std::uint64_t>(length) > kLengthMax) {
    return fail(ErrorCode::kInvalid,
                "has a footer that is too large: {}; allowed is {}",
                human_bytes(static_cast<std::uint64_t>(length)),
                human_bytes(kLengthMax));
  }
  return static_cast<std::uint64_t>(length);
}

Result<std::vector<ArrowBlock>> parse_arrow_footer(std::string_view footer) {
  const Flatbuffer buffer(footer);
  const auto root = buffer.target(0);
  const Flatbuffer::Field batches =
      root ? buffer.field(*root, kFooterBatches) : Flatbuffer::Field();
  if (!batches.readable) return damaged("its footer", "leads to places outside of it");
  std::vector<ArrowBlock> blocks;
  if (batches.at == 0) return blocks;
  const auto list = buffer.vector(batches.at, kBlockSize);
  if (!list) return damaged("its footer", "lists more record batches than it holds");
  blocks.reserve(list->count);
  std::uint64_t end = kHead;
  for (std::uint64_t i = 0; i < list->count; ++i) {
    ASSIGN_OR_RETURN(const ArrowBlock block, read_block(buffer, list->at + i * kBlockSize));
    // Else a small file could make somebody read the same bytes a million times.
    if (block.offset < end) return damaged("its footer", "has record batches that overlap");
    end = block.offset + block.metadata + block.body;
    blocks.push_back(block);
  }
  return blocks;
}

Result<std::uint64_t> arrow_batch_rows(std::string_view message) {
  constexpr std::string_view kWhat = "a record batch";
  ASSIGN_OR_RETURN(const std::string_view bytes, message_buffer(message));
  const Flatbuffer buffer(bytes);
  const auto root = buffer.target(0);
  const auto kind_at = root ? buffer.field(*root, kMessageKind) : Flatbuffer::Field();
  const auto header_at = root ? buffer.field(*root, kMessageHeader) : Flatbuffer::Field();
  const auto kind = kind_at.at == 0 ? std::nullopt : buffer.number<std::uint8_t>(kind_at.at);
  const auto header = header_at.at == 0 ? std::nullopt : buffer.target(header_at.at);
  if (!kind || !header) return damaged(kWhat, "leads to places outside of it");
  if (*kind != kRecordBatch) return damaged(kWhat, "is a message of another kind");
  const Flatbuffer::Field length = buffer.field(*header, kBatchLength);
  // What is left out is 0.
  const auto rows =
      length.at == 0 ? std::optional(std::int64_t{0}) : buffer.number<std::int64_t>(length.at);
  if (!length.readable || !rows) return damaged(kWhat, "leads to places outside of it");
  if (*rows < 0) return damaged(kWhat, "has fewer rows than none");
  return static_cast<std::uint64_t>(*rows);
}

}  // namespace windrow
