// SPDX-License-Identifier: Apache-2.0
#include "workspace/jobs/job_list.h"

#include <algorithm>
#include <functional>

#include "core/spec/job_paths.h"
#include "os/control_client.h"
#include "os/disk_tree.h"
#include "workspace/jobs/job_index.h"
#include "workspace/jobs/jobs.h"

namespace windrow {
namespace {

std::string state_word(const JobOutline& job, bool running) {
  if (running) return "running";
  if (!job.finished) return "unfinished";
  switch (job.finished->status) {
    case JobStatus::kCompleted:
      return "completed";
    case JobStatus::kFailed:
      return "failed";
    case JobStatus::kCanceled:
      return "canceled";
    case JobStatus::kRunning:
      break;
  }
  return "unfinished";
}

ListedJob listed(FileSystem& fs, const JobFolder& folder) {
  ListedJob job{.name = base_name(folder.root()), .folder = folder.root(), .state = "unreadable"};
  // Before its files are read: a job that ends meanwhile is then listed as one that runs.
  const bool running = is_listened_at(folder.control());
  const Result<JobReading> reading = read_job_folder(folder);
  if (reading) job.script = script_path(reading->spec);
  const Result<JobOutline> outline = read_outline(fs, folder);
  if (!outline) return job;
  job.batches = outline->batches;
  job.batches_done = outline->counts.committed;
  job.items_failed = outline->counts.items_failed;
  job.began = outline->started;
  if (!reading) return job;
  job.state = state_word(*outline, running);
  if (job.state == "completed") {
    job.results = resolve_job_paths(reading->spec, folder.root()).targets;
  }
  return job;
}

}  // namespace

std::vector<ListedJob> list_jobs(FileSystem& fs, const Caller& caller) {
  const std::string root = caller.home + "/jobs";
  std::vector<ListedJob> jobs;
  for (const std::string& name : folders_in(root)) {
    const JobFolder folder(root + "/" + name);
    if (fs.stat(folder.identity())) jobs.push_back(listed(fs, folder));
  }
  std::ranges::sort(jobs, {}, &ListedJob::name);
  std::ranges::stable_sort(
      jobs, std::greater<>(), [](const ListedJob& job) { return job.began.nanoseconds; });
  return jobs;
}

}  // namespace windrow
