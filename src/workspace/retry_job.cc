// SPDX-License-Identifier: Apache-2.0
#include "workspace/retry_job.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/clock_text.h"
#include "base/text.h"
#include "core/spec/effective.h"
#include "core/spec/job_file.h"
#include "core/spec/job_name.h"
#include "core/spec/job_paths.h"
#include "journal/fact_codec.h"
#include "journal/record.h"
#include "journal/staged_files.h"
#include "os/clock_steady.h"
#include "os/machine.h"
#include "os/posix_file_system.h"
#include "workspace/job_identity.h"
#include "workspace/jobs.h"

namespace windrow {
namespace {

constexpr std::uint64_t kJobFileMax = 16U << 20;

struct OldJob {
  JobState state;
  std::map<Portion, fact::AttemptEnded> done;  // of what is committed: the attempt that counts
};

Result<OldJob> read_old(FileSystem& fs, const JobFolder& folder) {
  OldJob old;
  const auto each = [&old](Fact fact) -> Status {
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

// The mini-batches that have something to be tried again: those that failed, and those of which
// pieces have.
std::uint64_t count_failed(const JobState& state) {
  std::uint64_t count = state.counts().failed;
  for (const auto& [id, pieces] : state.pieces()) {
    const bool failed = pieces.has(BatchStage::kFailed);
    count += failed && state.batches()[id].stage == BatchStage::kCommitted ? 1 : 0;
  }
  return count;
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

// The first journal of the new job says what the old one had: the plan, and every committed row.
std::vector<Fact> facts_of(const OldJob& old, WallTime wall) {
  std::vector<Fact> facts;
  facts.emplace_back(fact::EpochBegan{1, 1, wall});
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
  for (const Segment& segment : old.state.segments()) {
    RETURN_IF_ERROR(fs.hard_link(from.row_segment(segment.file), to.row_segment(segment.file)));
  }
  RETURN_IF_ERROR(fs.sync_folder(to.rows()));
  std::uint64_t size = 0;
  ASSIGN_OR_RETURN(const std::unique_ptr<File> journal,
                   Journal::create(fs, to.state(), JournalEnd{}, size));
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

Result<JobReading> read_with_flags(const JobFolder& folder, const JobFlags& flags) {
  ASSIGN_OR_RETURN(std::string text, read_whole_file(folder.job_file(), kJobFileMax));
  auto reading = read_job_file(JobFileText{.file = folder.job_file(),
                                           .text = std::move(text),
                                           .folder = folder.root(),
                                           .set = {},
                                           .flags = flags,
                                           .current_folder = current_folder(),
                                           .written_by_us = true});
  if (!reading) return fail(ErrorCode::kInvalid, "{}", problems_text(reading.error()));
  return *std::move(reading);
}

}  // namespace

Result<StartedJob> retry_job(const std::string& name, const JobFlags& flags, bool replace) {
  PosixFileSystem fs;
  Jobs jobs(fs);
  ASSIGN_OR_RETURN(const JobFolder from, jobs.find(name));
  RETURN_IF_ERROR(refuse_if_running(from));
  ASSIGN_OR_RETURN(const OldJob old, read_old(fs, from));
  ASSIGN_OR_RETURN(JobReading reading, read_with_flags(from, flags));
  JobSpec& spec = reading.spec;
  const std::string resume = resume_command(fs, from, spec, name);
  if (!old.state.finished()) {
    return fail(ErrorCode::kConflict, "job {} is not over; `{}` goes on with it", name, resume);
  }
  const std::uint64_t failed = count_failed(old.state);
  if (failed == 0) {
    const bool completed = old.state.finished()->status == JobStatus::kCompleted;
    return fail(ErrorCode::kConflict,
                "job {} has no failed mini-batch: there is nothing to retry{}",
                name,
                completed ? "" : fmt::format("; `{}` goes on with it", resume));
  }
  if (!old.state.listing_ended()) {
    return fail(ErrorCode::kConflict,
                "job {} ended before its input was listed; `{}` goes on with it",
                name,
                resume);
  }
  const JobPaths old_paths = resolve_job_paths(spec, from.root());
  const std::vector<std::string>& old_targets = old_paths.targets;
  const std::vector<StagedOutput> old_staged = staged_outputs(spec, old_paths);
  spec.retry_of = base_name(from.root());
  spec.name.clear();
  spec.job_folder =
      flags.job_dir ? std::optional(join_path(current_folder(), *flags.job_dir)) : std::nullopt;
  for (OutputSpec& output : spec.outputs) {
    // The old result stays: without --replace the new one has a place of its own.
    const auto rows = std::ranges::find(spec.append_row_to, output.name);
    if (rows == spec.append_row_to.end()) continue;
    const auto index = static_cast<std::size_t>(rows - spec.append_row_to.begin());
    output.path = replace ? std::optional(old_targets[index]) : std::nullopt;
    if (replace) output.type = OutputType::kFile;
  }
  StartedJob job;
  ClockText clock;
  job.run.name = generate_job_name(script_path(spec), clock.date(system_now()), random_number());
  job.run.folder = JobFolder(spec.job_folder.value_or(jobs.home() + "/jobs/" + job.run.name));
  if (spec.job_folder) job.run.name = base_name(job.run.folder.root());
  job.run.spec = spec;
  job.run.replace_targets = replace;
  job.run.configuration = effective_job_file(spec, reading.origins);
  job.run.configuration_json = effective_config_json(spec, reading.origins);
  RETURN_IF_ERROR(prepare_run(fs, jobs, nullptr, job));
  RETURN_IF_ERROR(make_output_folders(fs, job.run));
  const JobPaths paths = resolve_job_paths(spec, job.run.folder.root());
  RETURN_IF_ERROR(take_files(fs, old, old_staged, staged_outputs(spec, paths)));
  RETURN_IF_ERROR(jobs.create(job.run.folder, spec, job.run.configuration));
  RETURN_IF_ERROR(take_over(fs, from, old, job.run.folder));
  ASSIGN_OR_RETURN(job.run.job, replay_job(fs, job.run.folder.state()));
  job.run.reopen = fact::Reopened{.failed_afresh = true};
  job.notices.push_back(
      fmt::format("job {} runs the failed mini-batches of {} again ({}) and keeps {}",
                  job.run.name,
                  name,
                  human_count(failed),
                  human_count(old.state.batches().size() - failed)));
  return job;
}

}  // namespace windrow
