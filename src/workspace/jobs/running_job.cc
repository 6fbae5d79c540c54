// SPDX-License-Identifier: Apache-2.0
#include "workspace/jobs/running_job.h"

#include <utility>

#include "base/text.h"
#include "core/spec/job_paths.h"

namespace windrow {
namespace {

constexpr Duration kAnswerTime = std::chrono::seconds(10);
constexpr Duration kLookEvery = std::chrono::milliseconds(200);

}  // namespace

std::optional<RunningJob> RunningJob::find(const JobFolder& folder) {
  std::optional<ControlClient> client = ControlClient::connect(folder.control());
  if (!client) return std::nullopt;
  Result<ControlGreeting> who = read_greeting(client->greeting());
  if (!who) return std::nullopt;
  return RunningJob(std::move(*client), std::move(*who));
}

Result<std::string> RunningJob::ask(const ControlRequest& request) {
  RETURN_IF_ERROR(client_.send(request_line(request)));
  ASSIGN_OR_RETURN(std::optional<std::string> line, client_.next(kAnswerTime));
  if (!line) {
    return fail(ErrorCode::kUnavailable,
                "job {} does not answer; process {} may be stopped or very busy",
                who_.job,
                who_.pid);
  }
  return *std::move(line);
}

Result<ControlStatus> RunningJob::status() {
  ASSIGN_OR_RETURN(const std::string line, ask({.kind = ControlRequest::Kind::kStatus}));
  return read_status(line);
}

Status RunningJob::cancel(bool at_once) {
  using Kind = ControlRequest::Kind;
  const Result<std::string> answer = ask({.kind = at_once ? Kind::kStop : Kind::kCancel});
  return answer ? Status() : std::unexpected(answer.error());
}

Status RunningJob::follow(std::uint64_t after,
                          const std::function<bool(const ControlEvent&)>& each) {
  const ControlRequest request{.kind = ControlRequest::Kind::kWatch, .after = after};
  RETURN_IF_ERROR(client_.send(request_line(request)));
  for (;;) {
    ASSIGN_OR_RETURN(const std::optional<std::string> line, client_.next(kLookEvery));
    if (!line) continue;
    const Result<ControlEvent> event = read_event(*line);
    if (!event) continue;  // of a newer version
    if (!each(*event) || event->kind == ControlEvent::Kind::kEnded) return {};
  }
}

Status refuse_if_running(const JobFolder& folder) {
  const std::optional<RunningJob> job = RunningJob::find(folder);
  if (!job) return {};
  return fail(ErrorCode::kConflict,
              "job {} is running, in process {}; `windrow job stream {}` follows it",
              base_name(folder.root()),
              job->who().pid,
              job->who().job);
}

}  // namespace windrow
