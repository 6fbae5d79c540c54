// SPDX-License-Identifier: Apache-2.0
#include "cli/run_job.h"

#include <utility>

#include "cli/command.h"
#include "cli/run_end.h"
#include "cli/run_screen.h"
#include "os/machine.h"
#include "os/posix_file_system.h"
#include "workspace/jobs/job_index.h"
#include "workspace/jobs/jobs.h"
#include "workspace/prepare/made_tables.h"

namespace windrow {
namespace {

std::string failed_items_before(FileSystem& fs, const JobSpec& spec) {
  if (!spec.retry_of) return "";
  const Result<JobFolder> folder = Jobs(fs).find(*spec.retry_of);
  return folder && fs.stat(folder->failed_items()) ? folder->failed_items() : "";
}

}  // namespace

int run_to_the_end(const Voice& voice, const std::function<Result<StartedJob>()>& start) {
  if (voice.quiet() && voice.verbose()) {
    return voice.report({ErrorCode::kInvalid, "-q wants less and -v more: give one of them"});
  }
  Result<Zygote> zygote = Zygote::fork_off();
  if (!zygote) return voice.report(zygote.error());
  Result<StartedJob> job = start();
  if (!job) return voice.report(job.error());
  RunScreen screen(voice);
  for (const std::string& notice : job->notices) screen.on_note(notice);
  PosixFileSystem fs;
  const Status made =
      make_tables(fs, job->run, [&screen](const std::string& line) { screen.on_note(line); });
  if (!made) return voice.report(made.error());
  const JobFolder folder = job->run.folder;
  const std::string name = job->run.name;
  const JobSpec spec = job->run.spec;
  const Result<RunOutcome> outcome = run_locally(*zygote, std::move(job->run), screen);
  screen.clear_bar();
  // A file or folder that is missing here is not a missing job.
  if (!outcome && outcome.error().code == ErrorCode::kNotFound) {
    return voice.report({ErrorCode::kInvalid, outcome.error().message});
  }
  if (!outcome) return voice.report(outcome.error());
  const bool over = outcome->end == MasterEnd::kFinished && outcome->status != JobStatus::kCanceled;
  if (over) Jobs(fs).note_ended(folder, spec, outcome->status, outcome->counts.committed);
  const bool keyed = !spec.partition_keys.empty() || !spec.partition_by.empty();
  const RunEnd end{.outcome = *outcome,
                   .folder = folder,
                   .name = name,
                   .named = !spec.name.empty() || spec.job_folder.has_value(),
                   .retry = spec.retry_of.has_value(),
                   .table = spec.input_as == InputAs::kTable,
                   .failed_before = failed_items_before(fs, spec),
                   .speaks = !spec.command.empty() && spec.command_mode == CommandMode::kProtocol,
                   .may_retry_short = !spec.limits.retry_short_returns && !keyed};
  if (voice.json()) {
    write_out(1, end_json(end));
  } else {
    write_out(2, end_text(end, voice.quiet()));
  }
  // Last, when all is said: it is for those who ask later, and a job of a million mini-batches
  // takes a moment.
  if (outcome->state) static_cast<void>(write_job_index(fs, folder, *outcome->state));
  return exit_code(*outcome);
}

}  // namespace windrow
