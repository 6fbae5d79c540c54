// SPDX-License-Identifier: Apache-2.0
#include "workspace/run/run_job.h"

#include <atomic>
#include <csignal>
#include <memory>
#include <optional>
#include <utility>

#include "base/exit_code.h"
#include "journal/staged_files.h"
#include "os/epoll_loop.h"
#include "os/machine.h"
#include "os/posix_file_system.h"
#include "os/zygote.h"
#include "workspace/jobs/first_failed_item.h"
#include "workspace/jobs/job_identity.h"
#include "workspace/jobs/job_index.h"
#include "workspace/jobs/jobs.h"
#include "workspace/prepare/made_tables.h"
#include "workspace/run/job_control.h"
#include "workspace/run/local_run.h"

namespace windrow {
namespace {

std::string failed_items_before(FileSystem& fs, const Jobs& jobs, const JobSpec& spec) {
  if (!spec.retry_of) return "";
  const Result<JobFolder> folder = jobs.find(*spec.retry_of);
  return folder && fs.stat(folder->failed_items()) ? folder->failed_items() : "";
}

RunEnd describe(FileSystem& fs, const Jobs& jobs, const PreparedJob& job, RunOutcome outcome) {
  const JobSpec& spec = job.spec;
  const bool keyed = !spec.partition_keys.empty() || !spec.partition_by.empty();
  // A name is enough for a job in its usual place.
  const bool usual = job.folder.root() == jobs.home() + "/jobs/" + job.name;
  const std::string known_by = usual ? job.name : job.folder.root();
  const bool bad_items = outcome.counts.items_failed > 0;
  NextStep next;
  if (outcome.state) {
    next = next_step_of(fs, job.folder, outline_of(*outcome.state), spec, known_by);
  }
  return {.outcome = std::move(outcome),
          .folder = job.folder,
          .name = job.name,
          .job = known_by,
          .named = !spec.name.empty() || spec.job_folder.has_value(),
          .retry = spec.retry_of.has_value(),
          .table = spec.input_as == InputAs::kTable,
          .failed_before = failed_items_before(fs, jobs, spec),
          .next = std::move(next),
          .first_failed = bad_items ? first_failed_item(fs, job.folder) : "",
          .speaks = !spec.command.empty() && spec.command_mode == CommandMode::kProtocol,
          .may_retry_short = !spec.limits.retry_short_returns && !keyed};
}

class JobLife {
 public:
  JobLife(EpollLoop& loop,
          FileSystem& fs,
          Zygote& zygote,
          const Caller& caller,
          JobStart& start,
          RunView& view)
      : loop_(loop), fs_(fs), zygote_(zygote), jobs_(fs, caller), start_(start), view_(loop, view) {
    view_.on_cancel = [this](bool at_once) { cancel(at_once, SIGINT); };
  }

  // Takes the job's place; all else happens on the loop.
  Status begin() {
    {
      ASSIGN_OR_RETURN(const FileLock lock, jobs_.lock());
      ASSIGN_OR_RETURN(job_, start_.claim(fs_, jobs_));
      Status listening = fs_.make_folders(job_.run.folder.state());
      if (listening) listening = view_.listen(job_.run.folder, job_.run.name);
      if (!listening) return withdraw(listening.error());
    }
    view_.on_stage(JobStage::kPreparing, job_.run.name);
    be_nice(job_.run.spec.worker.nice);  // before the loop's threads, which take it over
    loop_.blocking([this] { prepared_ = prepare(); }, [this] { run(); });
    return {};
  }

  void cancel(bool at_once, int signal) {
    if (!run_) {
      // Nothing is lost by ending here, and work that blocks cannot be asked to stop.
      static_cast<void>(withdraw({ErrorCode::kConflict, "cancelled before it began"}));
      end_by_signal(signal);
    }
    const bool again = std::exchange(cancelled_, true);
    view_.on_note(again || at_once
                      ? "stopping at once"
                      : "stopping: running mini-batches get ten seconds to end; Ctrl-C again "
                        "stops at once");
    run_->cancel();
    if (at_once && !again) run_->cancel();
  }

  // Once, after the loop.
  Result<int> end() {
    if (!began_) return std::unexpected(withdraw(prepared_.error()).error());
    RunOutcome outcome = run_->outcome();
    run_.reset();
    view_.close();
    const PreparedJob& job = job_.run;
    const bool over = outcome.end == RunEnding::kFinished && outcome.status != JobStatus::kCanceled;
    if (over) jobs_.note_ended(job.folder, job.spec, outcome.status, outcome.counts.committed);
    const int code = exit_code(outcome);
    const std::shared_ptr<const JobState> state = outcome.state;
    view_.on_end(describe(fs_, jobs_, job, std::move(outcome)));
    // Last, when everything is printed: it is for those who ask later, and a job of a million
    // mini-batches takes a moment.
    if (state) static_cast<void>(write_job_index(fs_, job.folder, *state));
    return code;
  }

 private:
  // On the pool.
  Status prepare() {
    const auto note = [this](const std::string& line) {
      loop_.post([this, line] { view_.on_note(line); });
    };
    RETURN_IF_ERROR(start_.prepare(fs_, jobs_, job_));
    created_ = true;
    for (const std::string& notice : job_.notices) note(notice);
    const Status made = make_tables(fs_, job_.run, note);
    // A job that can never work as it was described leaves nothing behind.
    if (!made && made.error().code == ErrorCode::kInvalid) created_ = false;
    return made;
  }

  void run() {
    if (prepared_) {
      run_ = make_local_run(loop_, fs_, zygote_, job_.run, view_, [this] { loop_.stop(); });
      prepared_ = run_->open();
    }
    if (prepared_) {
      began_ = true;
      view_.on_stage(JobStage::kRunning, job_.run.name);
    } else {
      run_.reset();
      loop_.stop();
    }
  }

  // What a job that cannot run leaves behind: nothing, when it is new.
  Status withdraw(Error error) {
    // A file or folder that is missing here is not a missing job.
    if (error.code == ErrorCode::kNotFound) error.code = ErrorCode::kInvalid;
    view_.close();
    if (job_.made != StartedJob::Made::kNothing && !created_) {
      const JobFolder& folder = job_.run.folder;
      jobs_.forget(folder, job_.run.spec);
      if (job_.made == StartedJob::Made::kFolder) {
        remove_tree(fs_, folder.root());
      } else {
        remove_tree(fs_, folder.state());
        static_cast<void>(fs_.remove(folder.job_file()));
      }
    }
    view_.refuse(error);
    return std::unexpected(std::move(error));
  }

  EpollLoop& loop_;
  FileSystem& fs_;
  Zygote& zygote_;
  Jobs jobs_;
  JobStart& start_;
  JobControl view_;
  StartedJob job_;
  Status prepared_;
  std::atomic<bool> created_ = false;  // the job folder holds a whole job; set on the pool
  bool began_ = false;
  bool cancelled_ = false;
  std::unique_ptr<LocalRun> run_;
};

}  // namespace

Result<int> run_job(const Caller& caller, JobStart& start, RunView& view) {
  ASSIGN_OR_RETURN(Zygote zygote, Zygote::fork_off());
  PosixFileSystem fs;  // outlives the loop, whose pool may still be working with it
  ASSIGN_OR_RETURN(const std::unique_ptr<EpollLoop> loop, EpollLoop::create());
  JobLife life(*loop, fs, zygote, caller, start, view);
  for (const int signal : {SIGINT, SIGTERM}) {
    RETURN_IF_ERROR(loop->on_signal(signal, [&life, signal] { life.cancel(false, signal); }));
  }
  RETURN_IF_ERROR(life.begin());
  loop->run();
  return life.end();
}

}  // namespace windrow
