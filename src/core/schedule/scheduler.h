// SPDX-License-Identifier: Apache-2.0
//
// Decides which agent gets which mini-batch, what the end of an attempt means, and when the job is
// over.
//
// A state machine and nothing else: it reads no clock, opens no file, starts no thread and logs
// nothing. The caller feeds it events in the order they happened, journals the facts it returns and
// carries out the actions, in order. Durable state changes by facts alone (JobState); who holds
// what is volatile, and is rebuilt from nothing when a new master begins.
//
// Not thread-safe: it lives on the master's loop. Cannot fail: bad input was refused by spec/, and
// a broken invariant aborts.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/schedule/duration_median.h"
#include "core/schedule/job_state.h"
#include "core/schedule/stop_mode.h"

namespace windrow {

// When an attempt is final, and when the job is given up. docs/manual/limits.md
struct Limits {
  std::uint32_t tries_max = 3;
  std::int64_t error_threshold = -1;             // failed items allowed; -1: any number
  std::int64_t mini_batch_error_threshold = -1;  // failed mini-batches allowed; -1: any number
  std::string mini_batch_threshold_name = "mini_batch_error_threshold";  // as the user wrote it
  double failed_percent = 100;  // of all mini-batches, once all are planned
  Duration run_timeout = std::chrono::seconds(60);
  Duration overhead_timeout = std::chrono::seconds(30);
  Duration heartbeat_timeout = std::chrono::seconds(10);  // silence after which an agent is lost
  bool append_row = true;                                 // rows are merged into one file
  std::optional<Duration> progress_limit;  // as the user set it; see progress_timeout()
  Duration first_task_timeout = std::chrono::seconds(600);  // without a mini-batch, nor listing
  std::optional<Duration> init_limit;                       // of one worker; see stuck_timeout()
  Duration retry_delay{};                                   // between a failed attempt and the next
  std::vector<std::string> retry_on;       // names of errors; empty: every failure is tried again
  std::vector<std::string> fail_fast_on;   // these never are
  bool strict_results = false;             // more results than items fail the attempt
  bool retry_short_returns = false;        // fewer do while a try is left
  std::uint32_t losses_max = 5;            // nodes that one mini-batch may take with it
  std::vector<StagedFile> reserved_names;  // of staged outputs: those that files with rows will get
  bool replace_files = false;              // a staged file may take the place of an older one
  bool bisect_failed = false;  // instead of failing, a mini-batch is halved down to its bad items
  bool loads_whole = false;    // a part of it cannot be loaded either, where the whole cannot be
  bool speculate = false;      // idle workers try late mini-batches a second time

  [[nodiscard]] Duration lease() const { return run_timeout + overhead_timeout; }
  // No listing, init, attempt or merge progress for so long ends the job.
  [[nodiscard]] Duration progress_timeout() const;
  // All workers together may be in init() for so long.
  [[nodiscard]] Duration stuck_timeout() const;
};

namespace event {

struct Planned {
  std::vector<ItemRun> runs;
  std::uint64_t plan_bytes = 0;
};
struct ListingEnded {};
struct ListingProgressed {};  // a page was read that gave no mini-batch
// An agent is ready for work. It holds nothing: what it held before is taken as lost.
struct AgentJoined {
  AgentId agent = 0;
  std::uint32_t slots = 0;   // worker processes
  std::uint32_t window = 0;  // mini-batches it wants to hold at a time
  std::string segment_file;  // the new segment its rows go to
};
struct AgentHeard {  // any sign of life
  AgentId agent = 0;
};
struct AgentLost {
  AgentId agent = 0;
};
struct WindowChanged {
  AgentId agent = 0;
  std::uint32_t window = 0;
};
struct WorkerProcess {
  fact::WorkerProcess worker;
};
struct LoadEnded {
  fact::LoadEnded load;
};
// The agent has too many failed starts and no worker left.
struct AgentGaveUp {
  AgentId agent = 0;
  std::string cause;
};
struct AttemptEnded {
  AttemptRecord record;  // rows.segment is filled in here
};
// The end of an ask to take back; what was handed back came before, as attempts kReturned.
struct TakenBack {
  AgentId agent = 0;
};
struct SegmentSynced {
  AgentId agent = 0;
  std::uint64_t up_to = 0;
};
// The agent has stopped as asked: no worker is left and everything it reported is synced.
struct AgentStopped {
  AgentId agent = 0;
};
struct CancelAsked {
  bool at_once = false;
};
struct Broken {  // a disk, a listing, a changed input: the job cannot continue
  std::string cause;
  bool for_good = false;
};
struct AgentBroken {  // the agent cannot keep rows
  AgentId agent = 0;
  std::string cause;
};
struct Merged {
  std::vector<fact::Publishing> results;  // one for each file that gets rows
};
struct Published {};
struct MergeProgressed {};
struct Placed {  // the files of so many attempts are in their place
  std::size_t attempts = 0;
};
struct TimePassed {};

}  // namespace event

using Event = std::variant<event::Planned,
                           event::ListingEnded,
                           event::ListingProgressed,
                           event::AgentJoined,
                           event::AgentHeard,
                           event::AgentLost,
                           event::WindowChanged,
                           event::WorkerProcess,
                           event::LoadEnded,
                           event::AgentGaveUp,
                           event::AttemptEnded,
                           event::TakenBack,
                           event::SegmentSynced,
                           event::AgentStopped,
                           event::CancelAsked,
                           event::Broken,
                           event::AgentBroken,
                           event::Merged,
                           event::Published,
                           event::MergeProgressed,
                           event::Placed,
                           event::TimePassed>;

namespace action {

struct Assign {
  AgentId agent = 0;
  Token token;
  ItemRange items;          // of the mini-batch
  std::uint32_t tries = 0;  // charged before
};
struct TakeBack {
  AgentId agent = 0;
  std::uint32_t count = 0;
};
struct Cancel {  // end this attempt, if it is still running; its report does not matter
  AgentId agent = 0;
  Token token;
};
struct StopAgent {
  AgentId agent = 0;
  StopMode mode = StopMode::kFinish;
};
// When the journal is durable: put the files of these attempts in their place, as far as they are
// not there yet; answer with Placed.
struct Place {
  std::vector<Token> attempts;
};
struct Merge {};    // every mini-batch is final: complete the merged file, answer with Merged
struct Publish {};  // when the journal is durable: link the merged file, answer with Published
struct GiveUp {     // a disk refuses: end this master, not the job; nothing is journaled about it
  std::string cause;
};
struct Finish {};  // when the journal is durable: the job is over; see JobState::finished

}  // namespace action

using Action = std::variant<action::Assign,
                            action::TakeBack,
                            action::Cancel,
                            action::StopAgent,
                            action::Place,
                            action::Merge,
                            action::Publish,
                            action::GiveUp,
                            action::Finish>;

struct Decision {
  std::vector<Fact> facts;
  std::vector<Action> actions;
};

class Scheduler {
 public:
  // `state` is what the journal's facts gave. A job that was stopped or finished resumes only after
  // begin() was told so.
  Scheduler(JobState state, Limits limits);

  // Begins an epoch. Call once, first. `reopen` lets a stopped or finished job resume.
  void begin(const fact::EpochBegan& epoch,
             TimePoint now,
             std::optional<fact::Reopened> reopen,
             Decision& out);

  // Takes an event that happened at `now`; appends what follows to `out`.
  // Finish is returned exactly once; after it every event is ignored.
  // REQUIRES: `now` is no earlier than in the step before.
  void decide(Event event, TimePoint now, WallTime wall, Decision& out);

  // When TimePassed must come at the latest.
  [[nodiscard]] TimePoint deadline() const;

  [[nodiscard]] const JobState& state() const { return state_; }
  // Leaves none behind. REQUIRES: Finish was returned.
  [[nodiscard]] JobState take_state() { return std::move(state_); }
  [[nodiscard]] const Limits& limits() const { return limits_; }
  [[nodiscard]] Duration job_time(TimePoint now) const { return time_before_ + (now - began_); }
  [[nodiscard]] std::uint32_t running_workers() const;
  // For how long the workers have been in init() while none has got through it; none: one has.
  [[nodiscard]] std::optional<Duration> in_init(TimePoint now) const;
  // Whether there may be work for another agent. One that joins all the same is told to stop.
  [[nodiscard]] bool wants_agents() const { return may_assign(); }
  // Whether the agent has joined and is not lost.
  [[nodiscard]] bool has_agent(AgentId agent) const { return agents_.contains(agent); }

  // Aborts if the state contradicts itself. O(mini-batches): for tests and debug builds.
  void check_invariants() const;

 private:
  static constexpr AgentId kNobody = 0xffffffff;

  struct Hand {  // who holds a mini-batch, and under which number
    AgentId holder = kNobody;
    std::uint32_t picked = 0;
    std::uint32_t highest = 0;  // of all numbers that it was handed out under
  };

  struct Held {
    BatchId batch = 0;
    TimePoint since;  // when a worker began with it, as far as the order of the hand-outs tells
  };

  struct Delayed {
    TimePoint due;
    BatchId batch = 0;
  };

  struct Agent {
    SegmentId segment = 0;
    std::uint32_t slots = 0;
    std::uint32_t window = 0;
    std::vector<Held> held;  // in the order handed out
    bool ready = false;      // a worker has got through init()
    TimePoint init_since;    // none has since then
    bool taking_back = false;
    bool gave_up = false;
    std::optional<StopMode> stopping;
    TimePoint heard;
  };

  void take(const event::Planned& event);
  void take(const event::ListingEnded& event);
  void take(const event::ListingProgressed& event);
  void take(const event::AgentJoined& event);
  void take(const event::AgentHeard& event);
  void take(const event::AgentLost& event);
  void take(const event::WindowChanged& event);
  void take(const event::WorkerProcess& event);
  void take(event::LoadEnded& event);
  void take(const event::AgentGaveUp& event);
  void take(event::AttemptEnded& event);
  void take(const event::TakenBack& event);
  void take(const event::SegmentSynced& event);
  void take(const event::AgentStopped& event);
  void take(const event::CancelAsked& event);
  void take(const event::Broken& event);
  void take(const event::AgentBroken& event);
  void take(const event::Merged& event);
  void take(const event::Published& event);
  void take(const event::MergeProgressed& event);
  void take(const event::Placed& event);
  void take(const event::TimePassed& event);

  void emit(Fact fact);
  void keep_time(SegmentId segment, Duration at_least);
  void progressed() { progress_ = now_; }
  [[nodiscard]] bool may_assign() const;
  [[nodiscard]] std::optional<BatchId> next_pending();
  [[nodiscard]] ItemRange piece_out(BatchId batch) const;
  void hand_out(AgentId id, Agent& agent, const Token& token, const ItemRange& items);
  void drop(Agent& agent, BatchId batch);
  [[nodiscard]] bool let_go(const AttemptRecord& record);
  [[nodiscard]] bool accept_stale(BatchId id);
  bool assign_one(AgentId id, Agent& agent, std::uint32_t cap);
  void fill(AgentId id, Agent& agent);
  void fill_all();
  void balance();
  void speculate();
  [[nodiscard]] bool may_speculate() const;
  [[nodiscard]] Duration late_after() const { return durations_.median() * 3 / 2; }
  [[nodiscard]] std::optional<Held> longest_running() const;
  [[nodiscard]] std::map<AgentId, Agent>::iterator idle_agent();
  void note_duration(const AttemptRecord& record);
  void overtake(BatchId batch);
  void end_overtaken(const AttemptRecord& record);
  void forget_seconds_of(AgentId id, Agent& agent);
  void release(BatchId batch);
  void remove_agent(std::map<AgentId, Agent>::iterator agent, bool lost);
  void lose_running(AgentId id, const Agent& agent);
  void release_delayed();
  void stop(fact::Stopped how, StopMode mode);
  void stop_agents(StopMode mode);
  [[nodiscard]] Verdict judge(AttemptRecord& record, const Batch& batch) const;
  bool end_attempt(AttemptRecord record, SegmentId segment);
  [[nodiscard]] std::uint32_t items_of(const Portion& portion) const;
  [[nodiscard]] bool may_be_halved(const AttemptRecord& failed) const;
  bool halve(const Portion& failed);
  void halve_suspect(const Portion& done);
  [[nodiscard]] bool may_retry(const AttemptRecord& record) const;
  [[nodiscard]] std::string name_conflict(const AttemptRecord& record) const;
  [[nodiscard]] std::string root_cause() const;
  [[nodiscard]] std::string why_no_result() const;
  void check_thresholds();
  void check_load_failures();
  void check_all_gave_up();
  void check_stuck_in_init();
  void check_progress();
  void check_ended();
  void place_committed();
  void finish(JobStatus status, std::string cause);
  [[nodiscard]] const char* blocked_stage() const;

  JobState state_;
  Limits limits_;
  Duration time_before_{};  // job time of earlier epochs
  TimePoint began_;
  TimePoint now_;
  WallTime wall_;
  TimePoint progress_;
  std::vector<Hand> hands_;          // one per mini-batch: its only hand-out, or the first of two
  std::map<BatchId, Hand> seconds_;  // late ones: the second hand-out, or that there was one
  std::map<Token, ItemRange> overtaken_;     // that may still report their ends, and their pieces
  DurationMedian durations_;                 // of attempts that succeeded
  std::deque<BatchId> returned_;             // pending again: before new work
  std::deque<Delayed> delayed_;              // pending again, but not yet; the first is due first
  std::map<BatchId, ItemRange> pieces_out_;  // of halved mini-batches: the piece that is handed out
  BatchId next_new_ = 0;
  std::map<AgentId, Agent> agents_;
  std::uint32_t load_failures_ = 0;  // continuous, in the whole job
  std::string last_load_failure_;
  bool merging_ = false;
  bool published_ = false;
  std::size_t place_asked_ = 0;  // of JobState::staged()
  std::size_t placed_ = 0;
  bool finish_said_ = false;
  std::string first_give_up_;
  Decision* out_ = nullptr;  // of the event in hand
};

}  // namespace windrow
