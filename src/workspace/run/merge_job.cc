// SPDX-License-Identifier: Apache-2.0
#include "workspace/run/merge_job.h"

#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "core/schedule/kept_rows.h"
#include "core/spec/job_paths.h"
#include "journal/staged_files.h"
#include "master/merger.h"
#include "os/epoll_loop.h"
#include "os/posix_file_system.h"
#include "workspace/jobs/jobs.h"
#include "workspace/jobs/running_job.h"
#include "workspace/prepare/prepare_run.h"
#include "workspace/prepare/table_program.h"

namespace windrow {
namespace {

std::vector<std::string> folders_of(const std::vector<StagedOutput>& outputs) {
  std::vector<std::string> folders;
  for (const StagedOutput& output : outputs) folders.push_back(output.folder);
  return folders;
}

// Pieces of one mini-batch each have an attempt of their own.
std::uint32_t count_with_files(const JobState& state) {
  std::set<BatchId> batches;
  for (const Token& token : state.staged()) batches.insert(token.batch);
  return static_cast<std::uint32_t>(batches.size());
}

// What may be merged: kConflict for a job that is finished or has nothing.
Status check_mergeable(const std::string& name, const JobState& state, const MergedJob& job) {
  if (job.targets.empty() && job.outputs.empty()) {
    return fail(ErrorCode::kInvalid, "job {} keeps no rows: it has no append_row_to", name);
  }
  if (const auto& finished = state.finished();
      finished && finished->status == JobStatus::kCompleted) {
    const bool rows = !job.targets.empty();
    return fail(ErrorCode::kConflict,
                "job {} is finished; {} {}",
                name,
                rows ? "its result is" : "its files are in",
                rows ? job.targets[0] : fmt::format("{}", fmt::join(job.outputs, ", ")));
  }
  if (job.batches + job.in_part == 0) {
    return fail(ErrorCode::kConflict, "job {} has not committed a single mini-batch", name);
  }
  return {};
}

// A job that ended by itself has done so; one that was killed may have died over it.
Status place_files(FileSystem& fs,
                   const JobFolder& folder,
                   const JobState& state,
                   const std::vector<StagedOutput>& outputs,
                   bool replace) {
  for (const Token& token : state.staged()) {
    RETURN_IF_ERROR(place_staged(fs, folder.staged_attempt(token), outputs, replace));
  }
  return {};
}

Result<RowShape> shape_of(FileSystem& fs,
                          const Jobs& jobs,
                          const JobFolder& folder,
                          const JobSpec& spec) {
  std::vector<std::string> worker;
  if (spec.command.empty()) {
    ASSIGN_OR_RETURN(const Interpreter python, find_interpreter(spec.python));
    ASSIGN_OR_RETURN(worker, python_worker(fs, jobs, python));
  }
  return row_shape(spec.rows.format, TableProgram(worker, folder));
}

// Gives their number of bytes.
Result<std::uint64_t> publish_rows(FileSystem& fs,
                                   const JobFolder& folder,
                                   const JobState& state,
                                   const std::vector<std::string>& targets,
                                   RowShape shape) {
  for (const std::string& target : targets) {
    RETURN_IF_ERROR(fs.make_folders(parent_folder(target)));
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<EpollLoop> loop, EpollLoop::create());
  std::uint64_t bytes = 0;
  Status status;
  std::unique_ptr<Merger> merger;
  const auto ends = [&](Status with) {
    status = std::move(with);
    loop->stop();
  };
  merger = std::make_unique<Merger>(
      *loop,
      fs,
      folder,
      targets,
      RowForm{.shape = std::move(shape), .one_header = false},
      state.epoch(),
      Merger::Callbacks{.on_progress = [](std::uint64_t) {},
                        .on_merged =
                            [&](const std::vector<fact::Publishing>& results) {
                              for (const fact::Publishing& result : results) bytes += result.length;
                              merger->publish(state.publishing(), ends);
                            },
                        .on_error = [&](const Error& error) { ends(std::unexpected(error)); }});
  merger->complete(state);
  loop->run();
  if (!status) return std::unexpected(status.error());
  return bytes;
}

}  // namespace

Result<MergedJob> merge_job(const Caller& caller, const std::string& name) {
  PosixFileSystem fs;
  const Jobs jobs(fs, caller);
  ASSIGN_OR_RETURN(const JobFolder folder, jobs.find(name));
  ASSIGN_OR_RETURN(const JobReading reading, read_job_folder(folder));
  RETURN_IF_ERROR(refuse_if_running(folder));
  ASSIGN_OR_RETURN(const ReplayedJob job, replay_job(fs, folder.state()));
  const JobPaths paths = resolve_job_paths(reading.spec, folder.root());
  const std::vector<StagedOutput> outputs = staged_outputs(reading.spec, paths);
  const CommittedBatches committed = count_committed(job.state);
  MergedJob out{.targets = paths.targets,
                .batches = committed.whole,
                .in_part = committed.in_part,
                .outputs = folders_of(outputs),
                .batches_with_files = count_with_files(job.state),
                .all = static_cast<std::uint32_t>(job.state.batches().size())};
  RETURN_IF_ERROR(check_mergeable(name, job.state, out));
  const bool replace = reading.spec.output_exists == OutputExists::kOverwrite;
  RETURN_IF_ERROR(place_files(fs, folder, job.state, outputs, replace));
  if (!out.targets.empty()) {
    ASSIGN_OR_RETURN(RowShape shape, shape_of(fs, jobs, folder, reading.spec));
    ASSIGN_OR_RETURN(out.bytes, publish_rows(fs, folder, job.state, out.targets, std::move(shape)));
  }
  return out;
}

}  // namespace windrow
