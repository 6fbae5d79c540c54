// SPDX-License-Identifier: Apache-2.0
#include "workspace/merge_job.h"

#include <memory>
#include <optional>
#include <utility>

#include "core/spec/job_paths.h"
#include "journal/staged_files.h"
#include "master/merger.h"
#include "os/epoll_loop.h"
#include "os/posix_file_system.h"
#include "workspace/jobs.h"
#include "workspace/prepare_run.h"

namespace windrow {
namespace {

// A job that ended by itself has done so; one that was killed may have died over it.
Status place_files(FileSystem& fs,
                   const JobFolder& folder,
                   const JobState& state,
                   const std::vector<StagedOutput>& outputs) {
  for (const Token& token : state.staged()) {
    RETURN_IF_ERROR(place_staged(fs, folder.staged_attempt(token), outputs, false));
  }
  return {};
}

}  // namespace

Result<MergedJob> merge_job(const std::string& name) {
  PosixFileSystem fs;
  const Jobs jobs(fs);
  ASSIGN_OR_RETURN(const JobFolder folder, jobs.find(name));
  ASSIGN_OR_RETURN(const JobReading reading, read_job_folder(folder));
  const JobPaths paths = resolve_job_paths(reading.spec, folder.root());
  const std::vector<std::string>& targets = paths.targets;
  if (targets.empty() && !reading.spec.staged_outputs) {
    return fail(ErrorCode::kInvalid, "job {} keeps no rows: it has no append_row_to", name);
  }
  RETURN_IF_ERROR(refuse_if_running(folder));
  ASSIGN_OR_RETURN(const ReplayedJob job, replay_job(fs, folder.state()));
  RETURN_IF_ERROR(place_files(fs, folder, job.state, staged_outputs(reading.spec, paths)));
  if (targets.empty()) {
    return fail(
        ErrorCode::kInvalid,
        "job {} keeps no rows: it has no append_row_to; the files that it has committed are "
        "in their outputs",
        name);
  }
  if (const auto& finished = job.state.finished();
      finished && finished->status == JobStatus::kCompleted) {
    return fail(ErrorCode::kConflict, "job {} is finished; its result is {}", name, targets[0]);
  }
  if (job.state.counts().committed == 0) {
    return fail(ErrorCode::kConflict, "job {} has not committed a single mini-batch", name);
  }
  for (const std::string& target : targets) {
    RETURN_IF_ERROR(fs.make_folders(parent_folder(target)));
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<EpollLoop> loop, EpollLoop::create());
  MergedJob out{.targets = targets,
                .batches = job.state.counts().committed,
                .all = static_cast<std::uint32_t>(job.state.batches().size())};
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
      job.state.epoch(),
      Merger::Callbacks{
          .on_progress = [](std::uint64_t) {},
          .on_merged =
              [&](const std::vector<fact::Publishing>& results) {
                for (const fact::Publishing& result : results) out.bytes += result.length;
                merger->publish(ends);
              },
          .on_error =
              [&](const std::string& cause) { ends(fail(ErrorCode::kInternal, "{}", cause)); }});
  merger->complete(job.state);
  loop->run();
  if (!status) return std::unexpected(status.error());
  return out;
}

}  // namespace windrow
