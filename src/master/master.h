// SPDX-License-Identifier: Apache-2.0
//
// The leader of a job: lists and plans the input, journals every fact, hands out mini-batches,
// merges and publishes the rows, and ends the job.
//
// The shell around the Scheduler: events in, facts to the journal, actions carried out. One epoch
// of one job; a second master on the same folder takes the next epoch, and the first one notices
// and ends without a trace in the result.
//
// Thread: the loop's. Ownership: loop, file system, links and log outlive it. Failure: open() says
// no; afterwards everything ends in finished() with an outcome.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/schedule/run_ending.h"
#include "core/schedule/scheduler.h"
#include "journal/job_folder.h"
#include "journal/journal.h"
#include "journal/plan_file.h"
#include "master/master_log.h"
#include "master/merger.h"
#include "master/placer.h"
#include "master/planner.h"
#include "os/file_system.h"
#include "os/loop.h"
#include "wire/agent/messages.h"

namespace windrow {

struct MasterConfig {
  JobFolder folder{""};
  Limits limits;
  WorkerSettings worker;
  PlanRules plan;
  std::vector<std::string> targets;  // the files that get rows; none without append_row
  RowForm rows;                      // of these files
  bool replace_targets = false;      // and staged files
  bool pending_may_change = false;   // files without a result may differ from what was listed
  bool accept_input = false;         // and all others, as far as they are there
  Appender::Options journal;
};

class Master {
 public:
  Master(Loop& loop, FileSystem& fs, AgentLinks& links, MasterLog& log, MasterConfig config);
  ~Master();

  // Takes the job over: creates the journal of the next epoch and begins to plan and to hand out.
  // `job` is what replay_job gave; `reopen` lets a stopped or finished job resume.
  Status open(ReplayedJob job, std::optional<fact::Reopened> reopen);

  void on_message(AgentMessage message);

  // Asks for an orderly stop; a second time, or at once: without waiting for what runs.
  void cancel(bool at_once);

  [[nodiscard]] bool finished() const { return end_.has_value(); }
  [[nodiscard]] RunEnding end() const { return *end_; }
  [[nodiscard]] const std::string& broken_cause() const { return broken_cause_; }
  [[nodiscard]] Epoch epoch() const { return scheduler_->state().epoch(); }
  [[nodiscard]] const Scheduler& scheduler() const { return *scheduler_; }
  [[nodiscard]] const JobState& state() const { return scheduler_->state(); }
  // Leaves none behind. REQUIRES: finished(); nothing but destruction comes after it.
  [[nodiscard]] JobState take_state() { return scheduler_->take_state(); }
  [[nodiscard]] std::uint64_t merged_bytes() const { return merged_bytes_; }
  // Called when finished() becomes true.
  std::function<void()> on_finished;
  // Called with something that the user should know, once each.
  std::function<void(const std::string&)> on_note;

 private:
  struct Session {  // one join of an agent
    std::uint64_t incarnation = 0;
    std::uint64_t number_in = 0;
    std::uint64_t number_out = 0;
  };

  Status open_plan(const JobState& state, Epoch epoch);
  void step(Event event);
  void carry_out(Decision& decision);
  void carry_out(const action::Assign& action);
  void carry_out(const action::TakeBack& action);
  void carry_out(const action::Cancel& action);
  void carry_out(const action::StopAgent& action);
  void carry_out(const action::Place& action);
  void carry_out(const action::Merge& action);
  void carry_out(const action::Publish& action);
  void carry_out(const action::GiveUp& action);
  void carry_out(const action::Finish& action);
  void say(AgentId agent, ToAgent body);
  void hello(const AgentMessage& message, const to_master::Hello& hello);
  void take(AgentId agent, ToMaster& body);
  Result<std::string> paths_of(BatchId id, const ItemRange& items);
  Status check_unchanged(std::string_view paths);
  void listed(const ListingRemarks& remarks);
  void publish();
  void tick();
  void tick_later();
  void wake_in_time();
  void make_merger(Epoch epoch);
  void make_placer();
  [[nodiscard]] bool superseded();
  void failed(const Error& error, RunEnding how);
  void not_merged(const Error& error);
  void broken(std::string cause);
  void end(RunEnding how);

  Loop& loop_;
  FileSystem& fs_;
  AgentLinks& links_;
  MasterLog& log_;
  MasterConfig config_;
  // By input: NUL, root and a slash, which is what stands between two names of a path list; and
  // whether some names may be whole paths, which have no root.
  std::vector<std::string> path_between_;
  std::vector<bool> has_list_;
  std::unique_ptr<Scheduler> scheduler_;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<Planner> planner_;
  std::optional<PlanReader> plan_;
  std::unique_ptr<Merger> merger_;
  std::vector<fact::Publishing> published_before_;  // what dead masters were about to link
  std::unique_ptr<Placer> placer_;
  std::map<AgentId, Session> sessions_;
  bool resumed_ = false;        // input files are looked at before they are handed out
  WallTime accepted_before_;    // changes of files up to then were accepted
  bool found_newer_ = false;    // a file is newer than the plan
  bool input_checked_ = false;  // the planner found every name of the plan unchanged
  bool merge_waits_ = false;    // for input_checked_
  std::uint64_t merged_bytes_ = 0;
  bool stepping_ = false;
  TimePoint next_tick_;
  TimePoint wake_;            // the next TimePassed: next_tick_, or something that is due before it
  std::vector<Event> later_;  // events that came while another was being carried out
  std::optional<RunEnding> end_;
  std::string broken_cause_;
  std::shared_ptr<Master*> self_;
};

}  // namespace windrow
