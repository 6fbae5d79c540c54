// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/job_state.h"

#include <algorithm>
#include <string_view>

#include "base/check.h"
#include "base/plant.h"

namespace windrow {
namespace {

constexpr std::size_t kErrorTypesMax = 100;

std::uint64_t end_of(const Batch& batch) { return batch.offset + batch.length; }

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
  if (const auto* one = std::get_if<fact::AttemptEnded>(&fact)) {
    const AttemptRecord& record = one->record;
    if (record.token.batch >= batches_.size()) {
      return fail(ErrorCode::kInternal, "an attempt at unknown mini-batch {}", record.token.batch);
    }
    const Batch& batch = batches_[record.token.batch];
    RETURN_IF_ERROR(ok_if(batch.stage == BatchStage::kPending, "an attempt at a final mini-batch"));
    if (one->verdict != Verdict::kDone) return {};
    const RowRange& rows = record.rows;
    RETURN_IF_ERROR(ok_if(rows.segment < segments_.size() && !segments_[rows.segment].closed,
                          "rows in a segment that is not open"));
    for (const StagedFile& file : record.files) {
      RETURN_IF_ERROR(ok_if(!writer_of(file), "a staged file of two mini-batches"));
    }
    return ok_if(one->succeeded <= batch.items && rows.offset <= UINT64_MAX - rows.length,
                 "an attempt with impossible counts");
  }
  return {};
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
    const BatchId id = segment.waiting.front();
    if (end_of(batches_[id]) > segment.synced) break;
    commit(id);
    segment.waiting.pop_front();
  }
}

void JobState::apply_one(const fact::AgentLost& fact) { give_up_unsynced(segments_[fact.segment]); }

void JobState::apply_one(const fact::LoadEnded& fact) {
  process_next_ = std::max(process_next_, fact.process + 1);
}

void JobState::apply_one(const fact::AttemptEnded& fact) {
  const AttemptRecord& record = fact.record;
  Batch& batch = batches_[record.token.batch];
  CHECK(batch.stage == BatchStage::kPending);
  batch.picked = std::max(batch.picked, record.token.picked);
  const bool lost = record.status == AttemptStatus::kNodeLost;
  if (!lost) process_next_ = std::max(process_next_, record.process + 1);
  if (lost && batch.losses < UINT8_MAX) ++batch.losses;
  ++counts_.attempts;
  count_error(fact);
  switch (fact.verdict) {
    case Verdict::kDone: {
      Segment& segment = segments_[record.rows.segment];
      batch.segment = record.rows.segment;
      batch.offset = record.rows.offset;
      batch.length = record.rows.length;
      batch.succeeded = fact.succeeded;
      batch.stage = BatchStage::kEnded;
      ++counts_.ended;
      counts_.items_succeeded += batch.succeeded;
      counts_.items_failed += batch.items - batch.succeeded;
      counts_.shorts += batch.succeeded < batch.items ? 1 : 0;
      for (const StagedFile& file : record.files) writers_[key_of(file)] = record.token.batch;
      if (!record.files.empty()) staged_ended_[record.token.batch] = record.token;
      if (end_of(batch) <= segment.synced || planted(Fault::kCommitOnEnd)) {
        commit(record.token.batch);
      } else {
        segment.waiting.push_back(record.token.batch);
      }
      return;
    }
    case Verdict::kRetry:
      if (!planted(Fault::kRetryForEver)) ++batch.tries;
      return;
    case Verdict::kFailed:
      if (!lost) ++batch.tries;
      batch.stage = BatchStage::kFailed;
      ++counts_.failed;
      counts_.items_failed += batch.items;
      return;
    case Verdict::kReturned:
      return;
  }
}

void JobState::count_error(const fact::AttemptEnded& ended) {
  if (ended.record.status == AttemptStatus::kReturned) return;
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

// A master that died meanwhile may have said the same of its own file.
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
  for (Batch& batch : batches_) {
    if (batch.stage == BatchStage::kFailed) {
      batch.stage = BatchStage::kPending;
      --counts_.failed;
      counts_.items_failed -= batch.items;
    }
    if (batch.stage == BatchStage::kPending) batch.tries = batch.losses = 0;
  }
}

void JobState::commit(BatchId id) {
  CHECK(batches_[id].stage == BatchStage::kEnded);
  batches_[id].stage = BatchStage::kCommitted;
  --counts_.ended;
  ++counts_.committed;
  if (const auto files = staged_ended_.find(id); files != staged_ended_.end()) {
    staged_.push_back(files->second);
    staged_ended_.erase(files);
  }
}

void JobState::give_up_unsynced(Segment& segment) {
  segment.closed = true;
  for (const BatchId id : segment.waiting) {
    Batch& batch = batches_[id];
    if (planted(Fault::kKeepUnsynced)) {
      commit(id);
      continue;
    }
    batch.stage = BatchStage::kPending;
    --counts_.ended;
    counts_.items_succeeded -= batch.succeeded;
    counts_.items_failed -= batch.items - batch.succeeded;
    counts_.shorts -= batch.succeeded < batch.items ? 1 : 0;
    batch.succeeded = 0;
    staged_ended_.erase(id);
  }
  segment.waiting.clear();
  std::erase_if(writers_, [this](const auto& one) {
    return batches_[one.second].stage == BatchStage::kPending;
  });
}

std::optional<BatchId> JobState::writer_of(const StagedFile& file) const {
  const std::string key = key_of(file);
  for (std::string_view path = key; path.find('/') != std::string_view::npos;
       path = path.substr(0, path.rfind('/'))) {
    if (const auto found = writers_.find(path); found != writers_.end()) return found->second;
  }
  const std::string folder = key + "/";
  const auto below = writers_.lower_bound(folder);
  if (below == writers_.end() || !below->first.starts_with(folder)) return std::nullopt;
  return below->second;
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
  for (const Batch& batch : batches_) {
    seen.items += batch.items;
    switch (batch.stage) {
      case BatchStage::kPending:
        break;
      case BatchStage::kEnded:
        ++seen.ended;
        break;
      case BatchStage::kCommitted:
        ++seen.committed;
        CHECK(end_of(batch) <= segments_[batch.segment].synced);
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
  CHECK(waiting == seen.ended && seen.shorts == counts_.shorts);
}

}  // namespace windrow
