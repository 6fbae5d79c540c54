// SPDX-License-Identifier: Apache-2.0
//
// Footers and messages of Arrow files in a storm: drawn record batches, written as flatbuffers by a
// writer of its own that lays their parts out in any order, with one fault or none; and the same
// bytes damaged.
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/table/arrow_footer.h"
#include "damage.h"
#include "drawn_value.h"
#include "storm.h"

namespace windrow::sim {
namespace {

constexpr std::uint64_t kMost = INT64_MAX;
constexpr std::uint64_t kLongest = 1U << 30U;

template <class Number>
std::string bytes_of(Number value) {
  std::string out(sizeof(Number), '\0');
  std::memcpy(out.data(), &value, sizeof(Number));
  return out;
}

// A flatbuffer, part by part; what points to what is filled in afterwards.
class Flat {
 public:
  explicit Flat(Random& random) : random_(random) {}

  struct Table {
    std::uint64_t at = 0;
    std::uint64_t places = 0;           // of the list of its fields
    std::vector<std::uint64_t> fields;  // where each stands
  };

  // A part, behind a gap that means nothing.
  std::uint64_t add(const std::string& part) {
    bytes_.append(random_.below(3) * 4, '\x55');
    bytes_ += part;
    return bytes_.size() - part.size();
  }

  // The fields as bytes; an empty one is left out.
  Table add_table(std::vector<std::string> values) {
    while (!values.empty() && values.back().empty() && random_.per_mille(700)) values.pop_back();
    std::string body(4, '\0');
    std::string places;
    std::vector<std::uint64_t> fields;
    for (const std::string& value : values) {
      places += bytes_of(static_cast<std::uint16_t>(value.empty() ? 0 : body.size()));
      fields.push_back(body.size());
      body += value;
    }
    places.insert(0, bytes_of(static_cast<std::uint16_t>(body.size())));
    places.insert(0, bytes_of(static_cast<std::uint16_t>(places.size() + 2)));
    Table out;
    const bool before = random_.per_mille(700);
    if (before) out.places = add(places);
    out.at = add(body);
    if (!before) out.places = add(places);
    set(out.at, static_cast<std::int32_t>(out.at - out.places));
    for (const std::uint64_t field : fields) out.fields.push_back(out.at + field);
    return out;
  }

  template <class Number>
  void set(std::uint64_t at, Number value) {
    bytes_.replace(at, sizeof(Number), bytes_of(value));
  }
  void point(std::uint64_t at, std::uint64_t target) {
    set(at, static_cast<std::uint32_t>(target - at));
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  Random& random_;
  std::string bytes_ = std::string(4, '\0');
};

// What may be wrong, and what is said of it.
struct Fault {
  std::string name;
  std::string message;
};
const std::string kOutside = "leads to places outside of it";
const std::string kPlace = "has a record batch at a place that cannot be";
const std::string kLarge = "has a record batch that is too large";
const std::string kMore = "lists more record batches than it holds";
const std::string kLength = "has a length that cannot be";

const std::vector<Fault> kFooterFaults = {
    {"root", kOutside},
    {"back", kOutside},
    {"few places", kOutside},
    {"field behind its table", kOutside},
    {"list", kMore},
    {"list far away", kMore},
    {"count", kMore},
    {"offset", kPlace},
    {"metadata", kPlace},
    {"body", kPlace},
    {"large metadata", kLarge},
    {"large offset", kLarge},
    {"large body", kLarge},
    {"overlap", "has record batches that overlap"},
};
const std::vector<Fault> kMessageFaults = {
    {"root", kOutside},
    {"back", kOutside},
    {"few places", kOutside},
    {"no kind", kOutside},
    {"kind far away", kOutside},
    {"no header", kOutside},
    {"header", kOutside},
    {"header far away", kOutside},
    {"rows far away", kOutside},
    {"other kind", "is a message of another kind"},
    {"rows", "has fewer rows than none"},
    {"length", kLength},
    {"no length", kLength},
};

class ArrowStorm {
 public:
  explicit ArrowStorm(std::uint64_t seed) : random_(seed) {}

 protected:
  bool maybe(std::uint32_t per_mille) { return random_.per_mille(per_mille); }
  [[nodiscard]] bool faulty(std::string_view name) const {
    return fault_ != nullptr && fault_->name == name;
  }
  void draw_fault(const std::vector<Fault>& faults) {
    if (maybe(600)) fault_ = &faults[random_.below(faults.size())];
  }

  void break_table(Flat& flat, const Flat::Table& table) {
    const auto end = static_cast<std::uint32_t>(flat.bytes().size());
    if (faulty("root")) flat.set(0, maybe(500) ? 0U : end + random_.between(0, 99));
    if (faulty("back")) {
      const auto far = static_cast<std::int32_t>(end + random_.between(0, 99));
      flat.set(table.at, maybe(500) ? far : -far);
    }
    if (faulty("few places")) {
      flat.set(table.places, static_cast<std::uint16_t>(random_.below(4)));
    }
  }

  template <class Value>
  void judge(const Result<Value>& read, const Value& drawn) {
    if (fault_ == nullptr) {
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_EQ(*read, drawn);
      return;
    }
    ASSERT_FALSE(read) << fault_->name;
    const std::string& message = read.error().message;
    EXPECT_TRUE(message.starts_with("is a damaged Arrow file: ")) << message;
    EXPECT_TRUE(message.ends_with(fault_->message)) << fault_->name << ": " << message;
  }

  Random random_;
  const Fault* fault_ = nullptr;  // none
};

class FooterStorm : public ArrowStorm {
 public:
  using ArrowStorm::ArrowStorm;

  void run() {
    draw_fault(kFooterFaults);
    const std::string footer = draw_footer();
    judge(parse_arrow_footer(footer), blocks_);
    judge_damage(damaged(random_, footer));
    judge_tail(static_cast<std::int32_t>(footer.size()));
  }

 private:
  std::string draw_footer() {
    draw_blocks();
    Flat flat(random_);
    const std::string version = maybe(700) ? bytes_of(std::int16_t{4}) : "";
    const std::string schema = maybe(700) ? bytes_of(std::uint32_t{0}) : "";
    const bool listed = fault_ != nullptr || !blocks_.empty() || maybe(500);
    const std::string batches = listed ? bytes_of(std::uint32_t{0}) : "";
    const Flat::Table root = flat.add_table({version, schema, schema, batches});
    flat.point(0, root.at);
    std::string list = bytes_of(static_cast<std::uint32_t>(blocks_.size()));
    for (const ArrowBlock& block : blocks_) {
      list += bytes_of(block.offset) + bytes_of(static_cast<std::int32_t>(block.metadata)) +
              "none" + bytes_of(block.body);
    }
    const std::uint64_t at = flat.add(list);
    if (listed) flat.point(root.fields[3], at);
    if (fault_ != nullptr) break_list(flat, root, at);
    if (fault_ != nullptr) break_block(flat, at + 4 + 24 * random_.below(blocks_.size()));
    return flat.bytes();
  }

  void draw_blocks() {
    std::uint64_t end = 8;
    const std::uint32_t count = fault_ != nullptr ? random_.between(2, 5) : random_.between(0, 30);
    for (std::uint32_t i = 0; i < count; ++i) {
      const ArrowBlock block{
          end + random_.below(3) * 8, 1 + random_.below(500), random_.below(2) * 1000};
      end = block.offset + block.metadata + block.body;
      blocks_.push_back(block);
    }
    if (fault_ == nullptr && count > 0 && maybe(200)) {  // as far as it may reach
      ArrowBlock& last = blocks_.back();
      last.metadata = kLongest;
      last.body = kMost - last.offset - last.metadata;
    }
  }

  void break_list(Flat& flat, const Flat::Table& root, std::uint64_t list) {
    break_table(flat, root);
    const auto far = static_cast<std::uint32_t>(flat.bytes().size() + random_.between(0, 99));
    if (faulty("field behind its table")) {
      const std::uint64_t size = root.fields[3] + 4 - root.at;
      flat.set(root.places + 10, static_cast<std::uint16_t>(size + random_.below(3) * 20'000));
    }
    if (faulty("list")) flat.set(root.fields[3], 0U);
    if (faulty("list far away")) flat.set(root.fields[3], far);
    if (faulty("count")) {
      const auto more = static_cast<std::uint32_t>(blocks_.size() + 1);
      flat.set(list, maybe(500) ? more : UINT32_MAX);
    }
    if (faulty("overlap")) {  // the second begins where the first does, or a byte too early
      const std::uint64_t end = blocks_[0].offset + blocks_[0].metadata + blocks_[0].body;
      flat.set(list + 4 + 24, maybe(500) ? end - 1 : blocks_[0].offset);
    }
  }

  void break_block(Flat& flat, std::uint64_t at) {
    if (faulty("offset")) flat.set(at, std::int64_t{maybe(500) ? 7 : -8});
    if (faulty("metadata")) flat.set(at + 8, std::int32_t{maybe(500) ? 0 : -1});
    if (faulty("body")) flat.set(at + 16, std::int64_t{-1});
    if (faulty("large metadata")) flat.set(at + 8, static_cast<std::int32_t>(kLongest + 1));
    if (faulty("large offset")) flat.set(at, kMost);
    if (faulty("large body")) flat.set(at + 16, kMost);
  }

  static void judge_damage(const std::string& footer) {
    const auto blocks = parse_arrow_footer(footer);
    if (!blocks) {
      EXPECT_FALSE(blocks.error().message.empty());
      return;
    }
    EXPECT_LE(blocks->size(), footer.size() / 24);
    std::uint64_t end = 8;
    for (const ArrowBlock& block : *blocks) {
      EXPECT_GE(block.offset, end);
      EXPECT_GT(block.metadata, 0U);
      EXPECT_LE(block.metadata, kLongest);
      end = block.offset + block.metadata + block.body;
      ASSERT_LE(end, kMost);
    }
  }

  void judge_tail(std::int32_t length) {
    const std::string magic =
        draw_from(random_, {"ARROW1", "ARROW1", "ARROW1", "xxFEA1", "a,b,c\n"});
    if (maybe(300)) {
      constexpr std::int32_t kEdges[] = {0, -1, 1, 1 << 30, (1 << 30) + 1, INT32_MIN, INT32_MAX};
      length = kEdges[random_.below(std::size(kEdges))];
    }
    std::string tail = (maybe(300) ? "before" : "") + bytes_of(length) + magic;
    const std::uint64_t footer = length > 0 ? static_cast<std::uint64_t>(length) : 0;
    const std::uint64_t size = footer + 18 + random_.below(3) * 1000 - (maybe(150) ? 1 : 0);
    const bool short_tail = maybe(100);
    if (short_tail) tail = tail.substr(tail.size() - random_.below(10));
    const bool fits = footer > 0 && footer + 18 <= size && footer <= kLongest;
    const auto read = arrow_footer_length(tail, size);
    ASSERT_EQ(read.has_value(), fits && magic == "ARROW1" && !short_tail) << length << " " << size;
    if (read) {
      EXPECT_EQ(*read, footer);
    } else {
      EXPECT_FALSE(read.error().message.empty());
      EXPECT_EQ(read.error().message.find("Feather V1") != std::string::npos,
                tail.ends_with("FEA1") && size >= 18);
    }
    EXPECT_FALSE(arrow_footer_length("", 0));
    EXPECT_FALSE(arrow_footer_length(tail, random_.below(18)));
  }

  std::vector<ArrowBlock> blocks_;
};

class MessageStorm : public ArrowStorm {
 public:
  using ArrowStorm::ArrowStorm;

  void run() {
    draw_fault(kMessageFaults);
    const std::string message = draw_message();
    judge(arrow_batch_rows(message), rows_);
    const auto rows = arrow_batch_rows(damaged(random_, message));
    EXPECT_TRUE(rows ? *rows <= kMost : !rows.error().message.empty());
    if (fault_ != nullptr) return;
    const auto cut = arrow_batch_rows(message.substr(0, random_.below(size_)));
    ASSERT_FALSE(cut);
    EXPECT_TRUE(cut.error().message.ends_with(kLength)) << cut.error().message;
  }

 private:
  std::string draw_message() {
    Flat flat(random_);
    const std::string version = maybe(700) ? bytes_of(std::int16_t{4}) : "";
    const std::string kind = faulty("no kind") ? "" : std::string(1, '\x03');
    const std::string offset = faulty("no header") ? "" : bytes_of(std::uint32_t{0});
    const Flat::Table root = flat.add_table({version, kind, offset, bytes_of(std::int64_t{99})});
    flat.point(0, root.at);
    const bool left_out = fault_ == nullptr && maybe(200);
    rows_ = left_out ? 0 : random_.next() >> (1 + random_.below(63));
    const Flat::Table header =
        flat.add_table({left_out ? "" : bytes_of(rows_), bytes_of(std::uint32_t{1})});
    if (!offset.empty()) flat.point(root.fields[2], header.at);
    break_table(flat, maybe(500) || faulty("root") ? root : header);
    break_fields(flat, root, header);
    std::string fill(random_.below(8), '\0');
    auto length = static_cast<std::uint32_t>(flat.bytes().size());
    if (maybe(500)) length += static_cast<std::uint32_t>(fill.size());
    if (faulty("no length")) length = 0;
    if (faulty("length")) length += 8 + random_.between(0, 9);
    const std::string mark = maybe(700) ? "\xff\xff\xff\xff" : "";
    size_ = mark.size() + 4 + length;
    return mark + bytes_of(length) + flat.bytes() + fill;
  }

  void break_fields(Flat& flat, const Flat::Table& root, const Flat::Table& header) {
    const auto far = static_cast<std::uint32_t>(flat.bytes().size() + random_.between(0, 99));
    const auto set_place = [&](const Flat::Table& table, std::uint64_t field) {
      flat.set(table.places + 2, std::uint16_t{0xffff});
      flat.set(table.places + 4 + 2 * field, static_cast<std::uint16_t>(far));
    };
    if (faulty("kind far away")) set_place(root, 1);
    if (faulty("rows far away")) set_place(header, 0);
    if (faulty("header")) flat.set(root.fields[2], 0U);
    if (faulty("header far away")) flat.set(root.fields[2], far);
    if (faulty("other kind")) flat.set(root.fields[1], static_cast<std::uint8_t>(random_.below(3)));
    if (faulty("rows")) flat.set(header.fields[0], std::int64_t{maybe(500) ? -1 : INT64_MIN});
  }

  std::uint64_t rows_ = 0;
  std::size_t size_ = 0;
};

TEST(ArrowStorm, BlocksAreReadAsTheyWereDrawnAndAFaultRefused) { play_storms<FooterStorm>(2000); }

TEST(ArrowStorm, RowsOfABatchAreReadAsTheyWereDrawn) { play_storms<MessageStorm>(2000); }

}  // namespace
}  // namespace windrow::sim
