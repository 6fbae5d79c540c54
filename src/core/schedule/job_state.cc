// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/job_state.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace windrow {
namespace {

constexpr std::size_t kErrorTypesMax = 100;

// Outputs have folders of their own, so their numbers can stand for them.
std::string key_of(const StagedFile& file) { return std::to_string(file.output) + "/" + file.name; }

Status ok_if(bool condition, const char* what) {
  if (condition) return {};
  return fail(ErrorCode::kInternal, "{}", what);
}

}  // namespace

Status JobState::check(const Fact& fact) const {
  if (const auto* one = std::get_if<fact::EpochBegan>(&fact)) {
    return ok_if(one->epoch > epoch_, "an epoch that is not new");
  }
  if (const auto* one = std::get_if<fact::Planned>(&fact)) {
    std::uint64_t total = batches_.size();
    for (const ItemRun& run : one->runs) total += run.batches;
    return ok_if(total <= 0xfffffffeU && !listing_ended_, "more mini-batches than can be");
  }
  if (const auto* one = std::get_if<fact::SegmentOpened>(&fact)) {
    return ok_if(one->segment == segments_.size(), "a segment out of order");
  }
  if (const auto* one = std::get_if<fact::SegmentSynced>(&fact)) {
    return ok_if(one->segment < segments_.size() && !segments_[one->segment].closed,
                 "a sync of a segment that is not open");
  }
  if (const auto* one = std::get_if<fact::AgentLost>(&fact)) {
    return ok_if(one->segment < segments_.size(), "the loss of an unknown agent");
  }
  if (const auto* one = std::get_if<fact::AttemptEnded>(&fact)) return check_attempt(*one);
  if (const auto* one = std::get_if<fact::Halved>(&fact)) return check_halved(*one);
  if (const auto* one = std::get_if<fact::Counted>(&fact)) {
    const bool whole = one->batch < batches_.size() && is_pending({one->batch, {}});
    return ok_if(whole, "a count of items of a mini-batch that is not pending as a whole");
  }
  return {};
}

Status JobState::check_attempt(const fact::AttemptEnded& fact) const {
  const AttemptRecord& record = fact.record;
  const BatchId id = record.token.batch;
  if (id >= batches_.size()) {
    return fail(ErrorCode::kInternal, "an attempt at unknown mini-batch {}", id);
  }
  if (fact.verdict == Verdict::kOvertaken) return {};
  RETURN_IF_ERROR(
      ok_if(batches_[id].stage == BatchStage::kPending, "an attempt at a final mini-batch"));
  if (fact.verdict == Verdict::kRetry || fact.verdict == Verdict::kReturned) return {};
  RETURN_IF_ERROR(ok_if(is_pending({id, record.piece}), "an attempt at a piece that is not there"));
  if (fact.verdict == Verdict::kFailed) return {};
  const RowRange& rows = record.rows;
  RETURN_IF_ERROR(ok_if(rows.segment < segments_.size() && !segments_[rows.segment].closed,
                        "rows in a segment that is not open"));
  for (const StagedFile& file : record.files) {
    RETURN_IF_ERROR(ok_if(!writer_of(file), "a staged file of two mini-batches"));
  }
  const std::uint32_t items = record.piece.count > 0 ? record.piece.count : batches_[id].items;
  return ok_if(fact.succeeded <= items && rows.offset <= UINT64_MAX - rows.length,
               "an attempt with impossible counts");
}

Status JobState::check_halved(const fact::Halved& fact) const {
  if (fact.batch >= batches_.size() || fact.piece.count < 2) {
    return fail(ErrorCode::kInternal, "mini-batch {} cannot be halved", fact.batch);
  }
  const bool whole = pieces_of(fact.batch) == nullptr;
  const bool all = fact.piece == ItemRange{0, batches_[fact.batch].items};
  const bool right =
      whole ? all && is_pending({fact.batch, {}}) : is_pending({fact.batch, fact.piece});
  return ok_if(right, "a half of a piece that is not there");
}

void JobState::apply(const Fact& fact) {
  std::visit([this](const auto& one) { apply_one(one); }, fact);
}

void JobState::apply_one(const fact::EpochBegan& fact) {
  if (epoch_ == 0) started_ = fact.wall;
  epoch_ = fact.epoch;
  plan_ = fact.plan;
  for (Segment& segment : segments_) {
    if (!segment.closed) give_up_unsynced(segment);
  }
}

void JobState::apply_one(const fact::Planned& fact) {
  for (const ItemRun& run : fact.runs) {
    batches_.resize(batches_.size() + run.batches, Batch{.items = run.items});
    counts_.items += std::uint64_t{run.batches} * run.items;
  }
  plan_bytes_ = fact.plan_bytes;
}

void JobState::apply_one(const fact::Counted& fact) {
  Batch& batch = batches_[fact.batch];
  counts_.items -= batch.items;
  counts_.items += fact.items;
  batch.items = fact.items;
}

void JobState::apply_one(const fact::ListingEnded& /*fact*/) { listing_ended_ = true; }

void JobState::apply_one(const fact::SegmentOpened& fact) {
  CHECK(fact.segment == segments_.size());
  segments_.push_back(Segment{.agent = fact.agent, .file = fact.file, .waiting = {}});
}

void JobState::apply_one(const fact::SegmentSynced& fact) {
  Segment& segment = segments_[fact.segment];
  CHECK(!segment.closed);
  segment.synced = std::max(segment.synced, fact.up_to);
  job_time_ = std::max(job_time_, fact.job_time);
  while (!segment.waiting.empty()) {
    const Portion portion = segment.waiting.front();
    if (end_of_rows(portion) > segment.synced) break;
    commit(portion);
    segment.waiting.pop_front();
  }
}

void JobState::apply_one(const fact::AgentLost& fact) { give_up_unsynced(segments_[fact.segment]); }

void JobState::apply_one(const fact::WorkerProcess& fact) {
  process_next_ = std::max(process_next_, fact.process + 1);
}

void JobState::apply_one(const fact::LoadEnded& fact) {
  process_next_ = std::max(process_next_, fact.process + 1);
}

void JobState::apply_one(const fact::AttemptEnded& fact) {
  const AttemptRecord& record = fact.record;
  Batch& batch = batches_[record.token.batch];
  CHECK(batch.stage == BatchStage::kPending || fact.verdict == Verdict::kOvertaken);
  batch.picked = std::max(batch.picked, record.token.picked);
  const bool lost = record.status == AttemptStatus::kNodeLost;
  if (!lost) process_next_ = std::max(process_next_, record.process + 1);
  if (lost && batch.losses < UINT8_MAX) ++batch.losses;
  if (is_attempt(record)) ++counts_.attempts;
  count_error(fact);
  switch (fact.verdict) {
    case Verdict::kDone:
      end_well(fact);
      return;
    case Verdict::kRetry:
      if (is_charged(fact) && !planted(Fault::kRetryForEver)) ++batch.tries;
      return;
    case Verdict::kFailed:
      if (is_charged(fact)) ++batch.tries;
      end_badly({record.token.batch, record.piece});
      return;
    case Verdict::kReturned:
    case Verdict::kOvertaken:
      return;
  }
}

void JobState::count_error(const fact::AttemptEnded& ended) {
  if (ended.record.status == AttemptStatus::kReturned) return;
  if (ended.verdict == Verdict::kOvertaken) return;
  ++errors_.attempts;
  if (ended.verdict == Verdict::kDone) ++errors_.completed;
  const std::string& type = ended.record.error_type;
  if (type.empty()) return;
  if (errors_.types.size() >= kErrorTypesMax && !errors_.types.contains(type)) return;
  ErrorCounts::Type& error = errors_.types[type];
  const std::string& message = ended.record.error_message;
  if (error.count++ == 0) error.message = message.substr(0, message.find('\n'));
}

void JobState::apply_one(const fact::Stopped& fact) { stopped_ = fact; }

// A master that died meanwhile may have written the same of its own file.
void JobState::apply_one(const fact::Publishing& fact) {
  std::erase_if(publishing_, [&fact](const auto& before) { return before.path == fact.path; });
  publishing_.push_back(fact);
}

void JobState::apply_one(const fact::Finished& fact) { finished_ = fact; }

void JobState::apply_one(const fact::Reopened& fact) {
  stopped_.reset();
  finished_.reset();
  publishing_.clear();
  if (batches_.empty()) listing_ended_ = false;  // it found nothing: the input is listed again
  if (!fact.failed_afresh) return;
  errors_ = {};
  reopen_failed();
}

void JobState::reopen_failed() {
  for (auto& [id, pieces] : pieces_) reopen_pieces(id, pieces);
  for (BatchId id = 0; id < batches_.size(); ++id) {
    Batch& batch = batches_[id];
    if (batch.stage == BatchStage::kFailed) {
      batch.stage = BatchStage::kPending;
      --counts_.failed;
      counts_.items_failed -= batch.items;
      pieces_.erase(id);
    }
    if (batch.stage != BatchStage::kPending) continue;
    batch.losses = 0;
    if (!pieces_.contains(id)) batch.tries = 0;
  }
}

void JobState::end_well(const fact::AttemptEnded& ended) {
  const AttemptRecord& record = ended.record;
  const Portion portion{record.token.batch, record.piece};
  keep_rows(portion, record.rows, ended.succeeded);
  for (const StagedFile& file : record.files) writers_[key_of(file)] = portion;
  if (!record.files.empty()) staged_ended_[portion] = record.token;
  Segment& segment = segments_[record.rows.segment];
  if (end_of_rows(portion) <= segment.synced || planted(Fault::kCommitOnEnd)) {
    commit(portion);
  } else {
    segment.waiting.push_back(portion);
  }
}

void JobState::keep_rows(const Portion& portion, const RowRange& rows, std::uint32_t succeeded) {
  Batch& batch = batches_[portion.batch];
  std::uint32_t items = batch.items;
  if (Piece* piece = find_piece(portion)) {
    piece->stage = BatchStage::kEnded;
    piece->rows = rows;
    piece->succeeded = succeeded;
    items = piece->items.count;
  } else {
    batch.stage = BatchStage::kEnded;
    batch.segment = rows.segment;
    batch.offset = rows.offset;
    batch.length = rows.length;
    batch.succeeded = succeeded;
    ++counts_.ended;
    counts_.shorts += succeeded < items ? 1 : 0;
  }
  counts_.items_succeeded += succeeded;
  counts_.items_failed += items - succeeded;
}

// The other way round: as if it had never ended.
void JobState::take_back(const Portion& portion) {
  Batch& batch = batches_[portion.batch];
  std::uint32_t items = batch.items;
  std::uint32_t succeeded = batch.succeeded;
  if (Piece* piece = find_piece(portion)) {
    items = piece->items.count;
    succeeded = std::exchange(piece->succeeded, 0);
    piece->stage = BatchStage::kPending;
  } else {
    batch.stage = BatchStage::kPending;
    batch.succeeded = 0;
    --counts_.ended;
    counts_.shorts -= succeeded < items ? 1 : 0;
  }
  counts_.items_succeeded -= succeeded;
  counts_.items_failed -= items - succeeded;
  staged_ended_.erase(portion);
}

void JobState::end_badly(const Portion& portion) {
  Batch& batch = batches_[portion.batch];
  if (Piece* piece = find_piece(portion)) {
    piece->stage = BatchStage::kFailed;
    counts_.items_failed += piece->items.count;
    pieces_.at(portion.batch).clear_suspicion_after(portion.piece);
    settle(portion.batch);
  } else {
    batch.stage = BatchStage::kFailed;
    ++counts_.failed;
    counts_.items_failed += batch.items;
  }
}

std::uint64_t JobState::end_of_rows(const Portion& portion) const {
  if (const Piece* piece = find_piece(portion)) return piece->rows.offset + piece->rows.length;
  const Batch& batch = batches_[portion.batch];
  return batch.offset + batch.length;
}

void JobState::commit(const Portion& portion) {
  if (Piece* piece = find_piece(portion)) {
    CHECK(piece->stage == BatchStage::kEnded);
    piece->stage = BatchStage::kCommitted;
    settle(portion.batch);
  } else {
    CHECK(batches_[portion.batch].stage == BatchStage::kEnded);
    batches_[portion.batch].stage = BatchStage::kCommitted;
    --counts_.ended;
    ++counts_.committed;
  }
  if (const auto files = staged_ended_.find(portion); files != staged_ended_.end()) {
    staged_.push_back(files->second);
    staged_ended_.erase(files);
  }
}

void JobState::give_up_unsynced(Segment& segment) {
  segment.closed = true;
  for (const Portion& portion : segment.waiting) {
    if (planted(Fault::kKeepUnsynced)) {
      commit(portion);
    } else {
      take_back(portion);
    }
  }
  segment.waiting.clear();
  std::erase_if(writers_, [this](const auto& one) { return is_pending(one.second); });
}

std::optional<BatchId> JobState::writer_of(const StagedFile& file) const {
  const std::string key = key_of(file);
  for (std::string_view path = key; path.find('/') != std::string_view::npos;
       path = path.substr(0, path.rfind('/'))) {
    if (const auto found = writers_.find(path); found != writers_.end()) return found->second.batch;
  }
  const std::string folder = key + "/";
  const auto below = writers_.lower_bound(folder);
  if (below == writers_.end() || !below->first.starts_with(folder)) return std::nullopt;
  return below->second.batch;
}

bool JobState::all_final() const {
  return listing_ended_ && counts_.committed + counts_.failed == batches_.size();
}

void JobState::check_invariants() const {
  JobCounts seen;
  std::uint64_t waiting = 0;
  for (const Segment& segment : segments_) {
    waiting += segment.waiting.size();
    CHECK(!segment.closed || segment.waiting.empty());
  }
  std::uint64_t ended_pieces = 0;
  for (BatchId id = 0; id < batches_.size(); ++id) {
    const Batch& batch = batches_[id];
    seen.items += batch.items;
    if (pieces_.contains(id)) {
      ended_pieces += check_pieces(id, seen);
      continue;
    }
    switch (batch.stage) {
      case BatchStage::kPending:
        break;
      case BatchStage::kEnded:
        ++seen.ended;
        break;
      case BatchStage::kCommitted:
        ++seen.committed;
        CHECK(end_of_rows({id, {}}) <= segments_[batch.segment].synced);
        break;
      case BatchStage::kFailed:
        ++seen.failed;
        seen.items_failed += batch.items;
        break;
    }
    if (batch.stage == BatchStage::kEnded || batch.stage == BatchStage::kCommitted) {
      CHECK(batch.succeeded <= batch.items);
      seen.items_succeeded += batch.succeeded;
      seen.items_failed += batch.items - batch.succeeded;
      seen.shorts += batch.succeeded < batch.items ? 1 : 0;
    }
  }
  CHECK(seen.items == counts_.items && seen.items_failed == counts_.items_failed);
  CHECK(seen.items_succeeded == counts_.items_succeeded && seen.ended == counts_.ended);
  CHECK(seen.committed == counts_.committed && seen.failed == counts_.failed);
  CHECK(waiting == seen.ended + ended_pieces && seen.shorts == counts_.shorts);
}

}  // namespace windrow
