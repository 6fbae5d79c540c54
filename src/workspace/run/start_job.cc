// SPDX-License-Identifier: Apache-2.0
#include "workspace/run/start_job.h"

#include <memory>
#include <utility>

#include "base/counted.h"
#include "base/text.h"
#include "core/spec/effective.h"
#include "core/spec/job_paths.h"
#include "workspace/jobs/job_identity.h"
#include "workspace/jobs/jobs.h"
#include "workspace/jobs/running_job.h"
#include "workspace/prepare/standard_list.h"
#include "workspace/prepare/table_input.h"

namespace windrow {
namespace {

// A job that resumes keeps its name and its place, whatever the command calls them.
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

class NewStart final : public JobStart {
 public:
  NewStart(JobReading reading, bool afresh, bool accept_input)
      : reading_(std::move(reading)), afresh_(afresh), accept_input_(accept_input) {}

  Result<StartedJob> claim(FileSystem& fs, Jobs& jobs) override {
    StartedJob job;
    for (const Problem& notice : reading_.notices) {
      job.notices.push_back(fmt::format("{}: {}", notice.where, notice.message));
    }
    ASSIGN_OR_RETURN(Jobs::Choice choice, choose(fs, jobs, job));
    if (!choice.notice.empty()) job.notices.push_back(choice.notice);
    if (choice.exists) keep_names(choice.folder, reading_);
    if (!choice.exists && !reading_.spec.name.empty()) reading_.spec.name = choice.name;
    job.run.configuration.yaml = effective_job_file(reading_.spec, reading_.origins);
    job.run.configuration.json = effective_config_json(reading_.spec, reading_.origins);
    job.run.spec = reading_.spec;
    job.run.folder = choice.folder;
    job.run.name = choice.name;
    job.run.before = std::move(choice.job);
    job.run.accept_input = accept_input_;
    // At once, so that the same command given again finds it.
    jobs.note_unfinished(job.run.folder, job.run.spec);
    return job;
  }

  Status prepare(FileSystem& fs, Jobs& jobs, StartedJob& job) override {
    ASSIGN_OR_RETURN(const StandardList list, StandardList::of(fs, job.run.spec, jobs.home()));
    RETURN_IF_ERROR(list.check(fs, job.run.folder));
    ASSIGN_OR_RETURN(job.run.input.listed, list.first(kSampleFiles));
    const bool exists = job.made == StartedJob::Made::kNothing;
    RETURN_IF_ERROR(prepare_run(fs, jobs, exists ? &job.run.before.state : nullptr, job));
    RETURN_IF_ERROR(make_output_folders(fs, job.run));
    if (exists) {
      const JobState& state = job.run.before.state;
      if (state.stopped() || state.finished()) job.run.reopen = fact::Reopened{};
      return {};
    }
    RETURN_IF_ERROR(create_job(fs, jobs, list, job.run));
    job.notices.push_back(fmt::format("job {}", job.run.name));
    return {};
  }

 private:
  // Another command with another home may have taken a name that was drawn for this one.
  Result<Jobs::Choice> choose(FileSystem& fs, Jobs& jobs, StartedJob& job) {
    const bool drawn = reading_.spec.name.empty() && !reading_.spec.job_folder;
    for (;;) {
      ASSIGN_OR_RETURN(Jobs::Choice choice, jobs.choose(reading_.spec, afresh_));
      RETURN_IF_ERROR(choice.free);
      if (choice.exists) return choice;
      job.made =
          fs.stat(choice.folder.root()) ? StartedJob::Made::kContent : StartedJob::Made::kFolder;
      ASSIGN_OR_RETURN(const bool ours, drawn ? jobs.claim(choice.folder) : true);
      if (ours) return choice;
    }
  }

  JobReading reading_;
  bool afresh_;
  bool accept_input_;
};

class ResumedStart final : public JobStart {
 public:
  ResumedStart(std::string name, Accepted accepted, JobFlags flags)
      : name_(std::move(name)), accepted_(accepted), flags_(std::move(flags)) {}

  Result<StartedJob> claim(FileSystem& /*fs*/, Jobs& jobs) override {
    StartedJob job;
    job.run.accept_input = accepted_.input;
    ASSIGN_OR_RETURN(job.run.folder, jobs.find(name_));
    ASSIGN_OR_RETURN(JobReading reading,
                     read_job_folder(job.run.folder, flags_, jobs.caller().folder));
    job.run.configuration.yaml = effective_job_file(reading.spec, reading.origins);
    if (flags_ != JobFlags{}) {
      job.run.configuration.json = effective_config_json(reading.spec, reading.origins);
    }
    job.run.spec = std::move(reading.spec);
    job.run.name = base_name(job.run.folder.root());
    RETURN_IF_ERROR(refuse_if_running(job.run.folder));
    return job;
  }

  Status prepare(FileSystem& fs, Jobs& jobs, StartedJob& job) override {
    ASSIGN_OR_RETURN(job.run.before, replay_job(fs, job.run.folder.state()));
    const JobState& state = job.run.before.state;
    const bool failed = (state.finished() && state.finished()->status == JobStatus::kFailed) ||
                        (state.stopped() && state.stopped()->status == JobStatus::kFailed);
    if (state.finished() && state.finished()->status == JobStatus::kCompleted) {
      return fail(ErrorCode::kConflict,
                  "job {} is finished, and a finished job never changes",
                  job.run.name);
    }
    ASSIGN_OR_RETURN(const Change change, what_changed(fs, job.run.folder, job.run.spec));
    if (change && !(change.code && accepted_.code)) {
      return fail(ErrorCode::kConflict,
                  "job {} cannot continue: {}; {}",
                  job.run.name,
                  change.reason,
                  change.code
                      ? "--changed-code continues with it as it is now, and keeps what is done"
                      : "start a new job instead");
    }
    RETURN_IF_ERROR(prepare_run(fs, jobs, &state, job));
    RETURN_IF_ERROR(make_output_folders(fs, job.run));
    if (change) {
      RETURN_IF_ERROR(
          accept_code(fs, job.run.folder, job.run.spec, job.run.before.end.highest + 1));
      job.run.remark = fmt::format("continues with changed code after {}: {}",
                                   counted(state.counts().committed, "mini-batch"),
                                   change.reason);
      job.notices.push_back(change.reason);
    }
    if (state.stopped() || state.finished()) {
      job.run.reopen = fact::Reopened{.failed_afresh = failed};
    }
    job.notices.push_back(fmt::format("continuing job {} ({} of {} mini-batches are done)",
                                      job.run.name,
                                      human_count(state.counts().committed),
                                      human_count(state.batches().size())));
    jobs.note_unfinished(job.run.folder, job.run.spec);
    return {};
  }

 private:
  std::string name_;
  Accepted accepted_;
  JobFlags flags_;
};

}  // namespace

std::unique_ptr<JobStart> start_job(JobReading reading, bool afresh, bool accept_input) {
  return std::make_unique<NewStart>(std::move(reading), afresh, accept_input);
}

std::unique_ptr<JobStart> resume_job(std::string job, Accepted accepted, JobFlags flags) {
  return std::make_unique<ResumedStart>(std::move(job), accepted, std::move(flags));
}

}  // namespace windrow
