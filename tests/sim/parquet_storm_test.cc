// SPDX-License-Identifier: Apache-2.0
//
// Footers of Parquet files in a storm: drawn row groups, written as Thrift by a writer of its own
// among fields of every other kind, with one fault or none; and the same bytes damaged.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/table/parquet_footer.h"
#include "damage.h"
#include "drawn_value.h"
#include "storm.h"

namespace windrow::sim {
namespace {

constexpr std::int64_t kMost = INT64_MAX;

// As the definition of the compact protocol has them.
enum Type : std::uint8_t {
  kTrue = 1,
  kFalse = 2,
  kByte = 3,
  kI16 = 4,
  kI64 = 6,
  kDouble = 7,
  kBinary = 8,
  kList = 9,
  kSet = 10,
  kMap = 11,
  kStruct = 12,
  kUuid = 13,
};
constexpr std::uint64_t kTypes = kUuid;

std::string varint(std::uint64_t value) {
  std::string out;
  for (; value > 127; value >>= 7U) out += static_cast<char>(value % 128 + 128);
  return out + static_cast<char>(value);
}

std::string zigzag(std::int64_t value) {
  const std::uint64_t twice = static_cast<std::uint64_t>(value < 0 ? ~value : value) * 2;
  return varint(value < 0 ? twice + 1 : twice);
}

// A struct, field by field; the numbers of fields in the short form where they can be.
class Struct {
 public:
  explicit Struct(Random& random) : random_(random) {}

  void add(std::int64_t field, std::uint8_t type, const std::string& value) {
    const std::int64_t step = field - last_;
    const bool near = step >= 1 && step <= 15 && random_.per_mille(900);
    bytes_ += static_cast<char>((near ? step * 16 : 0) + type);
    if (!near) bytes_ += zigzag(field);
    bytes_ += value;
    last_ = field;
  }
  [[nodiscard]] std::string end() const { return bytes_ + '\0'; }

 private:
  Random& random_;
  std::string bytes_;
  std::int64_t last_ = 0;
};

// What may be wrong, and what is said of it.
struct Fault {
  std::string name;
  std::string message;
};
const std::vector<Fault> kFaults = {
    {"total", "and its footer says "},
    {"no rows", "it does not say which rows there are"},
    {"no groups", "it does not say which rows there are"},
    {"groups twice", "it lists its row groups twice"},
    {"rows below zero", "a size is below zero"},
    {"bytes below zero", "a size is below zero"},
    {"group without rows", "a row group does not say how many rows it has"},
    {"other file", "its columns lie in other files"},
    {"rows of another type", "a number is something else"},
    {"groups of another type", "a list is something else"},
    {"groups of numbers", "a list holds something else"},
    {"too many rows", "its sizes do not add up to a number"},
    {"too many bytes", "its sizes do not add up to a number"},
    {"too many bytes of columns", "its sizes do not add up to a number"},
    {"deep structs", "it is nested too deep"},
    {"deep lists", "it is nested too deep"},
    {"deep maps", "it is nested too deep"},
    {"strange type", "unknown type"},
    {"strange type in a list", "unknown type"},
    {"list of nothing", "a list holds nothing that can be"},
    {"map of nothing", "a map holds nothing that can be"},
    {"map to nothing", "a map holds nothing that can be"},
    {"field 0", "a field has a number that cannot be"},
    {"field too high", "a field has a number that cannot be"},
    {"long list", "a list is longer than the footer"},
    {"long map", "a list is longer than the footer"},
    {"long text", "it ends before it should"},
};

class FooterStorm {
 public:
  explicit FooterStorm(std::uint64_t seed) : random_(seed) {}

  void run() {
    if (random_.per_mille(600)) fault_ = &kFaults[random_.below(kFaults.size())];
    const std::string footer = draw_file();
    judge(footer);
    judge_damage(damaged(random_, footer));
    judge_tail(footer.size());
  }

 private:
  bool maybe(std::uint32_t per_mille) { return random_.per_mille(per_mille); }
  [[nodiscard]] bool faulty(std::string_view name) const {
    return fault_ != nullptr && fault_->name == name;
  }

  void judge(const std::string& footer) {
    const auto groups = parse_parquet_footer(footer);
    if (fault_ != nullptr) {
      ASSERT_FALSE(groups) << fault_->name;
      const std::string& message = groups.error().message;
      EXPECT_NE(message.find(fault_->message), std::string::npos) << fault_->name << message;
      return;
    }
    ASSERT_TRUE(groups) << groups.error().message;
    EXPECT_EQ(*groups, groups_);
    // What stands behind it is not ours to judge; what is missing is missed.
    EXPECT_EQ(parse_parquet_footer(footer + "signature").value_or(std::vector<RowGroup>(999)),
              groups_);
    const auto cut = parse_parquet_footer(footer.substr(0, random_.below(footer.size())));
    ASSERT_FALSE(cut);
    EXPECT_TRUE(cut.error().message.starts_with("has a footer that cannot be read: "));
  }

  static void judge_damage(const std::string& footer) {
    const auto groups = parse_parquet_footer(footer);
    if (!groups) {
      EXPECT_FALSE(groups.error().message.empty());
      return;
    }
    EXPECT_LE(groups->size(), footer.size());
    std::uint64_t rows = 0;
    std::uint64_t bytes = 0;
    for (const RowGroup& group : *groups) {
      rows += group.rows;
      bytes += group.bytes;
      ASSERT_LE(rows, kMost);
      ASSERT_LE(bytes, kMost);
    }
  }

  void judge_tail(std::uint64_t length) {
    const std::string magic = draw_from(random_, {"PAR1", "PAR1", "PAR1", "PARE", "a,b\n"});
    if (maybe(200)) length = draw_length();
    std::string tail = maybe(300) ? "before" : "";
    for (int i = 0; i < 4; ++i) tail += static_cast<char>(length >> (8 * i) & 255U);
    tail += magic;
    const std::uint64_t size = length + 12 + random_.below(3) * 1000 - (maybe(150) ? 1 : 0);
    const bool short_tail = maybe(100);
    if (short_tail) tail = tail.substr(tail.size() - random_.below(8));
    const bool fits = length > 0 && length + 12 <= size && length <= 1U << 30U;
    const auto read = parquet_footer_length(tail, size);
    ASSERT_EQ(read.has_value(), fits && magic == "PAR1" && !short_tail) << length << " " << size;
    if (read) {
      EXPECT_EQ(*read, length);
    } else {
      EXPECT_FALSE(read.error().message.empty());
      EXPECT_EQ(read.error().message.find("encrypted") != std::string::npos,
                magic == "PARE" && !short_tail && size >= 12);
    }
    EXPECT_FALSE(parquet_footer_length("", 0));
    EXPECT_FALSE(parquet_footer_length(tail, random_.below(12)));
  }

  std::uint64_t draw_length() {
    return maybe(500) ? random_.below(2) : (1U << 30U) - 1 + random_.below(3);
  }

  std::string list_head(std::uint8_t type, std::uint64_t size) {
    if (size < 15 && maybe(800)) return {static_cast<char>(size * 16 + type)};
    return static_cast<char>(0xf0 + type) + varint(size);
  }

  // A value of the type, as it stands in a list where `element`.
  std::string draw_any(std::uint8_t type, int depth, bool element) {
    switch (type) {
      case kTrue:
      case kFalse:
        return element ? std::string(1, static_cast<char>(1 + random_.below(2))) : "";
      case kByte:
        return {static_cast<char>(random_.below(256))};
      case kDouble:
        return std::string(8, 'd');
      case kUuid:
        return std::string(16, 'u');
      case kBinary: {
        const std::string text(random_.below(20), 't');
        return varint(text.size()) + text;
      }
      case kList:
      case kSet:
        return draw_list(depth);
      case kMap:
        return draw_map(depth);
      case kStruct: {
        Struct out(random_);
        for (std::uint32_t i = random_.between(0, 3); i > 0; --i) add_any(out, depth + 1);
        return out.end();
      }
      default:
        return zigzag(static_cast<std::int64_t>(random_.next()) >> random_.below(64));
    }
  }

  std::uint8_t draw_type(int depth) {
    const auto type = static_cast<std::uint8_t>(1 + random_.below(kTypes));
    const bool deep = type == kList || type == kSet || type == kMap || type == kStruct;
    return deep && depth > 4 ? std::uint8_t{kI16} : type;
  }

  std::string draw_list(int depth) {
    const std::uint8_t type = draw_type(depth + 1);
    const std::uint64_t count = random_.below(maybe(100) ? 30 : 4);
    std::string out = list_head(type, count);
    for (std::uint64_t i = 0; i < count; ++i) out += draw_any(type, depth + 1, true);
    return out;
  }

  std::string draw_map(int depth) {
    const std::uint64_t count = random_.below(3);
    std::string out = varint(count);
    if (count == 0) return out;
    const std::uint8_t key = draw_type(depth + 1);
    const std::uint8_t value = draw_type(depth + 1);
    out += static_cast<char>(key * 16 + value);
    for (std::uint64_t i = 0; i < count; ++i) {
      out += draw_any(key, depth + 1, true) + draw_any(value, depth + 1, true);
    }
    return out;
  }

  // A field that nobody here knows.
  void add_any(Struct& out, int depth) {
    const std::uint8_t type = draw_type(depth);
    const std::int64_t field = maybe(100) ? 32767 : random_.between(20, 60);
    out.add(field, type, draw_any(type, depth, false));
  }

  // One of the faults that may stand in any struct, if it is that.
  void add_fault(Struct& out) {
    const auto repeated = [](const std::string& part) {
      std::string all;
      for (int i = 0; i < 40; ++i) all += part;
      return all;
    };
    const std::string huge = varint(UINT64_MAX);
    if (faulty("deep structs")) out.add(20, kStruct, std::string(40, '\x1c'));
    if (faulty("deep lists")) out.add(20, kList, std::string(40, '\x19'));
    if (faulty("deep maps")) out.add(20, kMap, repeated("\x01\x3b\x05"));
    if (faulty("strange type")) out.add(20, static_cast<std::uint8_t>(14 + random_.below(2)), "");
    if (faulty("strange type in a list")) out.add(20, kSet, "\x1e");
    if (faulty("list of nothing")) out.add(20, kList, std::string("\x10\x05", 2));
    if (faulty("map of nothing")) out.add(20, kMap, "\x01\x03\x05\x05");
    if (faulty("map to nothing")) out.add(20, kMap, "\x01\x30\x05\x05");
    if (faulty("field 0")) out.add(-static_cast<std::int64_t>(random_.below(3)), kByte, "b");
    if (faulty("field too high")) out.add(32768 + random_.between(0, 9), kByte, "b");
    if (faulty("long list")) out.add(20, kList, "\xf3" + huge);
    if (faulty("long map")) out.add(20, kMap, huge + "\x33");
    if (faulty("long text")) out.add(20, kBinary, huge);
  }

  std::string draw_column(std::int64_t bytes) {
    Struct metadata(random_);
    if (maybe(300)) add_any(metadata, 3);
    metadata.add(7, kI64, zigzag(bytes));
    Struct column(random_);
    if (faulty("other file")) column.add(1, kBinary, "\x01x");
    if (maybe(50)) column.add(3, kByte, "b");  // no metadata: of another version
    column.add(3, kStruct, metadata.end());
    if (maybe(100)) add_any(column, 3);
    return column.end();
  }

  // The bytes stand at the group, at its columns, or at both.
  std::string draw_group() {
    RowGroup group{random_.below(1000), random_.below(100'000)};
    if (faulty("too many rows")) group.rows = kMost - random_.below(2);
    if (faulty("too many bytes")) group.bytes = kMost - random_.below(2);
    Struct out(random_);
    const bool columns = maybe(500) || faulty("other file") || faulty("too many bytes of columns");
    if (columns) {
      const bool giant = faulty("too many bytes of columns");
      std::string list = list_head(kStruct, 2);
      list += draw_column(giant ? kMost : 1);
      list += draw_column(static_cast<std::int64_t>(group.bytes));
      out.add(1, kList, list);
    }
    if (maybe(300)) add_any(out, 2);
    const std::int64_t rows =
        faulty("rows below zero") ? -1 : static_cast<std::int64_t>(group.rows);
    if (!faulty("group without rows")) out.add(3, kI64, zigzag(rows));
    if (faulty("bytes below zero")) {
      out.add(6, kI64, zigzag(-5));
    } else if (!columns || maybe(300)) {
      out.add(6, kI64, zigzag(static_cast<std::int64_t>(group.bytes)));
      if (columns && group.bytes == 0) group.bytes = 1;  // 0 says nothing
    } else {
      group.bytes += 1;
    }
    groups_.push_back(group);
    return out.end();
  }

  // Groups first, as nobody writes it, or last.
  std::string draw_file() {
    std::uint64_t rows = faulty("total") ? 1 : 0;
    const std::uint32_t count = fault_ != nullptr ? random_.between(2, 4) : random_.between(0, 20);
    std::string list = list_head(faulty("groups of numbers") ? kI16 : kStruct, count);
    for (std::uint32_t i = 0; i < count; ++i) {
      list += draw_group();
      rows += groups_.back().rows;
    }
    if (faulty("too many rows")) rows = 5;  // their sum is none
    Struct out(random_);
    if (maybe(700)) out.add(1, kI16, zigzag(2));
    if (maybe(500)) add_any(out, 1);
    if (maybe(500)) add_fault(out);
    const auto add_rows = [&] {
      const std::string total = zigzag(static_cast<std::int64_t>(rows));
      const bool other = faulty("rows of another type");
      if (!faulty("no rows")) out.add(3, other ? kI16 : kI64, total);
    };
    const bool first = maybe(700);
    if (first) add_rows();
    if (!faulty("no groups")) out.add(4, faulty("groups of another type") ? kSet : kList, list);
    if (faulty("groups twice")) out.add(4, kList, list);
    if (!first) add_rows();
    if (maybe(300)) add_any(out, 1);
    add_fault(out);
    return out.end();
  }

  Random random_;
  const Fault* fault_ = nullptr;  // none
  std::vector<RowGroup> groups_;
};

TEST(ParquetStorm, RowGroupsAreReadAsTheyWereDrawnAndAFaultRefused) {
  play_storms<FooterStorm>(2000);
}

}  // namespace
}  // namespace windrow::sim
