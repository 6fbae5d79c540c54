// SPDX-License-Identifier: Apache-2.0
#include "workspace/run/retry_job.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "base/text.h"
#include "core/schedule/kept_rows.h"
#include "core/spec/effective.h"
#include "core/spec/job_file.h"
#include "core/spec/job_paths.h"
#include "journal/fact_codec.h"
#include "journal/record.h"
#include "journal/staged_files.h"
#include "os/clock_steady.h"
#include "os/machine.h"
#include "workspace/jobs/job_identity.h"
#include "workspace/jobs/jobs.h"
#include "workspace/jobs/running_job.h"
#include "workspace/prepare/made_tables.h"

namespace windrow {
namespace {

struct OldJob {
  JobState state;
  std::map<Portion, fact::AttemptEnded> done;  // of what is committed: the attempt that counts
};

Result<OldJob> read_old(FileSystem& fs, const JobFolder& folder) {
  OldJob old;
  const auto each = [&old](Fact& fact) -> Status {
    RETURN_IF_ERROR(old.state.check(fact));
    old.state.apply(fact);
    if (auto* attempt = std::get_if<fact::AttemptEnded>(&fact);
        attempt != nullptr && attempt->verdict == Verdict::kDone) {
      old.done[{attempt->record.token.batch, attempt->record.piece}] = std::move(*attempt);
    }
    return {};
  };
  RETURN_IF_ERROR(replay_journals(fs, folder.state(), each));
  return old;
}

bool is_committed(const JobState& state, const Portion& portion) {
  const Pieces* const pieces = state.pieces_of(portion.batch);
  if (pieces == nullptr) {
    return portion.piece.count == 0 &&
           state.batches()[portion.batch].stage == BatchStage::kCommitted;
  }
  const Piece* const piece = pieces->find(portion.piece);
  return piece != nullptr && piece->stage == BatchStage::kCommitted;
}

// The facts that cut a mini-batch into these pieces.
void halve_into(BatchId id, const Pieces& pieces, const ItemRange& items, std::vector<Fact>& out) {
  if (pieces.find(items) != nullptr) return;
  const std::uint32_t left = items.count / 2;
  out.emplace_back(fact::Halved{id, items});
  halve_into(id, pieces, {items.first, left}, out);
  halve_into(id, pieces, {items.first + left, items.count - left}, out);
}

// The first journal of the new job says what the old one had: the plan, and every committed row. It
// is of the old one's epoch, because the names of segments are made of epochs.
std::vector<Fact> facts_of(const OldJob& old, WallTime wall) {
  std::vector<Fact> facts;
  facts.emplace_back(fact::EpochBegan{old.state.epoch(), 1, wall});
  std::vector<ItemRun> runs;
  for (const Batch& batch : old.state.batches()) {
    if (runs.empty() || runs.back().items != batch.items) runs.push_back({0, batch.items});
    ++runs.back().batches;
  }
  facts.emplace_back(fact::Planned{std::move(runs), old.state.plan_bytes()});
  facts.emplace_back(fact::ListingEnded{});
  const std::vector<Segment>& segments = old.state.segments();
  for (SegmentId id = 0; id < segments.size(); ++id) {
    facts.emplace_back(fact::SegmentOpened{id, segments[id].agent, segments[id].file});
    facts.emplace_back(fact::SegmentSynced{id, segments[id].synced, {}});
  }
  for (const auto& [id, pieces] : old.state.pieces()) {
    if (!pieces.has(BatchStage::kCommitted)) continue;
    halve_into(id, pieces, {0, old.state.batches()[id].items}, facts);
  }
  for (const auto& [portion, attempt] : old.done) {
    if (is_committed(old.state, portion)) facts.emplace_back(attempt);
  }
  return facts;
}

// Segments are never written again once their job is over, so links are as good as copies.
Status take_over(FileSystem& fs, const JobFolder& from, const OldJob& old, const JobFolder& to) {
  RETURN_IF_ERROR(fs.hard_link(from.plan(old.state.plan()), to.plan(1)));
  if (fs.stat(from.input_list())) {
    RETURN_IF_ERROR(fs.hard_link(from.input_list(), to.input_list()));
  }
  RETURN_IF_ERROR(take_over_tables(from, to));
  for (const Segment& segment : old.state.segments()) {
    RETURN_IF_ERROR(fs.hard_link(from.row_segment(segment.file), to.row_segment(segment.file)));
  }
  RETURN_IF_ERROR(fs.sync_folder(to.rows()));
  std::uint64_t size = 0;
  ASSIGN_OR_RETURN(const std::unique_ptr<File> journal,
                   Journal::create(fs, to.state(), {.highest = old.state.epoch() - 1}, size));
  std::string bytes;
  for (const Fact& fact : facts_of(old, system_now())) {
    append_record_with(bytes, [&](std::string& out) { encode_fact(fact, out); });
  }
  RETURN_IF_ERROR(journal->write_at(size, bytes));
  return journal->sync();
}

// Where an output of the new job lies elsewhere, what the old one has written comes to lie there
// too.
Status take_files(FileSystem& fs,
                  const OldJob& old,
                  const std::vector<StagedOutput>& from,
                  const std::vector<StagedOutput>& to) {
  std::set<std::string> changed;
  for (const auto& [portion, attempt] : old.done) {
    if (!is_committed(old.state, portion)) continue;
    for (const StagedFile& file : attempt.record.files) {
      if (file.output >= from.size() || from[file.output] == to[file.output]) continue;
      const std::string target = to[file.output].folder + "/" + file.name;
      RETURN_IF_ERROR(put_file(fs, from[file.output].folder + "/" + file.name, target, false));
      changed.insert(parent_folder(target));
    }
  }
  for (const std::string& folder : changed) RETURN_IF_ERROR(fs.sync_folder(folder));
  return {};
}

// What to do instead of a retry.
std::string instead(const NextStep& next) {
  switch (next.kind) {
    case NextKind::kNone:
    case NextKind::kRetry:
      break;
    case NextKind::kRaise:
      return fmt::format("; `{}` accepts the failed items and completes the job", next.command);
    case NextKind::kStartOver:
      return "; fix the cause and start over: a new job runs every mini-batch";
    case NextKind::kResume:
    case NextKind::kFix:
      return fmt::format("; `{}` continues with it", next.command);
  }
  return "";
}

Status check_over(const std::string& name, const JobState& old, const NextStep& next) {
  if (!old.finished()) {
    return fail(ErrorCode::kConflict, "job {} is not over{}", name, instead(next));
  }
  if (count_failed(old) == 0) {
    const std::uint64_t items = old.counts().items_failed;
    return fail(ErrorCode::kConflict,
                "job {} has no failed mini-batch: there is nothing to retry{}{}",
                name,
                instead(next),
                items == 0 ? ""
                           : fmt::format("; {} failed in mini-batches that were done: see "
                                         "failed_items.jsonl in its logs, and "
                                         "retry_short_returns for results that are missing",
                                         counted(items, "item")));
  }
  if (!old.listing_ended()) {
    return fail(
        ErrorCode::kConflict, "job {} ended before its input was listed{}", name, instead(next));
  }
  return {};
}

// What a retry cannot change. Segments are taken over as they are: rows in them are found by the
// number of their mini-batch and of their output.
Status check_flags(const JobFlags& flags, bool replace, const JobSpec& old, const JobFolder& from) {
  if (flags.mini_batch_size) {
    return fail(ErrorCode::kInvalid,
                "--mini-batch-size: a retry keeps the mini-batches as they are, because their "
                "numbers join the old rows with the new ones; to cut the failed items anew, give "
                "them to a job of its own: windrow run SCRIPT --input @{} --mini-batch-size {}",
                from.failed_items(),
                *flags.mini_batch_size);
  }
  if (replace && (flags.output || flags.append_row_to)) {
    return fail(ErrorCode::kInvalid,
                "--replace puts the result in the place of the old one, {} somewhere else: give "
                "one of them",
                flags.output ? "--output" : "--append-row-to");
  }
  if (flags.append_row_to && old.append_row_to.size() != 1) {
    return fail(ErrorCode::kInvalid,
                "--append-row-to: the old job has {} with rows, not 1; leave it out",
                counted(old.append_row_to.size(), "output"));
  }
  return {};
}

// The old result stays: without --replace the new one has a place of its own, in the new job's
// folder unless a flag names another.
void place_rows(JobReading& reading, const std::vector<std::string>& old_targets, bool replace) {
  for (OutputSpec& output : reading.spec.outputs) {
    const auto& with_rows = reading.spec.append_row_to;
    const auto rows = std::ranges::find(with_rows, output.name);
    if (rows == with_rows.end()) continue;
    const auto origin = reading.origins.find("outputs." + output.name + ".path");
    if (origin != reading.origins.end() && origin->second.starts_with("--")) continue;
    output.path = std::nullopt;
    if (!replace) continue;
    output.path = old_targets[static_cast<std::size_t>(rows - with_rows.begin())];
    output.type = OutputType::kFile;
  }
}

// A job that failed early has mini-batches that were never done, beside those that failed.
std::string what_it_runs(const std::string& job, const std::string& of, const JobState& old) {
  const std::uint64_t failed = count_failed(old);
  const std::uint64_t kept = old.counts().committed - (failed - old.counts().failed);
  const std::uint64_t not_done = old.batches().size() - failed - kept;
  return fmt::format("job {} runs {} of {} again{} and keeps {}",
                     job,
                     counted(failed, "failed mini-batch"),
                     of,
                     not_done == 0 ? "" : fmt::format(", {} not done yet,", human_count(not_done)),
                     human_count(kept));
}

class RetryStart final : public JobStart {
 public:
  RetryStart(std::string name, JobFlags flags, bool replace)
      : name_(std::move(name)), flags_(std::move(flags)), replace_(replace) {}

  Result<StartedJob> claim(FileSystem& fs, Jobs& jobs) override {
    ASSIGN_OR_RETURN(from_, jobs.find(name_));
    RETURN_IF_ERROR(refuse_if_running(from_));
    ASSIGN_OR_RETURN(old_, read_old(fs, from_));
    ASSIGN_OR_RETURN(before_, read_job_folder(from_));
    RETURN_IF_ERROR(check_over(
        name_, old_.state, next_step_of(fs, from_, outline_of(old_.state), before_.spec, name_)));
    RETURN_IF_ERROR(check_code_is_there(fs, from_, before_.spec));
    RETURN_IF_ERROR(check_flags(flags_, replace_, before_.spec, from_));
    ASSIGN_OR_RETURN(JobReading reading, read_job_folder(from_, flags_, jobs.caller().folder));
    place_rows(reading, resolve_job_paths(before_.spec, from_.root()).targets, replace_);
    JobSpec& spec = reading.spec;
    spec.retry_of = base_name(from_.root());
    if (replace_) {  // kept, so that the job can be resumed after a crash
      spec.output_exists = OutputExists::kOverwrite;
      reading.origins["output_exists"] = "--replace";
    }
    if (!flags_.name) spec.name.clear();
    if (!flags_.job_dir) spec.job_folder = std::nullopt;
    StartedJob job;
    ASSIGN_OR_RETURN(const Jobs::Choice choice, jobs.choose(spec, true));
    job.made =
        fs.stat(choice.folder.root()) ? StartedJob::Made::kContent : StartedJob::Made::kFolder;
    if (!choice.notice.empty()) job.notices.push_back(choice.notice);
    if (flags_.name) spec.name = choice.name;
    job.run.name = choice.name;
    job.run.folder = choice.folder;
    job.run.spec = spec;
    job.run.replace_targets = replace_;
    job.run.configuration.yaml = effective_job_file(spec, reading.origins);
    job.run.configuration.json = effective_config_json(spec, reading.origins);
    return job;
  }

  Status prepare(FileSystem& fs, Jobs& jobs, StartedJob& job) override {
    const JobSpec& spec = job.run.spec;
    RETURN_IF_ERROR(prepare_run(fs, jobs, nullptr, job));
    RETURN_IF_ERROR(make_output_folders(fs, job.run));
    const JobPaths old_paths = resolve_job_paths(before_.spec, from_.root());
    const JobPaths paths = resolve_job_paths(spec, job.run.folder.root());
    RETURN_IF_ERROR(
        take_files(fs, old_, staged_outputs(before_.spec, old_paths), staged_outputs(spec, paths)));
    RETURN_IF_ERROR(jobs.create(job.run.folder, spec, job.run.configuration.yaml));
    RETURN_IF_ERROR(take_over(fs, from_, old_, job.run.folder));
    ASSIGN_OR_RETURN(job.run.before, replay_job(fs, job.run.folder.state()));
    job.run.reopen = fact::Reopened{.failed_afresh = true};
    job.notices.push_back(what_it_runs(job.run.name, name_, old_.state));
    return {};
  }

 private:
  std::string name_;
  JobFlags flags_;
  bool replace_;
  JobFolder from_{""};
  OldJob old_;
  JobReading before_;
};

}  // namespace

std::unique_ptr<JobStart> retry_job(std::string name, JobFlags flags, bool replace) {
  return std::make_unique<RetryStart>(std::move(name), std::move(flags), replace);
}

}  // namespace windrow
