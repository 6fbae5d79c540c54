// SPDX-License-Identifier: Apache-2.0
//
// Faults that the simulation plants into the engine to prove that it would find them.
//
// `planted(Fault::kX)` is false in every build but the simulation's (CMake option WINDROW_PLANTS),
// where a test switches one fault on at a time. Each marker stands where a real mistake could.
#pragma once

#include <cstdint>

namespace windrow {

enum class Fault : std::uint8_t {
  kNone,
  kSkipSegmentSync,       // says a segment is synced without syncing it
  kSkipJournalSync,       // says the journal is synced without syncing it
  kSkipPlanSync,          // plans mini-batches before the plan is durable
  kAcceptStaleToken,      // takes a report whatever hand-out it names
  kChargeBystander,       // charges a mini-batch that only waited in a dead worker's queue
  kForgetUnread,          // drops what a dead worker had not read
  kPublishBeforeCommit,   // merges rows that are ended but not synced
  kReuseEpoch,            // starts again under the epoch of the predecessor
  kCommitOnEnd,           // counts a mini-batch as committed when its attempt ends
  kKeepUnsynced,          // keeps what a lost agent had not synced
  kRetryForEver,          // forgets to count tries
  kTruncatedTailTrusted,  // takes a record whose checksum is wrong
  kDoubleAssign,          // hands out a mini-batch that somebody holds
  kMergeSkipsOne,         // leaves out the last committed mini-batch of a merge
  kLinkBeforeJournal,     // links the result before Publishing is durable
  kIgnoreTimeLimit,       // never ends a worker that hangs
  kBuildOnUnsynced,       // starts a journal after one that was only seen, not synced
  kSkipFolderSync,        // creates a segment whose name is not durable
  kNeverRejoin,           // leaves an agent alone that was given up and is heard again
  kTwoWorkersOneToken,    // gives what a busy worker holds to an idle one as well
  kPiecesBackwards,       // merges the pieces of a halved mini-batch last things first
  kCondemnSuspect,        // takes the other half of something bad for bad without trying it
  kSecondSameToken,       // hands out a late mini-batch again under the same number
  kForgetBundle,          // takes back the first of a bundle and drops the others
  kForgetCount,           // lets the plan know better how many rows a table has
  kLast = kForgetCount,
};

#if defined(WINDROW_PLANTS)
inline Fault planted_fault = Fault::kNone;
inline bool planted(Fault fault) { return planted_fault == fault; }
#else
constexpr bool planted(Fault /*fault*/) { return false; }
#endif

}  // namespace windrow
