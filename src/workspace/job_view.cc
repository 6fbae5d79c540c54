// SPDX-License-Identifier: Apache-2.0
#include "workspace/job_view.h"

#include <utility>

#include "core/spec/job_paths.h"
#include "journal/journal.h"
#include "journal/plan_file.h"
#include "os/clock_steady.h"
#include "os/cpu_count.h"
#include "workspace/job_identity.h"
#include "workspace/jobs.h"

namespace windrow {

Result<JobView> view_job(FileSystem& fs, const std::string& job) {
  const Jobs jobs(fs);
  JobView view;
  ASSIGN_OR_RETURN(view.folder, jobs.find(job));
  ASSIGN_OR_RETURN(view.reading, read_job_folder(view.folder));
  // Before the journal is read: a job that ends meanwhile is then told of as one that runs.
  view.circumstances.running = !refuse_if_running(view.folder);
  ASSIGN_OR_RETURN(ReplayedJob replayed, replay_job(fs, view.folder.state()));
  view.state = std::move(replayed.state);
  const JobSpec& spec = view.reading.spec;
  view.circumstances.name = base_name(view.folder.root());
  view.circumstances.resume = resume_command(fs, view.folder, spec, job);
  view.circumstances.results = resolve_job_paths(spec, view.folder.root()).targets;
  view.circumstances.failed_items = view.folder.failed_items();
  view.circumstances.tries_max = spec.limits.tries_max;
  return view;
}

Result<Account> account_for(FileSystem& fs, const JobView& job) {
  Accountant accountant;
  RETURN_IF_ERROR(replay_journals(fs, job.folder.state(), [&accountant](const Fact& fact) {
    accountant.take(fact);
    return Status();
  }));
  const JobSpec& spec = job.reading.spec;
  const AccountTerms terms{
      .timeout = std::chrono::duration<double>(spec.limits.run_timeout).count(),
      .mini_batch_size = spec.mini_batch_size.bytes ? 0 : spec.mini_batch_size.files,
      .cpus = usable_cpus(),
  };
  return accountant.close(job.state, terms, system_now());
}

Result<BatchStory> view_batch(FileSystem& fs, const JobView& job, BatchId id) {
  if (id >= job.state.batches().size()) {
    return fail(ErrorCode::kNotFound,
                "job {} has no mini-batch {}: they are numbered from 0 to {}{}",
                job.circumstances.name,
                id,
                job.state.batches().size() - 1,
                job.state.listing_ended() ? "" : " so far");
  }
  BatchStory story{.id = id, .items = {}, .attempts = {}};
  ASSIGN_OR_RETURN(PlanReader plan, PlanReader::open(fs, job.folder.plan(job.state.plan())));
  RETURN_IF_ERROR(plan.index(job.state.plan_bytes()));
  ASSIGN_OR_RETURN(const PlanBatch batch, plan.read(id));
  if (batch.items > 0) {
    for (const std::string& name : split_names(batch.names)) {
      story.items.push_back(plan_path(batch.root, name));
    }
  }
  const auto each = [&story](Fact fact) -> Status {
    auto* const ended = std::get_if<fact::AttemptEnded>(&fact);
    if (ended != nullptr && ended->record.token.batch == story.id) {
      story.attempts.push_back(std::move(*ended));
    }
    return {};
  };
  RETURN_IF_ERROR(replay_journals(fs, job.folder.state(), each));
  return story;
}

}  // namespace windrow
