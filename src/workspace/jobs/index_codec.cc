// SPDX-License-Identifier: Apache-2.0
#include "workspace/jobs/index_codec.h"

#include <bit>
#include <concepts>
#include <utility>

#include "base/bytes.h"

namespace windrow {
namespace {

constexpr std::uint64_t kListMax = 1U << 20;
constexpr std::uint8_t kStageMax = 3;  // of BatchStage

// Both directions name the same fields in the same order, so they are named once, in functions
// that take Writing or Reading.
class Writing {
 public:
  explicit Writing(std::string& out) : bytes_(out) {}

  template <std::unsigned_integral T>
  void number(const T& value) {
    bytes_.varint(value);
  }
  void real(const double& value) { bytes_.fixed(std::bit_cast<std::uint64_t>(value)); }
  void time(const std::int64_t& value) { bytes_.fixed(value); }
  void wall(const WallTime& value) { time(value.nanoseconds); }
  void text(const std::string& value) { bytes_.text(value); }
  void flag(const bool& value) { bytes_.varint(value ? 1 : 0); }
  template <class Enum>
  void word(const Enum& value, std::uint8_t) {
    bytes_.varint(static_cast<std::uint64_t>(value));
  }
  template <class T, class Each>
  void list(const std::vector<T>& values, Each each) {
    bytes_.varint(values.size());
    for (const T& value : values) each(value);
  }

 private:
  ByteWriter bytes_;
};

class Reading {
 public:
  explicit Reading(std::string_view bytes) : bytes_(bytes) {}

  template <std::unsigned_integral T>
  void number(T& value) {
    const std::uint64_t read = bytes_.varint();
    value = static_cast<T>(read);
    good_ = good_ && value == read;
  }
  void real(double& value) { value = std::bit_cast<double>(bytes_.fixed<std::uint64_t>()); }
  void time(std::int64_t& value) { value = bytes_.fixed<std::int64_t>(); }
  void wall(WallTime& value) { time(value.nanoseconds); }
  void text(std::string& value) { value = std::string(bytes_.text()); }
  void flag(bool& value) { value = bytes_.varint() != 0; }
  template <class Enum>
  void word(Enum& value, std::uint8_t max) {
    const std::uint64_t read = bytes_.varint();
    good_ = good_ && read <= max;
    value = static_cast<Enum>(read);
  }
  template <class T, class Each>
  void list(std::vector<T>& values, Each each) {
    const std::uint64_t count = bytes_.varint();
    good_ = good_ && count <= kListMax;
    for (std::uint64_t i = 0; i < count && ok(); ++i) each(values.emplace_back());
  }

  [[nodiscard]] bool ok() const { return good_ && bytes_.ok(); }
  [[nodiscard]] bool done() const { return good_ && bytes_.done(); }

 private:
  ByteReader bytes_;
  bool good_ = true;
};

// The types of errors, as a list.
struct ErrorType {
  std::string name;
  std::uint64_t count = 0;
  std::string message;
};

template <class Fields, class Outline>
void outline_fields(Fields& fields, Outline& outline) {
  fields.number(outline.batches);
  fields.number(outline.epoch);
  fields.number(outline.plan);
  fields.number(outline.plan_bytes);
  fields.wall(outline.started);
  fields.flag(outline.listing_ended);
  fields.flag(outline.publishing);
  fields.flag(outline.all_final);
  auto& counts = outline.counts;
  fields.number(counts.items);
  fields.number(counts.items_succeeded);
  fields.number(counts.items_failed);
  fields.number(counts.attempts);
  fields.number(counts.ended);
  fields.number(counts.committed);
  fields.number(counts.failed);
  fields.number(counts.shorts);
  fields.number(outline.kept.items_failed);
  fields.number(outline.kept.shorts);
  fields.flag(outline.kept.everything);
  fields.number(outline.errors.attempts);
  fields.number(outline.errors.completed);
}

template <class Fields, class Stopped, class Finished>
void end_fields(Fields& fields, Stopped& stopped, Finished& finished) {
  // A list, because it may be missing.
  fields.list(stopped, [&fields](auto& one) {
    fields.word(one.status, kJobStatusMax);
    fields.text(one.cause);
    fields.flag(one.for_good);
  });
  fields.word(finished.status, kJobStatusMax);
  fields.text(finished.cause);
  fields.wall(finished.wall);
}

template <class Fields, class Types>
void error_fields(Fields& fields, Types& types) {
  fields.list(types, [&fields](auto& type) {
    fields.text(type.name);
    fields.number(type.count);
    fields.text(type.message);
  });
}

template <class Fields, class Whole>
void account_fields(Fields& fields, Whole& account) {
  fields.real(account.useful);
  fields.real(account.lost);
  fields.real(account.init);
  fields.real(account.start_up);
  fields.real(account.idle);
  fields.real(account.wall);
  fields.number(account.workers);
  fields.number(account.attempts);
  fields.number(account.attempts_lost);
  for (auto& quartile : account.quartiles) fields.real(quartile);
  fields.list(account.slowest, [&fields](auto& slow) {
    fields.number(slow.batch);
    fields.number(slow.items);
    fields.number(slow.process);
    fields.real(slow.seconds);
  });
  fields.list(account.hungriest, [&fields](auto& one) {
    fields.number(one.batch);
    fields.number(one.process);
    fields.number(one.bytes);
  });
}

template <class Fields, class Lines>
void line_fields(Fields& fields, Lines& lines) {
  fields.list(lines, [&fields](auto& line) {
    fields.number(line.agent);
    fields.number(line.process);
    fields.list(line.spans, [&fields](auto& span) {
      fields.word(span.kind, kSpanKindMax);
      fields.time(span.start_ns);
      fields.time(span.end_ns);
      fields.number(span.batch);
      fields.number(span.count);
    });
  });
}

template <class Fields, class Tie>
void tie_fields(Fields& fields, Tie& tie) {
  fields.number(tie.epoch);
  fields.number(tie.length);
  fields.number(tie.tail_crc);
}

// Column by column: what is asked of one mini-batch lies together for all of them.
template <class Fields, class Block>
void block_fields(Fields& fields, Block& block) {
  for (auto& one : block) fields.number(one.batch.items);
  for (auto& one : block) fields.number(one.batch.succeeded);
  for (auto& one : block) fields.number(one.batch.tries);
  for (auto& one : block) fields.number(one.batch.losses);
  for (auto& one : block) fields.word(one.batch.stage, kStageMax);
  for (auto& one : block) fields.number(one.plan_offset);
  for (auto& one : block) {
    fields.list(one.attempts, [&fields](auto& place) {
      fields.number(place.epoch);
      fields.number(place.offset);
    });
  }
  for (auto& one : block) {
    fields.list(one.pieces, [&fields](auto& piece) {
      fields.number(piece.items.first);
      fields.number(piece.items.count);
      fields.word(piece.stage, kStageMax);
    });
  }
}

}  // namespace

void encode_index_summary(const IndexSummary& summary, std::string& out) {
  Writing fields(out);
  tie_fields(fields, summary.tie);
  outline_fields(fields, summary.outline);
  std::vector<fact::Stopped> stopped;
  if (summary.outline.stopped) stopped.push_back(*summary.outline.stopped);
  end_fields(fields, stopped, *summary.outline.finished);
  std::vector<ErrorType> types;
  for (const auto& [name, type] : summary.outline.errors.types) {
    types.push_back({name, type.count, type.message});
  }
  error_fields(fields, types);
  account_fields(fields, summary.account);
  line_fields(fields, summary.account.lines);
  fields.list(summary.block_lengths, [&fields](const auto& length) { fields.number(length); });
}

Result<IndexSummary> decode_index_summary(std::string_view bytes) {
  Reading fields(bytes);
  IndexSummary summary;
  tie_fields(fields, summary.tie);
  outline_fields(fields, summary.outline);
  std::vector<fact::Stopped> stopped;
  fact::Finished finished;
  end_fields(fields, stopped, finished);
  summary.outline.finished = std::move(finished);
  if (!stopped.empty()) summary.outline.stopped = std::move(stopped.front());
  std::vector<ErrorType> types;
  error_fields(fields, types);
  for (ErrorType& type : types) {
    summary.outline.errors.types[std::move(type.name)] = {type.count, std::move(type.message)};
  }
  account_fields(fields, summary.account);
  line_fields(fields, summary.account.lines);
  fields.list(summary.block_lengths, [&fields](auto& length) { fields.number(length); });
  const std::uint64_t blocks =
      (std::uint64_t{summary.outline.batches} + kIndexBlock - 1) / kIndexBlock;
  if (!fields.done() || summary.block_lengths.size() != blocks) {
    return fail(ErrorCode::kInternal, "the summary of the index is damaged");
  }
  return summary;
}

void encode_index_block(const std::vector<IndexedBatch>& block, std::string& out) {
  Writing fields(out);
  block_fields(fields, block);
}

Result<std::vector<IndexedBatch>> decode_index_block(std::string_view bytes, std::size_t count) {
  Reading fields(bytes);
  std::vector<IndexedBatch> block(count);
  block_fields(fields, block);
  if (!fields.done()) return fail(ErrorCode::kInternal, "a block of the index is damaged");
  return block;
}

}  // namespace windrow
