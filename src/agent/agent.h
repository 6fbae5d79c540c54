// SPDX-License-Identifier: Apache-2.0
//
// One node's part in a job: keeps workers running, hands them mini-batches, keeps their rows in its
// own segment, and tells the master.
//
// The shell around the Supervisor: what happens is told to it, what it orders is carried out.
// Master and agent speak only in messages, also when they live in one process.
//
// Thread: the loop's. Ownership: loop, file system, link and log outlive the agent. Failure: a disk
// that refuses the segment is told to the master, which ends the job.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "agent/agent_log.h"
#include "base/ids.h"
#include "base/memory_room.h"
#include "base/result.h"
#include "core/supervise/supervisor.h"
#include "journal/appender.h"
#include "journal/staged_files.h"
#include "os/file_system.h"
#include "os/loop.h"
#include "os/worker_host.h"
#include "wire/agent/messages.h"
#include "wire/worker/packets.h"

namespace windrow {

// Where an agent writes.
struct AgentFolders {
  std::string rows;         // segments
  std::string process_raw;  // logs/sys/node/<id>: raw stdout and stderr
  std::string user_stdout;
  std::string user_stderr;
  std::string user_error;
  std::string user_log;
  std::string work;         // private working folders, one per process
  std::string staged;       // private outputs, one folder per process; only where they are staged
  std::string staged_done;  // what attempts have written there
};

struct AgentConfig {
  AgentId id = 0;
  std::uint64_t incarnation = 1;  // of the first join; unique for this agent in the job
  std::uint32_t slots = 1;
  std::string host;
  AgentFolders folders;
  Appender::Options segment;
  // More rows than this without a sync, and nobody gets new work.
  std::uint64_t unsynced_max = 64U << 20U;
  std::uint32_t depth_max = 64;  // mini-batches with one worker at a time
  GpuRules gpus;                 // of this node
  std::uint32_t nice = 0;        // of its workers
  // What is left of this node's memory; called on the loop, some times a second, so it has to be
  // quick. Left empty: nobody watches it.
  std::function<std::vector<MemoryRoom>()> memory;
};

class Agent final : public WorkerHost::Sink {
 public:
  using MakeHost = std::function<std::unique_ptr<WorkerHost>(WorkerHost::Sink&)>;

  Agent(Loop& loop,
        FileSystem& fs,
        const MakeHost& make_host,
        MasterLink& link,
        AgentLog& log,
        AgentConfig config);
  ~Agent() override;

  // Opens a segment and says Hello. Call once, first.
  Status join();

  void on_message(MasterMessage message);

  // True when the agent has ended, as told or because its master is gone for good.
  [[nodiscard]] bool ended() const { return ended_; }

  // The processes of the workers that run now.
  [[nodiscard]] std::vector<std::pair<ProcessNumber, int>> worker_pids() const;

  // One worker alone gets new mini-batches for now.
  [[nodiscard]] bool memory_low() const { return supervisor_ && supervisor_->memory_low(); }

  // A worker has died by itself. May be left empty; set before join().
  std::function<void(ProcessNumber, const WorkerUsage&)> on_death;

  void check_invariants() const;

  // WorkerHost::Sink
  void on_packet(ProcessNumber process, Packet packet) override;
  void on_exit(ProcessNumber process, const WorkerExit& exit) override;

 private:
  void take(to_agent::Welcome& message);
  void take(to_agent::Assign& message);
  void take(const to_agent::TakeBack& message);
  void take(const to_agent::Cancel& message);
  void take(const to_agent::Stop& message);
  void take(const to_agent::Alive& message);
  void take(const to_agent::Rejoin& message);

  void carry_out();
  void carry_out(order::StartWorker& one);
  void carry_out(order::Send& one);
  void carry_out(order::TakeBack& one);
  void carry_out(order::Shutdown& one);
  void carry_out(const order::ShowStack& one);
  void carry_out(order::Kill& one);
  void carry_out(const order::NoteDeath& one);
  void carry_out(order::ReportAttempt& one);
  WorkerStart start_of(ProcessNumber process);
  void carry_out(order::ReportLoad& one);
  void carry_out(order::ReportWindow& one);
  void carry_out(order::ReportTakenBack& one);
  void carry_out(order::ReportGaveUp& one);
  void carry_out(order::Note& one);
  void carry_out(const order::Warn& one);
  void carry_out(order::AllStopped& one);

  void take_single(ProcessNumber process,
                   const std::optional<Answer>& answer,
                   const std::string& payload);
  void take_bundle(ProcessNumber process, std::string_view payload);
  void take_answer(ProcessNumber process, const Answer& answer, const std::string& payload);
  AttemptRecord make_record(ProcessNumber process,
                            const Answer& answer,
                            std::uint32_t items,
                            std::string_view payload);
  RowRange keep_rows(const Token& token, std::uint32_t items, std::string_view rows);
  // The parts of an answer that is made of them; false when it is not what it says it is.
  bool take_parts(const Answer& answer,
                  std::uint32_t items,
                  std::string_view payload,
                  std::vector<Part>& parts) const;
  // Headers and rows go to the segment, one chunk each; reported items to the record.
  void keep_parts(const std::vector<Part>& parts, std::uint32_t items, AttemptRecord& record);
  void report(order::ReportAttempt& one);
  void keep_files(order::ReportAttempt one);
  void files_kept(order::ReportAttempt& one, Result<StagedAttempt>& kept);
  void discard(std::string folder);
  [[nodiscard]] std::string private_folder(ProcessNumber process) const;
  void send_alone(ProcessNumber process, Work work);
  void send_bundle(ProcessNumber process);
  void send_bundles();
  void send_bundles_soon();
  void hold_bundle(ProcessNumber process);
  std::vector<Work> take_unread(ProcessNumber process, std::uint32_t count);
  std::string stderr_tail(ProcessNumber process);
  [[nodiscard]] std::string raw_stderr(ProcessNumber process) const;
  std::string stack_shown(ProcessNumber process);
  Status open_segment();
  void skip_used_numbers();
  void segment_synced(std::uint64_t up_to);
  void say(ToMaster body);
  void say_stopped_when_synced();
  void say_hello();
  void abandon_workers();
  void rejoin();
  void heartbeat();
  void note_picked(TimePoint now);
  void limit_outputs();
  void watch_memory();
  void weigh(const Answer& answer, AttemptRecord& record);
  void arm_check();
  void check();

  // Mini-batches that go to a worker as one packet at the end of this turn of the loop.
  struct Bundle {
    std::vector<Work> works;
    std::size_t bytes = 0;
    bool held = false;  // the worker is being killed
  };

  Loop& loop_;
  FileSystem& fs_;
  MasterLink& link_;
  AgentLog& log_;
  AgentConfig config_;
  std::unique_ptr<WorkerHost> host_;
  std::unique_ptr<Appender> segment_;
  std::string segment_file_;
  std::unique_ptr<Supervisor> supervisor_;  // from Welcome on
  WorkerSettings settings_;
  Orders orders_;
  bool carrying_out_ = false;
  std::map<ProcessNumber, Bundle> bundles_;  // of the workers that understand them
  bool bundles_due_ = false;
  std::set<ProcessNumber> orphans_;                // workers of an earlier join, being ended
  std::map<ProcessNumber, std::uint64_t> stacks_;  // where in its stderr a worker shows its stack
  ProcessNumber process_next_ = 0;
  Epoch epoch_ = 0;
  std::uint64_t incarnation_ = 0;
  std::uint64_t number_out_ = 0;
  std::uint64_t number_in_ = 0;
  TimePoint heard_;
  bool silent_ = false;        // the master has not been heard for a while: nothing new is started
  bool stopping_ = false;      // every worker is gone; the last sync is awaited
  std::uint32_t keeping_ = 0;  // attempts that wait for their files to be durable
  bool ended_ = false;
  TimePoint check_at_;
  bool check_set_ = false;
  Loop::TimerId check_timer_{};
  std::shared_ptr<Agent*> self_;  // cleared by the destructor: late timers find nobody
};

}  // namespace windrow
