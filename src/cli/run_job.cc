// SPDX-License-Identifier: Apache-2.0
#include "cli/run_job.h"

#include <utility>

#include "cli/command.h"
#include "cli/run_screen.h"
#include "os/posix_file_system.h"
#include "workspace/jobs.h"

namespace windrow {

int run_to_the_end(const std::function<Result<StartedJob>()>& start) {
  Result<Zygote> zygote = Zygote::fork_off();
  if (!zygote) return report(zygote.error());
  Result<StartedJob> job = start();
  if (!job) return report(job.error());
  RunScreen screen;
  for (const std::string& notice : job->notices) screen.on_note(notice);
  const JobFolder folder = job->run.folder;
  const std::string name = job->run.name;
  const JobSpec spec = job->run.spec;
  const Result<RunOutcome> outcome = run_locally(*zygote, std::move(job->run), screen);
  // A file or folder that is missing here is not a missing job.
  if (!outcome && outcome.error().code == ErrorCode::kNotFound) {
    return report({ErrorCode::kInvalid, outcome.error().message});
  }
  if (!outcome) return report(outcome.error());
  PosixFileSystem fs;
  const bool over = outcome->end == MasterEnd::kFinished && outcome->status != JobStatus::kCanceled;
  if (over) Jobs(fs).note_finished(folder, spec);
  return screen.end(*outcome, folder, name, !spec.name.empty() || spec.job_folder);
}

}  // namespace windrow
