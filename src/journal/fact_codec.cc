// SPDX-License-Identifier: Apache-2.0
#include "journal/fact_codec.h"

#include <utility>

#include "base/bytes.h"

namespace windrow {
namespace {

// The first byte of a fact. Numbers are for ever: never used again for something else.
enum class Kind : std::uint8_t {
  kEpochBegan = 1,
  kPlanned = 2,
  kListingEnded = 3,
  kSegmentOpened = 4,
  kSegmentSynced = 5,
  kAgentLost = 6,
  kLoadEnded = 7,
  kAttemptEnded = 8,
  kStopped = 9,
  kPublishing = 10,
  kFinished = 11,
  kReopened = 12,
  kHalved = 13,
  kCounted = 14,
  kStoppedForGood = 15,
  kWorkerStarted = 16,
  kWorkerEnded = 17,
};

class Encoder {
 public:
  explicit Encoder(std::string& out) : w_(out) {}

  void operator()(const fact::EpochBegan& f) {
    kind(Kind::kEpochBegan);
    w_.varint(f.epoch);
    w_.varint(f.plan);
    w_.fixed(f.wall.nanoseconds);
  }
  void operator()(const fact::Planned& f) {
    kind(Kind::kPlanned);
    w_.varint(f.plan_bytes);
    w_.varint(f.runs.size());
    for (const ItemRun& run : f.runs) {
      w_.varint(run.batches);
      w_.varint(run.items);
    }
  }
  void operator()(const fact::ListingEnded& /*f*/) { kind(Kind::kListingEnded); }
  void operator()(const fact::SegmentOpened& f) {
    kind(Kind::kSegmentOpened);
    w_.varint(f.segment);
    w_.varint(f.agent);
    w_.text(f.file);
  }
  void operator()(const fact::SegmentSynced& f) {
    kind(Kind::kSegmentSynced);
    w_.varint(f.segment);
    w_.varint(f.up_to);
    w_.varint(static_cast<std::uint64_t>(f.job_time.count()));
  }
  void operator()(const fact::AgentLost& f) {
    kind(Kind::kAgentLost);
    w_.varint(f.agent);
    w_.varint(f.segment);
  }
  void operator()(const fact::WorkerProcess& f) {
    kind(f.ended ? Kind::kWorkerEnded : Kind::kWorkerStarted);
    w_.varint(f.agent);
    w_.varint(f.process);
    w_.fixed(f.wall.nanoseconds);
  }
  void operator()(const fact::LoadEnded& f) {
    kind(Kind::kLoadEnded);
    w_.varint(f.agent);
    w_.varint(f.process);
    w_.fixed(static_cast<std::uint8_t>(f.status));
    w_.fixed(f.start.nanoseconds);
    w_.varint(f.elapsed_us);
    w_.varint(f.cpu_us);
    error(f.error_type, f.error_message, f.traceback);
  }
  void operator()(const fact::AttemptEnded& f) {
    const AttemptRecord& r = f.record;
    kind(Kind::kAttemptEnded);
    w_.varint(r.token.epoch);
    w_.varint(r.token.batch);
    w_.varint(r.token.picked);
    w_.varint(r.agent);
    w_.varint(r.process);
    w_.fixed(static_cast<std::uint8_t>(r.status));
    w_.fixed(static_cast<std::uint8_t>(f.verdict));
    w_.fixed(static_cast<std::uint8_t>(r.line_break ? 1 : 0));
    w_.varint(r.returned);
    w_.varint(f.succeeded);
    w_.varint(r.rows.segment);
    w_.varint(r.rows.offset);
    w_.varint(r.rows.length);
    w_.fixed(r.start.nanoseconds);
    w_.varint(r.elapsed_us);
    w_.varint(r.run_us);
    w_.varint(r.cpu_us);
    w_.varint(r.memory_peak);
    error(r.error_type, r.error_message, r.traceback);
    const bool whole = r.piece.count == 0;
    if (r.reported.empty() && r.files.empty() && whole) return;
    w_.varint(r.reported.size());
    for (const ReportedItem& one : r.reported) {
      w_.varint(one.item);
      w_.text(one.reason);
    }
    if (r.files.empty() && whole) return;
    w_.varint(r.files.size());
    for (const StagedFile& file : r.files) {
      w_.varint(file.output);
      w_.text(file.name);
      w_.varint(file.size);
    }
    if (!whole) range(r.piece);
  }
  void operator()(const fact::Counted& f) {
    kind(Kind::kCounted);
    w_.varint(f.batch);
    w_.varint(f.items);
  }
  void operator()(const fact::Halved& f) {
    kind(Kind::kHalved);
    w_.varint(f.batch);
    range(f.piece);
  }
  void operator()(const fact::Stopped& f) {
    kind(f.for_good ? Kind::kStoppedForGood : Kind::kStopped);
    w_.fixed(static_cast<std::uint8_t>(f.status));
    w_.text(f.cause);
  }
  void operator()(const fact::Publishing& f) {
    kind(Kind::kPublishing);
    w_.text(f.path);
    w_.varint(f.length);
    w_.fixed(f.crc);
  }
  void operator()(const fact::Finished& f) {
    kind(Kind::kFinished);
    w_.fixed(static_cast<std::uint8_t>(f.status));
    w_.text(f.cause);
    w_.fixed(f.wall.nanoseconds);
  }
  void operator()(const fact::Reopened& f) {
    kind(Kind::kReopened);
    w_.fixed(static_cast<std::uint8_t>(f.failed_afresh ? 1 : 0));
  }

 private:
  void kind(Kind kind) { w_.fixed(static_cast<std::uint8_t>(kind)); }
  void range(const ItemRange& items) {
    w_.varint(items.first);
    w_.varint(items.count);
  }
  void error(const std::string& type, const std::string& message, const std::string& traceback) {
    w_.text(type);
    w_.text(message);
    w_.text(traceback);
  }

  ByteWriter w_;
};

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : r_(bytes) {}

  Result<Fact> decode() {
    const auto kind = r_.fixed<std::uint8_t>();
    Fact fact;
    // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): any other is a refusal, below
    switch (static_cast<Kind>(kind)) {
      case Kind::kEpochBegan:
        fact = fact::EpochBegan{r_.varint(), r_.varint(), wall()};
        break;
      case Kind::kPlanned:
        fact = planned();
        break;
      case Kind::kListingEnded:
        fact = fact::ListingEnded{};
        break;
      case Kind::kSegmentOpened:
        fact = fact::SegmentOpened{r_.varint32(), r_.varint32(), text()};
        break;
      case Kind::kSegmentSynced:
        fact = fact::SegmentSynced{r_.varint32(), r_.varint(), duration()};
        break;
      case Kind::kAgentLost:
        fact = fact::AgentLost{r_.varint32(), r_.varint32()};
        break;
      case Kind::kWorkerStarted:
      case Kind::kWorkerEnded:
        fact = fact::WorkerProcess{
            r_.varint32(), r_.varint32(), static_cast<Kind>(kind) == Kind::kWorkerEnded, wall()};
        break;
      case Kind::kLoadEnded:
        fact = load_ended();
        break;
      case Kind::kAttemptEnded:
        attempt_ended(fact.emplace<fact::AttemptEnded>());  // by far the most: not moved
        break;
      case Kind::kStopped:
      case Kind::kStoppedForGood:
        fact = fact::Stopped{one_of<JobStatus>(kJobStatusMax),
                             text(),
                             static_cast<Kind>(kind) == Kind::kStoppedForGood};
        break;
      case Kind::kPublishing:
        fact = fact::Publishing{text(), r_.varint(), r_.fixed<std::uint32_t>()};
        break;
      case Kind::kFinished:
        fact = fact::Finished{one_of<JobStatus>(kJobStatusMax), text(), wall()};
        break;
      case Kind::kReopened:
        fact = fact::Reopened{boolean()};
        break;
      case Kind::kHalved:
        fact = fact::Halved{r_.varint32(), range()};
        break;
      case Kind::kCounted:
        fact = fact::Counted{r_.varint32(), r_.varint32()};
        break;
      default:
        return fail(ErrorCode::kInternal, "a fact of unknown kind {}", kind);
    }
    if (!r_.done() || !valid_)
      return fail(ErrorCode::kInternal, "a malformed fact of kind {}", kind);
    return fact;
  }

 private:
  std::string text() { return std::string(r_.text()); }
  WallTime wall() { return WallTime{r_.fixed<std::int64_t>()}; }
  Duration duration() { return Duration(static_cast<std::int64_t>(r_.varint())); }
  bool boolean() { return r_.fixed<std::uint8_t>() != 0; }

  template <class Enum>
  Enum one_of(std::uint8_t max) {
    const auto value = r_.fixed<std::uint8_t>();
    if (value > max) valid_ = false;
    return static_cast<Enum>(value > max ? 0 : value);
  }

  Fact planned() {
    fact::Planned f;
    f.plan_bytes = r_.varint();
    const std::uint64_t runs = r_.varint();
    if (runs > r_.rest().size()) valid_ = false;
    for (std::uint64_t i = 0; valid_ && i < runs && r_.ok(); ++i) {
      const std::uint32_t batches = r_.varint32();
      f.runs.push_back(ItemRun{batches, r_.varint32()});
    }
    return f;
  }

  Fact load_ended() {
    fact::LoadEnded f;
    f.agent = r_.varint32();
    f.process = r_.varint32();
    f.status = one_of<LoadStatus>(kLoadStatusMax);
    f.start = wall();
    f.elapsed_us = r_.varint32();
    f.cpu_us = r_.varint32();
    f.error_type = text();
    f.error_message = text();
    f.traceback = text();
    return f;
  }

  void attempt_ended(fact::AttemptEnded& f) {
    AttemptRecord& r = f.record;
    r.token.epoch = r_.varint();
    r.token.batch = r_.varint32();
    r.token.picked = r_.varint32();
    r.agent = r_.varint32();
    r.process = r_.varint32();
    r.status = one_of<AttemptStatus>(kAttemptStatusMax);
    f.verdict = one_of<Verdict>(kVerdictMax);
    r.line_break = boolean();
    r.returned = r_.varint32();
    f.succeeded = r_.varint32();
    r.rows.segment = r_.varint32();
    r.rows.offset = r_.varint();
    r.rows.length = r_.varint32();
    r.start = wall();
    r.elapsed_us = r_.varint32();
    r.run_us = r_.varint32();
    r.cpu_us = r_.varint32();
    r.memory_peak = r_.varint();
    r.error_type = text();
    r.error_message = text();
    r.traceback = text();
    if (r_.rest().empty()) return;
    reported(r.reported);
    bool last_empty = r.reported.empty();  // stands there only because something follows
    if (!r_.rest().empty()) {
      files(r.files);
      last_empty = r.files.empty();
    }
    if (!r_.rest().empty()) {
      r.piece = range();
      last_empty = r.piece.count == 0;
    }
    if (last_empty) valid_ = false;
  }

  ItemRange range() {
    const std::uint32_t first = r_.varint32();
    return {first, r_.varint32()};
  }

  void reported(std::vector<ReportedItem>& out) {
    const std::uint64_t count = r_.varint();
    if (count > r_.rest().size()) valid_ = false;
    for (std::uint64_t i = 0; valid_ && i < count && r_.ok(); ++i) {
      const std::uint32_t item = r_.varint32();
      out.push_back(ReportedItem{item, text()});
    }
  }

  void files(std::vector<StagedFile>& out) {
    const std::uint64_t count = r_.varint();
    if (count > r_.rest().size()) valid_ = false;
    for (std::uint64_t i = 0; valid_ && i < count && r_.ok(); ++i) {
      StagedFile& file = out.emplace_back();
      file.output = r_.varint32();
      file.name = text();
      file.size = r_.varint();
    }
  }

  ByteReader r_;
  bool valid_ = true;
};

}  // namespace

void encode_fact(const Fact& fact, std::string& out) { std::visit(Encoder(out), fact); }

Result<Fact> decode_fact(std::string_view bytes) { return Decoder(bytes).decode(); }

}  // namespace windrow
