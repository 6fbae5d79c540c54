// SPDX-License-Identifier: Apache-2.0
//
// What master and agent say to each other, as plain values; a transport carries them.
//
// Level-triggered: an agent that joins says what it offers and holds nothing, and any gap in the
// numbers of either side makes it join again, so a message may be lost, late or repeated without
// harm. Reports name the token of their hand-out; the master ignores every other one.
// Description: docs/formats/agent-protocol.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/schedule/facts.h"
#include "core/schedule/stop_mode.h"
#include "core/spec/job_paths.h"
#include "core/spec/job_spec.h"

namespace windrow {

// Stands for the process's name in the paths of staged outputs: no path has one of its own.
inline constexpr char kProcessMark = '\0';

// How to run the user's script: the same on every node.
struct WorkerSettings {
  std::vector<std::string> program;  // interpreter and worker shim, or a program of the user's
  bool passes_argv = false;          // the rest of argv follows the program as its arguments
  std::vector<std::pair<std::string, std::string>> environment;
  std::string script;
  std::string module;  // dotted name, when the script was given by one
  std::string code_root;
  std::vector<std::string> argv;
  InputAs input_as = InputAs::kFiles;
  std::string table;      // JSON text of how it is read
  std::string partition;  // JSON text of where partition keys stand in paths
  std::string output_folder;
  // Where files belong that the script writes; none: it writes them there itself. Else argv,
  // environment and output_folder lead to places of each worker's own, by kProcessMark.
  std::vector<StagedOutput> staged;
  bool append_row = true;
  std::vector<std::string> row_outputs;  // names of the outputs that get rows, in order
  RowStyle rows;
  std::string row_settings;  // text of the script's settings file; empty: there is none
  std::string python_logging_level = "WARNING";
  std::uint64_t user_log_max = 256U << 20U;
  Profiler profiler = Profiler::kNone;
  Duration run_timeout = std::chrono::seconds(60);
  std::string timeout_hint;  // behind the message of run_timeout: a likelier cause
  Duration overhead_timeout = std::chrono::seconds(30);
  std::optional<Duration> init_timeout;  // none: 3 x run_timeout + 30 s
  std::uint32_t batches_max = 0;         // a worker is replaced after so many; 0: never
  std::uint64_t rss_max = 0;             // and above so many bytes of memory; 0: never
};

namespace to_agent {

struct Welcome {
  Epoch epoch = 0;
  ProcessNumber process_next = 0;
  WorkerSettings settings;
};
struct Assign {
  Token token;
  std::uint32_t items = 0;
  std::uint32_t tries = 0;
  std::string paths;  // absolute, separated by NUL
};
struct TakeBack {
  std::uint32_t count = 0;
};
struct Cancel {  // another attempt was first
  Token token;
};
struct Stop {
  StopMode mode = StopMode::kFinish;
};
struct Alive {};   // nothing else to say for a while
struct Rejoin {};  // something was lost: say Hello again. Stands outside the numbers.

}  // namespace to_agent

using ToAgent = std::variant<to_agent::Welcome,
                             to_agent::Assign,
                             to_agent::TakeBack,
                             to_agent::Cancel,
                             to_agent::Stop,
                             to_agent::Alive,
                             to_agent::Rejoin>;

namespace to_master {

struct Hello {
  std::uint32_t slots = 0;
  std::uint32_t window = 0;
  std::string segment_file;
  std::string host;
};
struct Alive {};
struct WindowChanged {
  std::uint32_t window = 0;
};
struct WorkerProcess {
  fact::WorkerProcess worker;
};
struct LoadEnded {
  fact::LoadEnded load;
};
struct AttemptEnded {
  AttemptRecord record;
};
struct TakenBack {};
struct SegmentSynced {
  std::uint64_t up_to = 0;
};
struct GaveUp {
  std::string cause;
};
struct Stopped {};
struct Broken {
  std::string cause;
};

}  // namespace to_master

using ToMaster = std::variant<to_master::Hello,
                              to_master::Alive,
                              to_master::WindowChanged,
                              to_master::WorkerProcess,
                              to_master::LoadEnded,
                              to_master::AttemptEnded,
                              to_master::TakenBack,
                              to_master::SegmentSynced,
                              to_master::GaveUp,
                              to_master::Stopped,
                              to_master::Broken>;

// The numbers of a conversation begin at 1 with Hello and with Welcome.
struct AgentMessage {
  AgentId agent = 0;
  std::uint64_t incarnation = 0;  // rises every time the agent joins
  std::uint64_t number = 0;
  ToMaster body;
};

struct MasterMessage {
  Epoch epoch = 0;
  std::uint64_t incarnation = 0;  // of the agent that it is for
  std::uint64_t number = 0;
  ToAgent body;
};

// The agent's way to its master.
class MasterLink {
 public:
  virtual ~MasterLink() = default;
  virtual void send(AgentMessage message) = 0;
};

// The master's way to its agents.
class AgentLinks {
 public:
  virtual ~AgentLinks() = default;
  virtual void send(AgentId agent, MasterMessage message) = 0;
};

}  // namespace windrow
