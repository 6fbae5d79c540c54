// SPDX-License-Identifier: Apache-2.0
//
// What goes over the control socket of a job, one JSON object a line: docs/formats/control.md.
//
// Thread: any; values in, text out, and back. Failure: kInvalid for a line that is none of these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "core/progress/progress.h"

namespace windrow {

inline constexpr int kControlVersion = 1;

// How far the process is with its job.
enum class JobStage : std::uint8_t { kPreparing, kRunning, kEnded };
std::string_view to_text(JobStage stage);

// The first line that a client gets.
struct ControlGreeting {
  int version = kControlVersion;
  int pid = 0;
  std::string job;
  JobStage stage = JobStage::kPreparing;
};

// What a client asks.
struct ControlRequest {
  enum class Kind : std::uint8_t { kStatus, kWatch, kCancel, kStop };
  Kind kind = Kind::kStatus;
  std::uint64_t after = 0;  // of kWatch: the number of the last event that the client has
};

// What happened. All but progress are numbered, from 1 on.
struct ControlEvent {
  enum class Kind : std::uint8_t { kStage, kNote, kDetail, kError, kProgress, kMissed, kEnded };
  Kind kind = Kind::kNote;
  std::uint64_t number = 0;
  std::string text;  // of kNote, kDetail, kError; of kEnded: how the job ended, for people
  JobStage stage = JobStage::kPreparing;  // of kStage
  Progress progress;                      // of kProgress
  std::uint64_t missed = 0;               // of kMissed: events that are no longer kept
  int exit_code = 0;                      // of kEnded
  std::string document;                   // of kEnded: the same for programs, as JSON
};

// What `status` is answered with.
struct ControlStatus {
  ControlGreeting who;
  std::uint64_t number = 0;          // of the last event
  std::optional<Progress> progress;  // none while the job is being prepared
};

std::string greeting_line(const ControlGreeting& greeting);
std::string request_line(const ControlRequest& request);
std::string event_line(const ControlEvent& event);
std::string status_line(const ControlStatus& status);
std::string accepted_line();
std::string refused_line(std::string_view reason);

Result<ControlGreeting> read_greeting(std::string_view line);
Result<ControlRequest> read_request(std::string_view line);
Result<ControlEvent> read_event(std::string_view line);
Result<ControlStatus> read_status(std::string_view line);

// The numbers of a progress as members of an object that is begun.
void add_progress(JsonWriter& json, const Progress& progress);

}  // namespace windrow
