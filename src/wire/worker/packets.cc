// SPDX-License-Identifier: Apache-2.0
#include "wire/worker/packets.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "base/json.h"
#include "core/spec/values.h"

namespace windrow {
namespace {

constexpr std::uint32_t kCommandMagic = 0x31445257;
constexpr std::uint32_t kAnswerMagic = 0x31415257;
constexpr std::size_t kMessageMax = 2048;
constexpr std::size_t kTracebackMax = 8192;
constexpr std::size_t kBasesMax = 32;

template <class Number>
void put(PacketHeader& header, std::size_t offset, Number value) {
  std::memcpy(header.data() + offset, &value, sizeof(Number));
}

template <class Number>
Number get(const PacketHeader& header, std::size_t offset) {
  Number value{};
  std::memcpy(&value, header.data() + offset, sizeof(Number));
  return value;
}

void put_token(PacketHeader& header, const Token& token) {
  put(header, 8, token.epoch);
  put(header, 16, token.batch);
  put(header, 20, token.picked);
}

Token get_token(const PacketHeader& header) {
  return {get<Epoch>(header, 8), get<BatchId>(header, 16), get<std::uint32_t>(header, 20)};
}

// Both ends of a long text matter: what it is, and where it ended.
std::string cut(std::string text, std::size_t max) {
  if (text.size() <= max) return text;
  return text.substr(0, max / 2) + "\n...\n" + text.substr(text.size() - max / 2);
}

std::string member(const Json& object, const char* name) {
  const Json* value = object.find(name);
  const auto* text = value == nullptr ? nullptr : value->get<std::string>();
  return text == nullptr ? std::string() : *text;
}

// Only what differs from the text that append_row promises.
void write_row_style(const RowStyle& rows, JsonWriter& json) {
  if (rows.format != RowFormat::kAzure) {
    json.field("format", to_text(rows.format));
  }
  if (rows.separator) json.field("separator", *rows.separator);
  if (rows.header) json.field("header", true);
  if (!rows.field.empty()) json.field("field", rows.field);
}

}  // namespace

PacketHeader encode_command(const Command& command) {
  PacketHeader header{};
  put(header, 0, kCommandMagic);
  put(header, 4, static_cast<std::uint32_t>(command.kind));
  put_token(header, command.token);
  put(header, 24, command.items);
  put(header, 28, command.tries);
  put(header, 32, command.payload_size);
  return header;
}

std::optional<Command> decode_command(const Packet& packet) {
  const PacketHeader& header = packet.header;
  const auto kind = get<std::uint32_t>(header, 4);
  if (get<std::uint32_t>(header, 0) != kCommandMagic || kind < 1 || kind > 4) return std::nullopt;
  Command command;
  command.kind = static_cast<CommandKind>(kind);
  command.token = get_token(header);
  command.items = get<std::uint32_t>(header, 24);
  command.tries = get<std::uint32_t>(header, 28);
  command.payload_size = get<std::uint64_t>(header, 32);
  if (command.payload_size != packet.payload.size()) return std::nullopt;
  return command;
}

void append_to_bundle(const PacketHeader& header, std::string_view payload, std::string& bundle) {
  bundle.append(header.data(), header.size());
  bundle += payload;
}

std::optional<std::vector<Packet>> split_bundle(std::string_view payload) {
  std::vector<Packet> packets;
  while (!payload.empty()) {
    Packet& packet = packets.emplace_back();
    if (payload.size() < packet.header.size()) return std::nullopt;
    std::ranges::copy(payload.substr(0, packet.header.size()), packet.header.begin());
    payload.remove_prefix(packet.header.size());
    const auto size = get<std::uint64_t>(packet.header, 32);
    if (size > payload.size()) return std::nullopt;
    packet.payload = payload.substr(0, size);
    payload.remove_prefix(size);
  }
  return packets;
}

PacketHeader encode_answer(const Answer& answer) {
  PacketHeader header{};
  put(header, 0, kAnswerMagic);
  put(header, 4, static_cast<std::uint32_t>(answer.kind));
  put_token(header, answer.token);
  put(header, 24, answer.returned);
  put(header, 28, answer.flags);
  put(header, 32, answer.payload_size);
  put(header, 40, answer.start_ns);
  put(header, 48, answer.elapsed_us);
  put(header, 52, answer.run_us);
  put(header, 56, answer.cpu_us);
  put(header, 60, answer.items ? *answer.items + 1 : 0);
  return header;
}

std::optional<Answer> decode_answer(const Packet& packet) {
  const PacketHeader& header = packet.header;
  const auto kind = get<std::uint32_t>(header, 4);
  if (get<std::uint32_t>(header, 0) != kAnswerMagic || kind < 1 || kind > 6) return std::nullopt;
  Answer answer;
  answer.kind = static_cast<AnswerKind>(kind);
  answer.token = get_token(header);
  answer.returned = get<std::uint32_t>(header, 24);
  answer.flags = get<std::uint32_t>(header, 28);
  answer.payload_size = get<std::uint64_t>(header, 32);
  answer.start_ns = get<std::uint64_t>(header, 40);
  answer.elapsed_us = get<std::uint32_t>(header, 48);
  answer.run_us = get<std::uint32_t>(header, 52);
  answer.cpu_us = get<std::uint32_t>(header, 56);
  if (const auto items = get<std::uint32_t>(header, 60); items > 0) answer.items = items - 1;
  if (answer.payload_size != packet.payload.size()) return std::nullopt;
  return answer;
}

std::optional<std::vector<Part>> decode_parts(std::string_view payload) {
  std::vector<Part> parts;
  ByteReader bytes(payload);
  while (!bytes.rest().empty()) {
    Part part;
    const auto kind = bytes.fixed<std::uint8_t>();
    part.kind = static_cast<PartKind>(kind);
    part.output = bytes.fixed<std::uint8_t>();
    const auto zero = bytes.fixed<std::uint16_t>();
    part.item = bytes.fixed<std::uint32_t>();
    const auto size = bytes.fixed<std::uint64_t>();
    if (!bytes.ok() || kind > 2 || zero != 0 || size > bytes.rest().size()) return std::nullopt;
    part.body = bytes.rest().substr(0, size);
    bytes = ByteReader(bytes.rest().substr(size));
    parts.push_back(part);
  }
  return parts;
}

ScriptError parse_script_error(std::string_view payload) {
  const Result<Json> json = parse_json(payload);
  ScriptError error;
  if (!json || json->get<Json::Object>() == nullptr) {
    error.type = "Error";
    error.message = cut(std::string(payload), kMessageMax);
    return error;
  }
  error.type = cut(member(*json, "type"), 256);
  error.message = cut(member(*json, "message"), kMessageMax);
  error.traceback = cut(member(*json, "traceback"), kTracebackMax);
  error.method = cut(member(*json, "method"), 32);
  const Json* bases = json->find("bases");
  const auto* list = bases == nullptr ? nullptr : bases->get<Json::Array>();
  for (std::size_t i = 0; list != nullptr && i < std::min(list->size(), kBasesMax); ++i) {
    if (const auto* name = (*list)[i].get<std::string>()) error.bases.push_back(cut(*name, 256));
  }
  return error;
}

std::string encode_worker_start(const WorkerStart& start) {
  JsonWriter json;
  json.begin_object();
  json.field("script", start.script);
  json.field("code_root", start.code_root);
  json.key("argv").begin_array();
  for (const std::string& argument : start.argv) json.value(argument);
  json.end_array();
  json.field("process", start.process);
  json.field("node", start.node);
  json.field("user_stdout", start.user_stdout);
  json.field("user_stderr", start.user_stderr);
  json.field("user_error", start.user_error);
  json.field("log_folder", start.log_folder);
  json.field("output_folder", start.output_folder);
  json.field("append_row", start.append_row);
  if (start.input_as == InputAs::kJsonLines) json.field("items", "jsonl");
  if (start.input_as == InputAs::kTable) json.field("table", start.table);
  if (!start.partition.empty()) json.field("partition", start.partition);
  if (!start.module.empty()) json.field("module", start.module);
  if (start.row_outputs.size() > 1) {
    json.key("row_outputs").begin_array();
    for (const std::string& name : start.row_outputs) json.value(name);
    json.end_array();
  }
  write_row_style(start.rows, json);
  if (!start.row_settings.empty()) json.field("row_settings", start.row_settings);
  json.field("python_logging_level", start.python_logging_level);
  json.field("user_log_max", start.user_log_max);
  if (start.profiler != Profiler::kNone) {
    json.field("profiler", start.profiler == Profiler::kProfile ? "profile" : "cProfile");
    json.field("profile", start.profile);
  }
  if (!start.staging.empty()) {
    json.field("staging", start.staging);
    json.field("staging_done", start.staging_done);
    json.key("staging_outputs").begin_array();
    for (const std::string& name : start.staging_outputs) json.value(name);
    json.end_array();
  }
  json.end_object();
  return json.text();
}

}  // namespace windrow
