// SPDX-License-Identifier: Apache-2.0
//
// The durable state of a job: what its facts add up to. Changed by apply() and nothing else.
//
// A mini-batch lives so (any other pair of stage and fact is our own bug):
//
//   kPending --AttemptEnded done--> kEnded --SegmentSynced--> kCommitted
//    ^  ^ |                            |
//    |  | +--AttemptEnded failed--> kFailed --Reopened afresh--> kPending
//    |  +----AttemptEnded retry, returned (stays pending)
//    +-------AgentLost, EpochBegan before the sync-----------+
//
// One that was Halved has pieces which live the same life, and stays pending until all of them are
// final: then it is committed when one of them is.
//
// Not thread-safe. Cannot fail: facts read from a disk are asked about with check() first.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/plant.h"
#include "base/result.h"
#include "core/schedule/facts.h"
#include "core/schedule/pieces.h"

namespace windrow {

struct Batch {
  std::uint64_t offset = 0;  // with segment and length: its rows, from kEnded on; not of pieces
  std::uint32_t length = 0;
  SegmentId segment = 0;
  std::uint32_t items = 0;
  std::uint32_t succeeded = 0;  // items, from kEnded on
  std::uint32_t picked = 0;     // highest hand-out that ended
  std::uint32_t tries = 0;      // charged attempts
  std::uint8_t losses = 0;      // attempts that were lost with their node
  BatchStage stage = BatchStage::kPending;
};
static_assert(sizeof(Batch) <= 40, "a million mini-batches must stay small");

// What an attempt was for: a mini-batch, or a piece of one.
struct Portion {
  BatchId batch = 0;
  ItemRange piece;  // empty: all of it
  friend auto operator<=>(const Portion&, const Portion&) = default;
};

struct Segment {
  AgentId agent = 0;
  std::string file;
  std::uint64_t synced = 0;
  bool closed = false;          // its agent is gone; nothing more will be synced
  std::deque<Portion> waiting;  // ended, not yet synced, in order of offset
};

struct JobCounts {
  std::uint64_t items = 0;
  std::uint64_t items_succeeded = 0;  // of ended and committed mini-batches
  std::uint64_t items_failed = 0;     // of failed ones, and missing from short returns
  std::uint64_t attempts = 0;         // charged or not: is_attempt
  BatchId ended = 0;
  BatchId committed = 0;
  BatchId failed = 0;
  BatchId shorts = 0;  // ended or committed with fewer results than items
};

// What attempts ended with, those handed back left out, since failed mini-batches last
// started over.
struct ErrorCounts {
  struct Type {
    std::uint64_t count = 0;
    std::string message;  // first line of the first
  };
  std::map<std::string, Type> types;  // only so many, whatever a script may raise
  std::uint64_t attempts = 0;
  std::uint64_t completed = 0;
};

class JobState {
 public:
  // Whether the fact can follow; the reason when it cannot. For facts from a disk.
  [[nodiscard]] Status check(const Fact& fact) const;

  // REQUIRES: check(fact) is ok.
  void apply(const Fact& fact);

  [[nodiscard]] const std::vector<Batch>& batches() const { return batches_; }
  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }
  [[nodiscard]] const JobCounts& counts() const { return counts_; }
  [[nodiscard]] const ErrorCounts& errors() const { return errors_; }
  [[nodiscard]] Epoch epoch() const { return epoch_; }
  [[nodiscard]] Epoch plan() const { return plan_; }  // which plan file counts
  [[nodiscard]] std::uint64_t plan_bytes() const { return plan_bytes_; }
  [[nodiscard]] bool listing_ended() const { return listing_ended_; }
  [[nodiscard]] Duration job_time() const { return job_time_; }
  [[nodiscard]] ProcessNumber process_next() const { return process_next_; }
  [[nodiscard]] const std::optional<fact::Stopped>& stopped() const { return stopped_; }
  [[nodiscard]] const std::vector<fact::Publishing>& publishing() const { return publishing_; }
  [[nodiscard]] const std::optional<fact::Finished>& finished() const { return finished_; }
  [[nodiscard]] WallTime started() const { return started_; }  // of the first epoch

  // The committed attempts that have staged files, in the order in which they were committed.
  [[nodiscard]] const std::vector<Token>& staged() const { return staged_; }
  // The mini-batch that has written this file, or one where it needs a folder, or into a folder
  // of its name.
  [[nodiscard]] std::optional<BatchId> writer_of(const StagedFile& file) const;

  // What of a pending mini-batch is to be tried next: all of it, or a piece. Nothing when all its
  // pieces are tried and some wait for their sync.
  [[nodiscard]] std::optional<ItemRange> next_items(BatchId id) const;
  // Of a mini-batch that was halved; else nullptr.
  [[nodiscard]] const Pieces* pieces_of(BatchId id) const;
  [[nodiscard]] const std::map<BatchId, Pieces>& pieces() const { return pieces_; }
  // Calls `each` with every range of rows that the mini-batch has committed, in order of items.
  template <class Each>
  void each_committed(BatchId id, Each&& each) const {
    const auto look = [&each](BatchStage stage, const RowRange& rows) {
      const bool counts = stage == BatchStage::kCommitted ||
                          (stage == BatchStage::kEnded && planted(Fault::kPublishBeforeCommit));
      if (counts && rows.length > 0) each(rows);
    };
    if (const Pieces* const pieces = pieces_of(id)) {
      const std::vector<Piece>& all = pieces->all();
      for (std::size_t i = 0; i < all.size(); ++i) {
        const Piece& piece = planted(Fault::kPiecesBackwards) ? all[all.size() - 1 - i] : all[i];
        look(piece.stage, piece.rows);
      }
    } else {
      const Batch& batch = batches_[id];
      look(batch.stage, RowRange{batch.segment, batch.offset, batch.length});
    }
  }

  // Every planned mini-batch is committed or failed, and no more will be planned.
  [[nodiscard]] bool all_final() const;

  // Aborts if the state contradicts itself. O(mini-batches): for tests and debug builds.
  void check_invariants() const;

 private:
  void apply_one(const fact::EpochBegan& fact);
  void apply_one(const fact::Planned& fact);
  void apply_one(const fact::ListingEnded& fact);
  void apply_one(const fact::SegmentOpened& fact);
  void apply_one(const fact::SegmentSynced& fact);
  void apply_one(const fact::AgentLost& fact);
  void apply_one(const fact::WorkerProcess& fact);
  void apply_one(const fact::LoadEnded& fact);
  void apply_one(const fact::AttemptEnded& fact);
  void apply_one(const fact::Counted& fact);
  void apply_one(const fact::Halved& fact);
  void apply_one(const fact::Stopped& fact);
  void apply_one(const fact::Publishing& fact);
  void apply_one(const fact::Finished& fact);
  void apply_one(const fact::Reopened& fact);
  [[nodiscard]] Status check_attempt(const fact::AttemptEnded& fact) const;
  [[nodiscard]] Status check_halved(const fact::Halved& fact) const;
  void count_error(const fact::AttemptEnded& ended);
  void end_well(const fact::AttemptEnded& ended);
  void end_badly(const Portion& portion);
  void keep_rows(const Portion& portion, const RowRange& rows, std::uint32_t succeeded);
  [[nodiscard]] std::uint64_t end_of_rows(const Portion& portion) const;
  void commit(const Portion& portion);
  void take_back(const Portion& portion);
  void settle(BatchId id);
  void reopen_failed();
  void give_up_unsynced(Segment& segment);
  [[nodiscard]] bool is_pending(const Portion& portion) const;
  void reopen_pieces(BatchId id, Pieces& pieces);
  [[nodiscard]] Piece* find_piece(const Portion& portion);
  [[nodiscard]] const Piece* find_piece(const Portion& portion) const;
  // Returns how many wait for their sync.
  std::uint64_t check_pieces(BatchId id, JobCounts& seen) const;

  std::vector<Batch> batches_;
  std::vector<Segment> segments_;
  JobCounts counts_;
  ErrorCounts errors_;
  Epoch epoch_ = 0;
  Epoch plan_ = 0;
  WallTime started_;
  std::uint64_t plan_bytes_ = 0;
  bool listing_ended_ = false;
  Duration job_time_{};
  ProcessNumber process_next_ = 0;
  std::optional<fact::Stopped> stopped_;
  std::vector<fact::Publishing> publishing_;
  std::optional<fact::Finished> finished_;
  std::map<BatchId, Pieces> pieces_;                     // of those that were halved
  std::map<std::string, Portion, std::less<>> writers_;  // by output and name, ended or committed
  std::map<Portion, Token> staged_ended_;                // with files, not yet committed
  std::vector<Token> staged_;
};

}  // namespace windrow
