// SPDX-License-Identifier: Apache-2.0
#include "cli/job_answer.h"

#include <fmt/format.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "core/progress/explain.h"
#include "core/progress/progress.h"

namespace windrow {
namespace {

// In Azure's words, which scripts wait for.
std::string status_word(JobStage stage) {
  return stage == JobStage::kPreparing ? "Preparing" : "Running";
}

std::string status_word(const JobOutline& outline) {
  return outline.finished ? status_text(outline.finished->status) : "Stopped";
}

}  // namespace

std::string status_answer(const ControlStatus& status, const std::string& folder) {
  std::string out = fmt::format("job           {}\n", status.who.job);
  out += fmt::format("  status        {}\n", status_word(status.who.stage));
  if (status.progress) out += fmt::format("  progress      {}\n", progress_line(*status.progress));
  out += fmt::format("  process       {}\n", status.who.pid);
  out += fmt::format("  job folder    {}\n", folder);
  out += fmt::format("Follow it: windrow job stream {}\n", status.who.job);
  return out;
}

std::string status_json(const ControlStatus& status, const std::string& folder) {
  JsonWriter json;
  json.begin_object().field("job", status.who.job).field("job_folder", folder);
  json.field("status", status_word(status.who.stage)).field("pid", status.who.pid);
  if (status.progress) {
    json.key("progress").begin_object();
    add_progress(json, *status.progress);
    json.end_object();
  }
  json.end_object();
  return json.text() + "\n";
}

std::string view_answer(const JobView& job) {
  std::string out = fmt::format("job           {}\n", job.circumstances.name);
  out += fmt::format("  status        {}\n", status_word(job.outline));
  out += fmt::format("  job folder    {}\n", job.folder.root());
  for (const std::string& sentence : explain_job(job.outline, job.circumstances)) {
    out += sentence + "\n";
  }
  return out;
}

std::string view_json(const JobView& job) {
  const JobOutline& outline = job.outline;
  JsonWriter json;
  json.begin_object().field("job", job.circumstances.name);
  json.field("job_folder", job.folder.root()).field("status", status_word(outline));
  json.field("exit_code", exit_code_of(outline));
  json.field("cause", outline.finished ? outline.finished->cause : "");
  json.field("mini_batches", outline.batches);
  json.field("mini_batches_done", outline.counts.committed);
  json.field("mini_batches_failed", outline.counts.failed);
  json.field("items_succeeded", outline.counts.items_succeeded);
  json.field("items_failed", outline.counts.items_failed);
  json.key("results").begin_array();
  if (outline.finished && outline.finished->status == JobStatus::kCompleted) {
    for (const std::string& result : job.circumstances.results) json.value(result);
  }
  json.end_array().end_object();
  return json.text() + "\n";
}

int exit_code_of(const JobOutline& outline) {
  if (!outline.finished) return kExitFailed;
  switch (outline.finished->status) {
    case JobStatus::kCompleted:
      return kExitCompleted;
    case JobStatus::kCanceled:
      return kExitCancelled;
    case JobStatus::kFailed:
    case JobStatus::kRunning:
      break;
  }
  return kExitFailed;
}

}  // namespace windrow
