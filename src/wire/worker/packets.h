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
#include "os/worker_host.h"

namespace windrow {

using PacketHeader = std::array<char, kPacketHeaderSize>;

enum class CommandKind : std::uint32_t { kStart = 1, kBatch = 2, kShutdown = 3 };

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
};

inline constexpr std::uint32_t kFlagWrongType = 2;
inline constexpr std::uint32_t kFlagLoad = 4;
inline constexpr std::uint32_t kFlagSerialise = 8;
inline constexpr std::uint32_t kFlagRefused = 16;

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
};

// What a worker says of an exception.
struct ScriptError {
  std::string type;
  std::string message;
  std::string traceback;
  std::string method;
};

PacketHeader encode_command(const Command& command);
std::optional<Command> decode_command(const Packet& packet);

PacketHeader encode_answer(const Answer& answer);
std::optional<Answer> decode_answer(const Packet& packet);

// Always gives something: a payload that is no such object becomes the message itself. Long texts
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
};
std::string encode_worker_start(const WorkerStart& start);

}  // namespace windrow
