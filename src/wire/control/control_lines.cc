// SPDX-License-Identifier: Apache-2.0
#include "wire/control/control_lines.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/json.h"

namespace windrow {
namespace {

constexpr std::array kStages{"preparing", "running", "ended"};
constexpr std::array kRequests{"status", "watch", "cancel", "stop"};
constexpr std::array kEvents{"stage", "note", "detail", "error", "progress", "missed", "ended"};

template <class Enum, std::size_t N>
std::optional<Enum> from_word(const std::array<const char*, N>& words, std::string_view word) {
  const auto* const found =
      std::ranges::find(words, word, [](const char* text) { return std::string_view(text); });
  if (found == words.end()) return std::nullopt;
  return static_cast<Enum>(found - words.begin());
}

// Members of an object, each with what it is when it is missing or of another kind.
class Members {
 public:
  explicit Members(const Json& json) : json_(json) {}

  [[nodiscard]] std::string text(std::string_view name) const {
    const Json* const found = json_.find(name);
    const auto* const value = found == nullptr ? nullptr : found->get<std::string>();
    return value == nullptr ? "" : *value;
  }
  [[nodiscard]] std::int64_t number(std::string_view name) const {
    const Json* const found = json_.find(name);
    const auto* const value = found == nullptr ? nullptr : found->get<std::int64_t>();
    return value == nullptr ? 0 : *value;
  }
  [[nodiscard]] double real(std::string_view name) const {
    const Json* const found = json_.find(name);
    const auto* const value = found == nullptr ? nullptr : found->get<double>();
    return value == nullptr ? static_cast<double>(number(name)) : *value;
  }
  [[nodiscard]] bool flag(std::string_view name) const {
    const Json* const found = json_.find(name);
    const auto* const value = found == nullptr ? nullptr : found->get<bool>();
    return value != nullptr && *value;
  }
  template <class T>
  [[nodiscard]] T count(std::string_view name) const {
    return static_cast<T>(std::max<std::int64_t>(number(name), 0));
  }

 private:
  const Json& json_;
};

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

Duration from_seconds(double value) {
  constexpr double kMost = 1e9;  // a lifetime; a Duration cannot hold much more
  return std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(std::clamp(value, 0.0, kMost)));
}

Progress read_progress(const Json& json) {
  const Members members(json);
  Progress progress;
  progress.created = members.count<BatchId>("mini_batches");
  progress.all_created = members.flag("all_created");
  progress.processed = members.count<BatchId>("mini_batches_processed");
  progress.failed = members.count<BatchId>("mini_batches_failed");
  progress.items_failed = members.count<std::uint64_t>("items_failed");
  progress.attempts = members.count<std::uint64_t>("attempts");
  progress.workers = members.count<std::uint32_t>("workers");
  progress.memory_low = members.flag("memory_low");
  if (json.find("seconds_in_init") != nullptr) {
    progress.in_init = from_seconds(members.real("seconds_in_init"));
  }
  progress.job_time = from_seconds(members.real("seconds"));
  progress.rate = members.real("per_second");
  progress.merging = members.flag("merging");
  progress.merged_bytes = members.count<std::uint64_t>("merged_bytes");
  return progress;
}

Result<Json> read_object(std::string_view line) {
  ASSIGN_OR_RETURN(Json json, parse_json(line));
  if (json.get<Json::Object>() == nullptr) {
    return fail(ErrorCode::kInvalid, "a line of the control socket is a JSON object");
  }
  return json;
}

void add_greeting(JsonWriter& json, const ControlGreeting& greeting) {
  json.field("windrow", greeting.version).field("pid", greeting.pid).field("job", greeting.job);
  json.field("stage", to_text(greeting.stage));
}

Result<ControlGreeting> greeting_of(const Json& json) {
  const Members members(json);
  const auto stage = from_word<JobStage>(kStages, members.text("stage"));
  const auto version = static_cast<int>(members.number("windrow"));
  if (version < 1 || !stage) return fail(ErrorCode::kInvalid, "this is not a job of windrow");
  return ControlGreeting{.version = version,
                         .pid = static_cast<int>(members.number("pid")),
                         .job = members.text("job"),
                         .stage = *stage};
}

}  // namespace

std::string_view to_text(JobStage stage) { return kStages.at(static_cast<std::size_t>(stage)); }

void add_progress(JsonWriter& json, const Progress& progress) {
  json.field("mini_batches", progress.created).field("all_created", progress.all_created);
  json.field("mini_batches_processed", progress.processed);
  json.field("mini_batches_failed", progress.failed);
  json.field("items_failed", progress.items_failed).field("attempts", progress.attempts);
  json.field("workers", progress.workers).field("memory_low", progress.memory_low);
  if (progress.in_init) json.field("seconds_in_init", seconds(*progress.in_init));
  json.field("seconds", seconds(progress.job_time)).field("per_second", progress.rate);
  json.field("merging", progress.merging).field("merged_bytes", progress.merged_bytes);
}

std::string greeting_line(const ControlGreeting& greeting) {
  JsonWriter json;
  json.begin_object();
  add_greeting(json, greeting);
  json.end_object();
  return json.text();
}

std::string request_line(const ControlRequest& request) {
  JsonWriter json;
  json.begin_object().field("do", kRequests.at(static_cast<std::size_t>(request.kind)));
  if (request.kind == ControlRequest::Kind::kWatch) json.field("after", request.after);
  json.end_object();
  return json.text();
}

std::string event_line(const ControlEvent& event) {
  JsonWriter json;
  json.begin_object().field("event", kEvents.at(static_cast<std::size_t>(event.kind)));
  if (event.number != 0) json.field("number", event.number);
  switch (event.kind) {
    case ControlEvent::Kind::kStage:
      json.field("stage", to_text(event.stage));
      break;
    case ControlEvent::Kind::kNote:
    case ControlEvent::Kind::kDetail:
    case ControlEvent::Kind::kError:
      json.field("text", event.text);
      break;
    case ControlEvent::Kind::kProgress:
      add_progress(json, event.progress);
      break;
    case ControlEvent::Kind::kMissed:
      json.field("missed", event.missed);
      break;
    case ControlEvent::Kind::kEnded:
      json.field("exit_code", event.exit_code).field("text", event.text);
      json.field("document", event.document);
      break;
  }
  json.end_object();
  return json.text();
}

std::string status_line(const ControlStatus& status) {
  JsonWriter json;
  json.begin_object().field("answer", "status");
  add_greeting(json, status.who);
  json.field("number", status.number);
  if (status.progress) {
    json.key("progress").begin_object();
    add_progress(json, *status.progress);
    json.end_object();
  }
  json.end_object();
  return json.text();
}

std::string accepted_line() { return R"({"answer":"accepted"})"; }

std::string refused_line(std::string_view reason) {
  JsonWriter json;
  json.begin_object().field("answer", "refused").field("reason", reason).end_object();
  return json.text();
}

Result<ControlGreeting> read_greeting(std::string_view line) {
  ASSIGN_OR_RETURN(const Json json, read_object(line));
  return greeting_of(json);
}

Result<ControlRequest> read_request(std::string_view line) {
  ASSIGN_OR_RETURN(const Json json, read_object(line));
  const Members members(json);
  const auto kind = from_word<ControlRequest::Kind>(kRequests, members.text("do"));
  if (!kind) {
    return fail(ErrorCode::kInvalid, "\"do\" is one of status, watch, cancel and stop");
  }
  return ControlRequest{.kind = *kind, .after = members.count<std::uint64_t>("after")};
}

Result<ControlEvent> read_event(std::string_view line) {
  ASSIGN_OR_RETURN(const Json json, read_object(line));
  const Members members(json);
  const auto kind = from_word<ControlEvent::Kind>(kEvents, members.text("event"));
  if (!kind) return fail(ErrorCode::kInvalid, "this line is not an event");
  ControlEvent event{.kind = *kind,
                     .number = members.count<std::uint64_t>("number"),
                     .text = members.text("text"),
                     .missed = members.count<std::uint64_t>("missed"),
                     .exit_code = static_cast<int>(members.number("exit_code")),
                     .document = members.text("document")};
  event.stage = from_word<JobStage>(kStages, members.text("stage")).value_or(JobStage::kPreparing);
  if (*kind == ControlEvent::Kind::kProgress) event.progress = read_progress(json);
  return event;
}

Result<ControlStatus> read_status(std::string_view line) {
  ASSIGN_OR_RETURN(const Json json, read_object(line));
  ControlStatus status;
  ASSIGN_OR_RETURN(status.who, greeting_of(json));
  status.number = Members(json).count<std::uint64_t>("number");
  if (const Json* const progress = json.find("progress"))
    status.progress = read_progress(*progress);
  return status;
}

}  // namespace windrow
