// SPDX-License-Identifier: Apache-2.0
//
// Where the time of a job went: every second of every worker, its slowest mini-batches, and what
// to change.
//
// A projection of the journal: the same facts give the same account.
// Thread: one at a time. Failure: none.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/schedule/job_state.h"

namespace windrow {

// What a worker did for a while.
struct Span {
  enum class Kind : std::uint8_t { kInit, kUseful, kLost };  // lost: its rows do not count
  Kind kind = Kind::kUseful;
  std::int64_t start_ns = 0;  // wall time
  std::int64_t end_ns = 0;
  BatchId batch = 0;        // the first of them; not of kInit
  std::uint32_t count = 1;  // attempts, one behind the other
};
inline constexpr std::uint8_t kSpanKindMax = 2;

// One worker process, and all that it did. Some did nothing.
struct WorkerLine {
  AgentId agent = 0;
  ProcessNumber process = 0;
  std::vector<Span> spans;  // in order of their starts
};

struct SlowBatch {
  BatchId batch = 0;
  std::uint32_t items = 0;
  ProcessNumber process = 0;
  double seconds = 0;
};

// What a worker held at most while it had this mini-batch.
struct HungryBatch {
  BatchId batch = 0;
  ProcessNumber process = 0;
  std::uint64_t bytes = 0;
};

struct Account {
  std::string first_failed;  // the first failed item and its error; may be empty
  // Worker-seconds; together they are `workers` times `wall`. Start-up is what comes before a
  // worker's init(), idle what is none of the others.
  double useful = 0;
  double lost = 0;
  double init = 0;
  double start_up = 0;
  double idle = 0;
  double wall = 0;            // seconds that the job was worked on, all its lives together
  std::uint32_t workers = 0;  // the most at a time
  std::uint64_t attempts = 0;
  std::uint64_t attempts_lost = 0;
  // Seconds of the mini-batches that count: the shortest, a quarter, half, three quarters, longest.
  std::array<double, 5> quartiles{};
  std::vector<SlowBatch> slowest;      // the slowest first
  std::vector<HungryBatch> hungriest;  // as far as known; the hungriest first
  // By node and process. Spans that are closer together than can be seen on a line which shows the
  // whole job are one; it is lost if one of them is.
  std::vector<WorkerLine> lines;
  std::vector<std::string> advice;  // what to change, and why

  [[nodiscard]] double all() const { return useful + lost + init + start_up + idle; }
};

// What the account needs to know of the job beside its facts.
struct AccountTerms {
  double timeout = 60;                // seconds that run() may take
  std::uint64_t mini_batch_size = 0;  // files in a mini-batch; 0: not cut by count
  std::uint32_t cpus = 0;             // of this machine; 0: not known
};

class Accountant {
 public:
  // Every fact of the job, in order.
  void take(const Fact& fact);

  // Without advice. `now`: wall time, for a job that is not over. Once.
  [[nodiscard]] Account close(bool over, WallTime now);

 private:
  struct Life {  // one epoch
    std::int64_t began_ns = 0;
    std::int64_t ended_ns = 0;  // of the last thing that is known of it
  };

  struct Worker {
    WorkerLine line;
    std::size_t life_number = 0;           // in which epoch it lived
    std::optional<std::int64_t> began_ns;  // the process; none: an old journal did not say
    std::optional<std::int64_t> ended_ns;
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> lived(const Life& life) const;
  };

  void weigh(const AttemptRecord& record);
  void take(const fact::AttemptEnded& ended);
  [[nodiscard]] std::int64_t straighten(WallTime wall);
  Worker& worker_of(AgentId agent, ProcessNumber process);
  void add(AgentId agent, ProcessNumber process, Span span);
  static std::uint32_t most_at_a_time(const std::vector<const Worker*>& workers, const Life& life);
  static double start_up(const std::vector<const Worker*>& workers,
                         const Life& life,
                         std::uint32_t at_a_time);
  void account_lives(Account& out) const;
  void rank(Account& out);

  std::map<std::pair<AgentId, ProcessNumber>, Worker> workers_;
  std::vector<SlowBatch> done_;  // each hand-out once
  std::vector<Life> lives_;
  Duration job_time_{};       // as the journal last said
  Duration time_before_{};    // when this epoch began
  std::int64_t jump_ns_ = 0;  // by so much the wall clock was set meanwhile
  std::uint64_t attempts_ = 0;
  std::vector<HungryBatch> hungriest_;
};

// Adds what to change. `batches`: how many the job has.
void advise(Account& account, const AccountTerms& terms, BatchId batches);

// For people, for programs, and as one page of HTML that needs nothing else.
std::string account_text(const Account& account, const std::string& job);
// `status`: of the job, "Completed".
std::string account_json(const Account& account, const std::string& job, const std::string& status);
std::string account_page(const Account& account, const std::string& job);

}  // namespace windrow
