// SPDX-License-Identifier: Apache-2.0
#include "workspace/run/job_control.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/counted.h"
#include "base/exit_code.h"
#include "os/machine.h"

namespace windrow {
namespace {

using Kind = ControlEvent::Kind;

// A script that fails on everything does so thousands of times a second. Followers get the first of
// these, and a count of the others.
constexpr int kErrorsAtATime = 20;
constexpr std::size_t kErrorBytes = 8192;
// For followers that are slow to read how the job ended.
constexpr Duration kFarewell = std::chrono::seconds(1);

}  // namespace

Status JobControl::listen(const JobFolder& folder, const std::string& name) {
  name_ = name;
  errors_left_ = kErrorsAtATime;
  ControlSocket::Handler handler{
      .greeting =
          [this] { return greeting_line({.pid = process_id(), .job = name_, .stage = stage_}); },
      .line = [this](ControlSocket::ClientId client,
                     const std::string& line) { answer(client, line); },
      .gone = [this](ControlSocket::ClientId client) { watchers_.erase(client); }};
  ASSIGN_OR_RETURN(socket_, ControlSocket::listen(loop_, folder.control(), std::move(handler)));
  return {};
}

void JobControl::answer(ControlSocket::ClientId client, const std::string& line) {
  const Result<ControlRequest> request = read_request(line);
  if (!request) return socket_->send(client, refused_line(request.error().message));
  switch (request->kind) {
    case ControlRequest::Kind::kStatus:
      socket_->send(client,
                    status_line({.who = {.pid = process_id(), .job = name_, .stage = stage_},
                                 .number = events_.last(),
                                 .progress = progress_}));
      return;
    case ControlRequest::Kind::kWatch:
      watchers_.insert(client);
      for (const std::string& event : events_.behind(request->after)) socket_->send(client, event);
      return;
    case ControlRequest::Kind::kCancel:
    case ControlRequest::Kind::kStop:
      socket_->send(client, accepted_line());
      on_cancel(request->kind == ControlRequest::Kind::kStop);
      return;
  }
}

void JobControl::publish(ControlEvent event) {
  const std::string& line = events_.add(std::move(event));
  if (!socket_) return;
  const std::vector<ControlSocket::ClientId> watchers(watchers_.begin(), watchers_.end());
  for (const ControlSocket::ClientId client : watchers) socket_->send(client, line);
}

void JobControl::on_stage(JobStage stage, const std::string& job) {
  stage_ = stage;
  publish({.kind = Kind::kStage, .stage = stage});
  view_.on_stage(stage, job);
}

void JobControl::on_progress(const Progress& progress) {
  progress_ = progress;
  errors_left_ = kErrorsAtATime;
  if (const std::uint64_t more = std::exchange(errors_kept_back_, 0); more > 0) {
    publish({.kind = Kind::kError, .text = fmt::format("and {}", counted(more, "more error"))});
  }
  if (!watchers_.empty() && socket_) {
    const std::string line = event_line({.kind = Kind::kProgress, .progress = progress});
    const std::vector<ControlSocket::ClientId> watchers(watchers_.begin(), watchers_.end());
    for (const ControlSocket::ClientId client : watchers) socket_->send(client, line);
  }
  view_.on_progress(progress);
}

void JobControl::on_note(const std::string& line) {
  publish({.kind = Kind::kNote, .text = line});
  view_.on_note(line);
}

void JobControl::on_detail(const std::string& line) {
  publish({.kind = Kind::kDetail, .text = line});
  view_.on_detail(line);
}

void JobControl::on_error(const std::string& text) {
  view_.on_error(text);
  if (errors_left_ == 0) {
    ++errors_kept_back_;
    return;
  }
  --errors_left_;
  publish({.kind = Kind::kError, .text = text.substr(0, kErrorBytes)});
}

void JobControl::on_end(const RunEnd& run_end) {
  view_.on_end(run_end);
  end({.kind = Kind::kEnded,
       .text = end_text(run_end, false),
       .exit_code = exit_code(run_end.outcome),
       .document = end_json(run_end)});
}

void JobControl::refuse(const Error& error) {
  end({.kind = Kind::kEnded,
       .text = fmt::format("windrow: {}\n", error.message),
       .exit_code = kExitRefused});
}

void JobControl::end(ControlEvent event) {
  stage_ = JobStage::kEnded;
  publish(std::move(event));
  if (socket_) socket_->drain(kFarewell);
  socket_.reset();
}

void JobControl::close() {
  if (socket_) socket_->close();
}

}  // namespace windrow
