// SPDX-License-Identifier: Apache-2.0
#include "workspace/run/start_job.h"

#include <optional>
#include <utility>

#include "base/counted.h"
#include "base/text.h"
#include "core/spec/effective.h"
#include "core/spec/job_paths.h"
#include "os/posix_file_system.h"
#include "workspace/jobs/job_identity.h"
#include "workspace/jobs/jobs.h"
#include "workspace/prepare/standard_list.h"
#include "workspace/prepare/table_input.h"

namespace windrow {
namespace {

// A job that goes on keeps its name and its place, however the command that found it calls them.
void keep_names(const JobFolder& folder, JobReading& reading) {
  const Result<JobReading> before = read_job_folder(folder);
  if (!before) return;
  for (const char* key : {"name", "job_dir"}) {
    reading.origins.try_emplace(key, "the start of the job");
  }
  reading.spec.name = before->spec.name;
  reading.spec.job_folder = before->spec.job_folder;
}

Status create_job(FileSystem& fs, Jobs& jobs, const StandardList& list, const PreparedJob& run) {
  Status created = list.keep(fs, run.folder);
  if (created) created = jobs.create(run.folder, run.spec, run.configuration.yaml);
  if (!created && created.error().code == ErrorCode::kNotFound) {
    return fail(ErrorCode::kInvalid, "{}", created.error().message);  // no job was asked for
  }
  return created;
}

// None when another command has taken the name that was drawn for this one.
Result<std::optional<StartedJob>> try_to_start(
    FileSystem& fs, Jobs& jobs, const StandardList& list, JobReading reading, bool afresh) {
  StartedJob job;
  for (const Problem& notice : reading.notices) {
    job.notices.push_back(fmt::format("{}: {}", notice.where, notice.message));
  }
  ASSIGN_OR_RETURN(Jobs::Choice choice, jobs.choose(reading.spec, afresh));
  RETURN_IF_ERROR(choice.free);
  if (!choice.notice.empty()) job.notices.push_back(choice.notice);
  if (choice.exists) keep_names(choice.folder, reading);
  const bool drawn = !choice.exists && reading.spec.name.empty() && !reading.spec.job_folder;
  if (!choice.exists && !reading.spec.name.empty()) reading.spec.name = choice.name;
  job.run.configuration.yaml = effective_job_file(reading.spec, reading.origins);
  job.run.configuration.json = effective_config_json(reading.spec, reading.origins);
  job.run.spec = std::move(reading.spec);
  job.run.folder = choice.folder;
  job.run.name = choice.name;
  job.run.before = std::move(choice.job);
  RETURN_IF_ERROR(list.check(fs, choice.folder));
  ASSIGN_OR_RETURN(job.run.input.listed, list.first(kSampleFiles));
  RETURN_IF_ERROR(prepare_run(fs, jobs, choice.exists ? &job.run.before.state : nullptr, job));
  RETURN_IF_ERROR(make_output_folders(fs, job.run));
  if (choice.exists) {
    if (job.run.before.state.stopped() || job.run.before.state.finished()) {
      job.run.reopen = fact::Reopened{};
    }
  } else {
    ASSIGN_OR_RETURN(const bool ours, drawn ? jobs.claim(choice.folder) : true);
    if (!ours) return std::nullopt;
    RETURN_IF_ERROR(create_job(fs, jobs, list, job.run));
    job.notices.push_back(fmt::format("job {}", choice.name));
  }
  jobs.note_unfinished(choice.folder, job.run.spec);
  return job;
}

}  // namespace

Result<StartedJob> start_job(const JobReading& reading, bool afresh) {
  PosixFileSystem fs;
  Jobs jobs(fs);
  ASSIGN_OR_RETURN(const StandardList list, StandardList::of(fs, reading.spec, jobs.home()));
  for (;;) {
    ASSIGN_OR_RETURN(std::optional<StartedJob> job, try_to_start(fs, jobs, list, reading, afresh));
    if (job) return std::move(*job);
  }
}

Result<StartedJob> resume_job(const std::string& name, bool changed_code, const JobFlags& flags) {
  PosixFileSystem fs;
  Jobs jobs(fs);
  StartedJob job;
  ASSIGN_OR_RETURN(job.run.folder, jobs.find(name));
  ASSIGN_OR_RETURN(JobReading reading, read_job_folder(job.run.folder, flags));
  job.run.configuration.yaml = effective_job_file(reading.spec, reading.origins);
  if (flags != JobFlags{}) {
    job.run.configuration.json = effective_config_json(reading.spec, reading.origins);
  }
  job.run.spec = std::move(reading.spec);
  job.run.name = base_name(job.run.folder.root());
  RETURN_IF_ERROR(refuse_if_running(job.run.folder));
  ASSIGN_OR_RETURN(job.run.before, replay_job(fs, job.run.folder.state()));
  const JobState& state = job.run.before.state;
  const bool failed = (state.finished() && state.finished()->status == JobStatus::kFailed) ||
                      (state.stopped() && state.stopped()->status == JobStatus::kFailed);
  if (state.finished() && state.finished()->status == JobStatus::kCompleted) {
    return fail(
        ErrorCode::kConflict, "job {} is finished, and a finished job never changes", job.run.name);
  }
  ASSIGN_OR_RETURN(const Change change, what_changed(fs, job.run.folder, job.run.spec));
  if (change && !(change.code && changed_code)) {
    return fail(ErrorCode::kConflict,
                "job {} cannot go on: {}; {}",
                job.run.name,
                change.reason,
                change.code ? "--changed-code goes on with it as it is now, and keeps what is done"
                            : "start a new job instead");
  }
  RETURN_IF_ERROR(prepare_run(fs, jobs, &state, job));
  RETURN_IF_ERROR(make_output_folders(fs, job.run));
  if (change) {
    RETURN_IF_ERROR(accept_code(fs, job.run.folder, job.run.spec, job.run.before.end.highest + 1));
    job.run.remark = fmt::format("goes on with changed code after {}: {}",
                                 counted(state.counts().committed, "mini-batch"),
                                 change.reason);
    job.notices.push_back(change.reason);
  }
  if (state.stopped() || state.finished()) job.run.reopen = fact::Reopened{.failed_afresh = failed};
  jobs.note_unfinished(job.run.folder, job.run.spec);
  job.notices.push_back(fmt::format("going on with job {} ({} of {} mini-batches are done)",
                                    job.run.name,
                                    human_count(state.counts().committed),
                                    human_count(state.batches().size())));
  return job;
}

}  // namespace windrow
