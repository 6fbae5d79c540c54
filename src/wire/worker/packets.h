// SPDX-License-Identifier: Apache-2.0
//
// The packets between an agent and a worker: docs/formats/worker-protocol.md, nothing more.
//
// Decoding trusts nothing: a packet that is not exactly what the page says gives nothing.
// Stateless, any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "core/spec/job_spec.h"
#include "os/worker_host.h"

namespace windrow {

using PacketHeader = std::array<char, kPacketHeaderSize>;

enum class CommandKind : std::uint32_t { kStart = 1, kBatch = 2, kShutdown = 3, kBundle = 4 };

struct Command {
  CommandKind kind = CommandKind::kBatch;
  Token token;
  std::uint32_t items = 0;
  std::uint32_t tries = 0;
  std::uint64_t payload_size = 0;
};

enum class AnswerKind : std::uint32_t {
  kReady = 1,
  kInitFailed = 2,
  kDone = 3,
  kFailed = 4,
  kGoodbye = 5,
  kBundle = 6,
};

inline constexpr std::uint32_t kFlagWrongType = 2;
inline constexpr std::uint32_t kFlagLoad = 4;
inline constexpr std::uint32_t kFlagSerialise = 8;
inline constexpr std::uint32_t kFlagRefused = 16;
inline constexpr std::uint32_t kFlagParts = 32;    // the payload is parts, not rows of one output
inline constexpr std::uint32_t kFlagBundles = 64;  // ready: bundles are understood

struct Answer {
  AnswerKind kind = AnswerKind::kDone;
  Token token;
  std::uint32_t returned = 0;
  std::uint32_t flags = 0;
  std::uint64_t payload_size = 0;
  std::uint64_t start_ns = 0;
  std::uint32_t elapsed_us = 0;
  std::uint32_t run_us = 0;
  std::uint32_t cpu_us = 0;
  std::optional<std::uint32_t> items;  // how many there were; none: as many as were handed out
};

// What a worker says of an exception.
struct ScriptError {
  std::string type;
  std::string message;
  std::string traceback;
  std::string method;
  std::vector<std::string> bases;  // its class and those above it, qualified
};

PacketHeader encode_command(const Command& command);
std::optional<Command> decode_command(const Packet& packet);

// A bundle is several packets in the payload of one: batch commands, or answers to them.
void append_to_bundle(const PacketHeader& header, std::string_view payload, std::string& bundle);
// Its packets, in order; nothing when the payload is not made of whole ones.
std::optional<std::vector<Packet>> split_bundle(std::string_view payload);

PacketHeader encode_answer(const Answer& answer);
std::optional<Answer> decode_answer(const Packet& packet);

enum class PartKind : std::uint8_t { kRows = 0, kHeader = 1, kReported = 2 };

// A part of an answer with kFlagParts.
struct Part {
  PartKind kind = PartKind::kRows;
  std::uint8_t output = 0;  // which named output, for rows and header
  std::uint32_t item = 0;   // which item, for one that the script reported
  std::string_view body;    // rows, header, or the reason; within the payload
};

// Nothing when the payload is not made of whole, known parts.
std::optional<std::vector<Part>> decode_parts(std::string_view payload);

// Always gives something: any other payload becomes the message itself. Long texts
// are cut to what the journal keeps.
ScriptError parse_script_error(std::string_view payload);

// What a worker needs to begin; the payload of a start command.
struct WorkerStart {
  std::string script;
  std::string code_root;
  std::vector<std::string> argv;
  std::string process;
  AgentId node = 0;
  std::string user_stdout;
  std::string user_stderr;
  std::string user_error;
  std::string log_folder;
  std::string output_folder;
  bool append_row = true;
  InputAs input_as = InputAs::kFiles;
  std::string partition;                 // JSON: where partition keys stand; empty: there are none
  std::string table;                     // JSON: how it is read, where the items are rows of one
  std::string module;                    // dotted name; empty: the script is a path
  std::vector<std::string> row_outputs;  // names; with two and more, run() may return a dict
  RowStyle rows;
  std::string row_settings;  // JSON text of the script's settings file; empty: none
  std::string python_logging_level = "WARNING";
  std::uint64_t user_log_max = 0;  // bytes; 0: no limit
  Profiler profiler = Profiler::kNone;
  std::string profile;  // where the profile goes
  // When outputs are staged: the folder that holds the worker's own ones, where it is to be taken
  // after each attempt, and the names in it.
  std::string staging;
  std::string staging_done;
  std::vector<std::string> staging_outputs;
};
std::string encode_worker_start(const WorkerStart& start);

}  // namespace windrow
