// SPDX-License-Identifier: Apache-2.0
//
// The journal of a job: its facts, one file per epoch (state/journal.<epoch>).
//
// Each file's first record names how much of its predecessor was accepted, with a checksum, so a
// master that was paused and wakes up later writes into a file whose end nobody reads. Nothing is
// truncated in place and no lock needs a hand. Layout: docs/formats/journal.md.
//
// Thread: replay anywhere; Journal on the loop. Failure: replay refuses a chain that contradicts
// itself, and uses the last good prefix of the newest file.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "core/schedule/job_state.h"
#include "journal/appender.h"
#include "os/file_system.h"
#include "os/loop.h"

namespace windrow {

// How much of the newest journal counts.
struct JournalEnd {
  Epoch epoch = 0;  // 0: there is no journal yet
  std::uint64_t length = 0;
  std::uint32_t crc = 0;
  Epoch highest = 0;  // of all names: newer than `epoch` when a master died creating its journal
};

// Reads all journals in `state_folder` in order of epoch. `each` gets every fact that counts, and
// may take it; its error ends the replay.
Result<JournalEnd> replay_journals(FileSystem& fs,
                                   const std::string& state_folder,
                                   const std::function<Status(Fact&)>& each);

// Where the record of a fact begins.
struct JournalPlace {
  Epoch epoch = 0;
  std::uint64_t offset = 0;
  friend bool operator==(const JournalPlace&, const JournalPlace&) = default;
};

// replay_journals, with the place of every fact.
Result<JournalEnd> replay_with_places(
    FileSystem& fs,
    const std::string& state_folder,
    const std::function<Status(Fact&, const JournalPlace&)>& each);

// The fact that is there. For those who know that it counts.
Result<Fact> read_fact(FileSystem& fs, const std::string& state_folder, const JournalPlace& place);

// replay_journals into a state, with every fact checked before it is applied.
struct ReplayedJob {
  JobState state;
  JournalEnd end;
};
Result<ReplayedJob> replay_job(FileSystem& fs, const std::string& state_folder);

// The highest epoch for which there is a journal; 0 when there is none.
Result<Epoch> newest_epoch(FileSystem& fs, const std::string& state_folder);

class Journal {
 public:
  // Creates journal.<after.highest + 1> and makes it durable, and before it what it builds on.
  // kConflict when another master has created it already.
  static Result<std::unique_ptr<File>> create(FileSystem& fs,
                                              const std::string& state_folder,
                                              const JournalEnd& after,
                                              std::uint64_t& size);

  Journal(Loop& loop,
          std::unique_ptr<File> file,
          std::uint64_t size,
          Appender::Options options,
          Appender::OnError on_error);

  void append(const Fact& fact);

  // Runs `then` when everything appended so far is durable. Callbacks run in order.
  void when_durable(std::function<void()> then);

  [[nodiscard]] std::uint64_t bytes() const { return appender_.end(); }

 private:
  void synced(std::uint64_t up_to);

  struct Waiting {
    std::uint64_t end;
    std::function<void()> then;
  };
  Appender appender_;
  std::deque<Waiting> waiting_;
};

}  // namespace windrow
