// SPDX-License-Identifier: Apache-2.0
//
// The index of a job that is over: what its journals add up to, in columns, for quick answers.
//
// A projection and never state: without it, or when it is damaged or of another journal, the
// journals are replayed and say the same. It belongs to one journal, by epoch, length and a
// checksum of its end, so it never answers for a job that has resumed since. Layout:
// docs/formats/index.md.
//
// Thread: one at a time; blocks. Ownership: the file system outlives it. Failure: any Error of
// open() or batch() means that the journals have to be read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/output/account.h"
#include "core/progress/job_outline.h"
#include "journal/job_folder.h"
#include "journal/journal.h"
#include "os/file_system.h"

namespace windrow {

// One mini-batch. Of `batch`: items, succeeded, tries, losses and stage.
struct IndexedBatch {
  Batch batch;
  std::vector<Piece> pieces;  // items and stage of each
  std::uint64_t plan_offset = 0;
  std::vector<JournalPlace> attempts;  // in the order of their ends
};

class JobIndex {
 public:
  static Result<JobIndex> open(FileSystem& fs, const JobFolder& folder);

  [[nodiscard]] const JobOutline& outline() const { return outline_; }
  // Without advice.
  [[nodiscard]] const Account& account() const { return account_; }

  // REQUIRES: id < outline().batches.
  Result<IndexedBatch> batch(BatchId id);

 private:
  std::unique_ptr<File> file_;
  JobOutline outline_;
  Account account_;
  std::vector<std::uint64_t> blocks_;  // where each begins
};

// What describes a job as a whole: from its index, or without one from its journals.
Result<JobOutline> read_outline(FileSystem& fs, const JobFolder& folder);

// Writes the index of a job that is over, and removes those of its earlier epochs. Nothing happens
// to a job that is not. REQUIRES: `state` is what the journal says.
Status write_job_index(FileSystem& fs, const JobFolder& folder, const JobState& state);

}  // namespace windrow
