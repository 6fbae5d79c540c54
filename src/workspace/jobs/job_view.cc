// SPDX-License-Identifier: Apache-2.0
#include "workspace/jobs/job_view.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/process_name.h"
#include "base/words.h"
#include "core/spec/job_paths.h"
#include "journal/journal.h"
#include "journal/plan_file.h"
#include "os/clock_steady.h"
#include "os/cpu_count.h"
#include "workspace/jobs/first_failed_item.h"
#include "workspace/jobs/job_identity.h"
#include "workspace/jobs/jobs.h"
#include "workspace/jobs/running_job.h"

namespace windrow {

namespace {

constexpr std::uint64_t kTail = 4096;  // of a log: more than a line

// What the workers of a running job have been at for some seconds.
std::vector<AtWork> at_work_in(FileSystem& fs, const JobFolder& folder) {
  std::vector<AtWork> out;
  const std::string logs = folder.sys_node(0);
  const Result<std::vector<FolderEntry>> entries = fs.list(logs);
  if (!entries) return out;
  for (const FolderEntry& entry : *entries) {
    const std::optional<ProcessNumber> process = process_of_name(entry.name);
    if (!process || entry.name != process_name(*process) + ".txt") continue;
    const Result<std::unique_ptr<File>> file = fs.open(logs + "/" + entry.name);
    const Result<std::uint64_t> size = file ? (*file)->size() : 0;
    if (!file || !size) continue;
    std::string tail(std::min(*size, kTail), '\0');
    tail.resize((*file)->read_at(*size - tail.size(), tail).value_or(0));
    const std::optional<AtWork> found = at_work(process_name(*process), tail);
    // A log that a killed engine left behind ends like that too: does the process live?
    if (found && fs.stat(fmt::format("/proc/{}", found->pid))) out.push_back(*found);
  }
  std::ranges::sort(out, {}, &AtWork::since);
  return out;
}

}  // namespace

Result<JobView> view_job(FileSystem& fs, const Caller& caller, const std::string& job) {
  const Jobs jobs(fs, caller);
  JobView view;
  ASSIGN_OR_RETURN(view.folder, jobs.find(job));
  ASSIGN_OR_RETURN(view.reading, read_job_folder(view.folder));
  // Before the journal is read: a job that ends meanwhile is then reported as running.
  view.circumstances.running = !refuse_if_running(view.folder);
  if (Result<JobIndex> index = JobIndex::open(fs, view.folder)) {
    view.index = std::make_shared<JobIndex>(*std::move(index));
    view.outline = view.index->outline();
  } else {
    ASSIGN_OR_RETURN(ReplayedJob replayed, replay_job(fs, view.folder.state()));
    view.state = std::make_shared<const JobState>(std::move(replayed.state));
    view.outline = outline_of(*view.state);
  }
  if (view.circumstances.running) view.circumstances.at_work = at_work_in(fs, view.folder);
  const JobSpec& spec = view.reading.spec;
  view.circumstances.name = base_name(view.folder.root());
  view.circumstances.next = next_step_of(fs, view.folder, view.outline, spec, job);
  view.circumstances.results = resolve_job_paths(spec, view.folder.root()).targets;
  view.circumstances.failed_items = view.folder.failed_items();
  view.circumstances.tries_max = spec.limits.tries_max;
  return view;
}

Result<Account> account_for(FileSystem& fs, const JobView& job) {
  Account account;
  if (job.index) {
    account = job.index->account();
  } else {
    Accountant accountant;
    RETURN_IF_ERROR(replay_journals(fs, job.folder.state(), [&accountant](const Fact& fact) {
      accountant.take(fact);
      return Status();
    }));
    const bool over = job.outline.finished || !job.circumstances.running;
    account = accountant.close(over, system_now());
  }
  const JobSpec& spec = job.reading.spec;
  const AccountTerms terms{
      .timeout = std::chrono::duration<double>(spec.limits.run_timeout).count(),
      .mini_batch_size = spec.mini_batch_size.bytes ? 0 : spec.mini_batch_size.files,
      .cpus = usable_cpus(),
  };
  advise(account, terms, job.outline.batches);
  if (job.outline.counts.items_failed > 0) account.first_failed = first_failed_item(fs, job.folder);
  return account;
}

namespace {

void take_items(const PlanBatch& batch, BatchStory& story) {
  if (batch.items == 0) return;
  for (const std::string& name : split_at_nul(batch.names)) {
    story.items.push_back(plan_path(batch.root, name));
  }
}

Result<BatchStory> story_from_index(FileSystem& fs, const JobView& job, BatchId id) {
  ASSIGN_OR_RETURN(IndexedBatch indexed, job.index->batch(id));
  BatchStory story{.id = id, .batch = indexed.batch, .pieces = std::move(indexed.pieces)};
  ASSIGN_OR_RETURN(PlanReader plan, PlanReader::open(fs, job.folder.plan(job.outline.plan)));
  ASSIGN_OR_RETURN(const PlanBatch batch, plan.read_at(indexed.plan_offset, id));
  take_items(batch, story);
  for (const JournalPlace& place : indexed.attempts) {
    ASSIGN_OR_RETURN(Fact fact, read_fact(fs, job.folder.state(), place));
    auto* const ended = std::get_if<fact::AttemptEnded>(&fact);
    if (ended == nullptr || ended->record.token.batch != id) {
      return fail(ErrorCode::kInternal, "the index of job {} is wrong", job.circumstances.name);
    }
    story.attempts.push_back(std::move(*ended));
  }
  return story;
}

Result<BatchStory> story_from_journal(FileSystem& fs, const JobView& job, BatchId id) {
  std::shared_ptr<const JobState> state = job.state;
  if (!state) {
    ASSIGN_OR_RETURN(ReplayedJob replayed, replay_job(fs, job.folder.state()));
    state = std::make_shared<const JobState>(std::move(replayed.state));
  }
  BatchStory story = story_of(*state, id);
  ASSIGN_OR_RETURN(PlanReader plan, PlanReader::open(fs, job.folder.plan(job.outline.plan)));
  RETURN_IF_ERROR(plan.index(job.outline.plan_bytes));
  ASSIGN_OR_RETURN(const PlanBatch batch, plan.read(id));
  take_items(batch, story);
  const auto each = [&story](Fact& fact) -> Status {
    auto* const ended = std::get_if<fact::AttemptEnded>(&fact);
    if (ended != nullptr && ended->record.token.batch == story.id) {
      story.attempts.push_back(std::move(*ended));
    }
    return {};
  };
  RETURN_IF_ERROR(replay_journals(fs, job.folder.state(), each));
  return story;
}

}  // namespace

Result<BatchStory> view_batch(FileSystem& fs, const JobView& job, BatchId id) {
  if (id >= job.outline.batches) {
    return fail(ErrorCode::kNotFound,
                "job {} has no mini-batch {}: they are numbered from 0 to {}{}",
                job.circumstances.name,
                id,
                job.outline.batches - 1,
                job.outline.listing_ended ? "" : " so far");
  }
  if (job.index) {
    // What is damaged in it is in the journal all the same.
    if (Result<BatchStory> story = story_from_index(fs, job, id)) return story;
  }
  return story_from_journal(fs, job, id);
}

}  // namespace windrow
