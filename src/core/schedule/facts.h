// SPDX-License-Identifier: Apache-2.0
//
// Facts: everything that ever changed the state of a job, in order. The journal keeps them, and
// applying them again gives the same state, whichever version of the rules had decided.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/time.h"

namespace windrow {

// How an attempt ended; the words of the job report (status_word).
enum class AttemptStatus : std::uint8_t {
  kRunDone = 0,
  kRunException = 1,
  kRunTimeout = 2,
  kRunWrongType = 3,
  kDataException = 4,
  kOverheadTimeout = 5,
  kProcessDied = 6,
  kNodeLost = 7,
  kReturned = 8,  // came back without an end of its own: stop, cancel, take-back, lack of memory
};
inline constexpr std::uint8_t kAttemptStatusMax = 8;

// How a worker's start ended.
enum class LoadStatus : std::uint8_t {
  kDone = 0,
  kException = 1,
  kTimeout = 2,
  kDied = 3,
  kRefused = 4,  // the script can never work: it does not compile, or has no run()
};
inline constexpr std::uint8_t kLoadStatusMax = 4;

// What the end of an attempt means for its mini-batch.
enum class Verdict : std::uint8_t {
  kDone = 0,       // its rows count as soon as they are synced
  kRetry = 1,      // charged, and a try is left, or halves are tried
  kFailed = 2,     // charged, and no try is left: never processed again
  kReturned = 3,   // not charged: pending again
  kOvertaken = 4,  // another attempt was first: nothing changes but what is known of workers
};
inline constexpr std::uint8_t kVerdictMax = 4;

enum class JobStatus : std::uint8_t { kRunning = 0, kCompleted = 1, kFailed = 2, kCanceled = 3 };
inline constexpr std::uint8_t kJobStatusMax = 3;

// Where in the job's segments the rows of a mini-batch are: whole chunks, headers included.
struct RowRange {
  SegmentId segment = 0;
  std::uint64_t offset = 0;
  std::uint32_t length = 0;  // 0: no rows
  friend bool operator==(const RowRange&, const RowRange&) = default;
};

// So many mini-batches in a row with so many items each.
struct ItemRun {
  std::uint32_t batches = 0;
  std::uint32_t items = 0;
  friend bool operator==(const ItemRun&, const ItemRun&) = default;
};

// An item that the script itself called failed, though run() returned.
struct ReportedItem {
  std::uint32_t item = 0;  // its place in what was handed out, from 0
  std::string reason;
  friend bool operator==(const ReportedItem&, const ReportedItem&) = default;
};

// A file that a script wrote into an output, where outputs are staged.
struct StagedFile {
  std::uint32_t output = 0;  // which of the job's outputs
  std::string name;          // its path below the folder of the output
  std::uint64_t size = 0;
  bool exists = false;  // the output has something of that name already. Judged once; not kept.
  friend bool operator==(const StagedFile&, const StagedFile&) = default;
};

// One attempt as its agent saw it.
struct AttemptRecord {
  Token token;
  ItemRange piece;  // what of the mini-batch it was for; empty: all of it
  AgentId agent = 0;
  ProcessNumber process = 0;
  AttemptStatus status = AttemptStatus::kRunDone;
  bool line_break = false;     // an element held a line break
  std::uint32_t returned = 0;  // elements or rows that run() returned
  RowRange rows;
  WallTime start;
  std::uint32_t elapsed_us = 0;
  std::uint32_t run_us = 0;
  std::uint32_t cpu_us = 0;
  std::uint64_t memory_peak = 0;  // bytes; 0 when not known
  std::string error_type;         // all three empty for kRunDone
  std::string error_message;
  std::string traceback;               // of a dead process: the last lines of its stderr
  std::vector<ReportedItem> reported;  // each item once; only for kRunDone
  std::vector<StagedFile> files;       // durable, not yet in their place; only for kRunDone
  // How many items were found where the plan could not know: the fact Counted keeps it.
  std::optional<std::uint32_t> items;
  // The class of the exception and those above it, qualified. Judges retries; not kept.
  std::vector<std::string> error_bases;
  friend bool operator==(const AttemptRecord&, const AttemptRecord&) = default;
};

// How many of the items that it was given an attempt that returned has done: every element stands
// for one, and none for those that the script reported.
inline std::uint32_t succeeded_items(const AttemptRecord& record, std::uint32_t items) {
  const std::size_t reported = record.reported.size();
  const std::uint32_t left = reported < items ? items - static_cast<std::uint32_t>(reported) : 0;
  return record.returned < left ? record.returned : left;
}

// Whether a hand-out became an attempt: run() had begun, or it cost a try. All counts of attempts
// go by this. What comes back and was never begun has no duration.
inline bool is_attempt(const AttemptRecord& record) {
  return record.status != AttemptStatus::kReturned || record.elapsed_us > 0;
}

namespace fact {

// A master began to act. What agents of earlier epochs had not synced is pending again.
struct EpochBegan {
  Epoch epoch = 0;
  Epoch plan = 0;  // which plan file counts: state/plan.<plan>
  WallTime wall;
  friend bool operator==(const EpochBegan&, const EpochBegan&) = default;
};

// More mini-batches, numbered on from the last; the plan is durable up to `plan_bytes`.
struct Planned {
  std::vector<ItemRun> runs;
  std::uint64_t plan_bytes = 0;
  friend bool operator==(const Planned&, const Planned&) = default;
};

struct ListingEnded {
  friend bool operator==(const ListingEnded&, const ListingEnded&) = default;
};

struct SegmentOpened {
  SegmentId segment = 0;
  AgentId agent = 0;
  std::string file;  // name in state/rows/
  friend bool operator==(const SegmentOpened&, const SegmentOpened&) = default;
};

// The segment is durable up to here: what ends below is committed. Also written when only the time
// is news.
struct SegmentSynced {
  SegmentId segment = 0;
  std::uint64_t up_to = 0;
  Duration job_time{};  // how long the job has been worked on
  friend bool operator==(const SegmentSynced&, const SegmentSynced&) = default;
};

// The agent is gone. What it held, and what it had not synced, is pending again.
struct AgentLost {
  AgentId agent = 0;
  SegmentId segment = 0;
  friend bool operator==(const AgentLost&, const AgentLost&) = default;
};

// A worker process was started, or has ended.
struct WorkerProcess {
  AgentId agent = 0;
  ProcessNumber process = 0;
  bool ended = false;
  WallTime wall;
  friend bool operator==(const WorkerProcess&, const WorkerProcess&) = default;
};

struct LoadEnded {
  AgentId agent = 0;
  ProcessNumber process = 0;
  LoadStatus status = LoadStatus::kDone;
  WallTime start;
  std::uint32_t elapsed_us = 0;
  std::uint32_t cpu_us = 0;
  std::string error_type;
  std::string error_message;
  std::string traceback;
  friend bool operator==(const LoadEnded&, const LoadEnded&) = default;
};

struct AttemptEnded {
  AttemptRecord record;
  Verdict verdict = Verdict::kDone;
  std::uint32_t succeeded = 0;
  friend bool operator==(const AttemptEnded&, const AttemptEnded&) = default;
};

// A mini-batch has so many items, says who read it; the plan could not know.
struct Counted {
  BatchId batch = 0;
  std::uint32_t items = 0;
  friend bool operator==(const Counted&, const Counted&) = default;
};

// A mini-batch without a try left, or a piece of one, is tried on in halves: the first `count / 2`
// of its items, and the others.
struct Halved {
  BatchId batch = 0;
  ItemRange piece;
  friend bool operator==(const Halved&, const Halved&) = default;
};

// No more mini-batches are handed out: the job ended this way, or was asked to.
struct Stopped {
  JobStatus status = JobStatus::kFailed;
  std::string cause;
  bool for_good = false;  // resuming would end the same way
  friend bool operator==(const Stopped&, const Stopped&) = default;
};

// The result is about to be linked; a file there with this length and checksum is ours.
struct Publishing {
  std::string path;
  std::uint64_t length = 0;
  std::uint32_t crc = 0;
  friend bool operator==(const Publishing&, const Publishing&) = default;
};

struct Finished {
  JobStatus status = JobStatus::kCompleted;
  std::string cause;
  WallTime wall;
  friend bool operator==(const Finished&, const Finished&) = default;
};

// A stopped or finished job resumes; failed mini-batches start over when asked.
struct Reopened {
  bool failed_afresh = false;
  friend bool operator==(const Reopened&, const Reopened&) = default;
};

}  // namespace fact

// Whether the end of an attempt costs its mini-batch a try. A lost node never does, nor does a
// piece: it has one try alone.
inline bool is_charged(const fact::AttemptEnded& ended) {
  return ended.record.piece.count == 0 && ended.record.status != AttemptStatus::kNodeLost &&
         (ended.verdict == Verdict::kRetry || ended.verdict == Verdict::kFailed);
}

using Fact = std::variant<fact::EpochBegan,
                          fact::Planned,
                          fact::ListingEnded,
                          fact::SegmentOpened,
                          fact::SegmentSynced,
                          fact::AgentLost,
                          fact::WorkerProcess,
                          fact::LoadEnded,
                          fact::AttemptEnded,
                          fact::Counted,
                          fact::Halved,
                          fact::Stopped,
                          fact::Publishing,
                          fact::Finished,
                          fact::Reopened>;

}  // namespace windrow
