// SPDX-License-Identifier: Apache-2.0
#include "workspace/jobs/jobs.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/clock_text.h"
#include "base/text.h"
#include "base/words.h"
#include "core/spec/effective.h"
#include "core/spec/identity.h"
#include "core/spec/job_file.h"
#include "core/spec/job_name.h"
#include "core/spec/job_paths.h"
#include "os/clock_steady.h"
#include "os/control_client.h"
#include "os/machine.h"
#include "os/private_folder.h"
#include "workspace/jobs/job_identity.h"
#include "workspace/jobs/job_index.h"
#include "workspace/jobs/running_job.h"

namespace windrow {
namespace {

constexpr std::uint64_t kJobFileMax = 16U << 20;
constexpr std::uint64_t kUnfinishedBytesMax = 1U << 20;

// Those who find the lock taken wait this long: whoever has it replays a journal at most.
constexpr Duration kLockLimit = std::chrono::seconds(60);

// How many unfinished jobs of one command are kept in mind.
constexpr std::size_t kUnfinishedMax = 16;
constexpr std::string_view kNul("\0", 1);

// Perhaps not all of it: a power cut leaves as much as was on the disk.
bool is_effective_job_file(const std::string& path) {
  const Result<std::string> text = read_whole_file(path, kJobFileMax);
  return text && (text->starts_with(kEffectiveHead) || kEffectiveHead.starts_with(*text));
}

// A job that died while it was being created has left its own, and nothing else.
Status check_no_strangers(FileSystem& fs, const JobFolder& folder) {
  const Result<FileStat> there = fs.stat(folder.root());
  if (!there) return {};
  if (there->kind != FileKind::kFolder) {
    return fail(ErrorCode::kInvalid,
                "--job-dir {} is not a folder; choose another one",
                path_in_quotes(folder.root()));
  }
  ASSIGN_OR_RETURN(const std::vector<FolderEntry> entries, fs.list(folder.root()));
  for (const FolderEntry& entry : entries) {
    const std::string path = folder.root() + "/" + entry.name;
    const bool ours = entry.kind == FileKind::kFolder
                          ? path == folder.state() || entry.name == "outputs"
                          : path.starts_with(folder.job_file()) && is_effective_job_file(path);
    if (ours) continue;
    return fail(ErrorCode::kInvalid,
                "--job-dir {} holds {}, which is of no job; choose a new folder, or an empty one",
                path_in_quotes(folder.root()),
                in_quotes(entry.name));
  }
  return {};
}

}  // namespace

std::optional<std::string> Jobs::near_job(const std::string& job) const {
  const auto entries = fs_.list(home_ + "/jobs");
  if (!entries) return std::nullopt;
  std::vector<std::string_view> names;
  for (const FolderEntry& entry : *entries) names.emplace_back(entry.name);
  const auto near = nearest_name(job, names);
  return near ? std::optional<std::string>(*near) : std::nullopt;
}

Result<JobFolder> Jobs::find(const std::string& job) const {
  const std::string as_path = join_path(caller_.folder, job);
  if (job.find('/') != std::string::npos || fs_.stat(as_path + "/state")) {
    if (fs_.stat(as_path + "/state")) return JobFolder(as_path);
  } else if (fs_.stat(home_ + "/jobs/" + job + "/state")) {
    return JobFolder(home_ + "/jobs/" + job);
  }
  const auto near = near_job(job);
  return fail(ErrorCode::kNotFound,
              "there is no job {}; {}give the name of a job in {}/jobs or the path of a job folder",
              path_in_quotes(job),
              near ? fmt::format("did you mean {}? Else ", *near) : "",
              home_);
}

Result<Jobs::Choice> Jobs::choose(const JobSpec& spec, bool afresh) {
  if (spec.job_folder) {
    JobFolder folder(*spec.job_folder);
    if (fs_.stat(folder.identity())) {
      if (afresh) {
        return fail(
            ErrorCode::kConflict, "{} holds a job already; choose another folder", folder.root());
      }
      return existing(std::move(folder), spec, true);
    }
    RETURN_IF_ERROR(refuse_if_running(folder));  // it is being prepared
    RETURN_IF_ERROR(check_no_strangers(fs_, folder));
    return Choice{.folder = folder,
                  .name = spec.name.empty() ? base_name(folder.root()) : spec.name};
  }
  if (!spec.name.empty()) return by_name(spec, afresh);
  std::string notice;
  for (const std::string& path : afresh ? std::vector<std::string>() : unfinished(spec)) {
    Result<Choice> choice = existing(JobFolder(path), spec, false);
    if (choice && choice->exists) return choice;
    if (!choice && choice.error().code != ErrorCode::kConflict) return choice;
    if (!choice && notice.empty()) notice = choice.error().message + "; starting a new one";
  }
  if (notice.empty() && !afresh) notice = failed_notice(spec);
  ClockText clock;
  std::string name;
  do {
    name = generate_job_name(script_path(spec), clock.date(system_now()), random_number());
  } while (fs_.stat(home_ + "/jobs/" + name));
  return Choice{.folder = JobFolder(home_ + "/jobs/" + name), .name = name, .notice = notice};
}

std::string Jobs::failed_notice(const JobSpec& spec) const {
  const auto path = read_whole_file(failed_path(spec), kUnfinishedBytesMax);
  if (!path || !fs_.stat(JobFolder(*path).identity())) return "";
  const JobFolder folder(*path);
  const Result<JobOutline> job = read_outline(fs_, folder);
  if (!job || !job->finished || job->finished->status != JobStatus::kFailed) return "";
  const std::string name = base_name(folder.root());
  const std::string& said = folder.root() == home_ + "/jobs/" + name ? name : folder.root();
  const NextStep next = next_step_of(fs_, folder, *job, spec, said);
  if (next.command.empty()) return "";
  const bool alone = !next.command.contains("--error-threshold");  // a new job has the old limit
  const bool again = alone && job->counts.failed > 0 && job->listing_ended;
  return fmt::format(
      "job {} of the same command has failed, with {} of {} mini-batches done: `{}` continues with "
      "it{}; starting a new one",
      name,
      human_count(job->counts.committed),
      human_count(job->batches),
      next.command,
      again ? fmt::format(", `windrow retry {}` runs what failed in a job of its own", said) : "");
}

// --new numbers the jobs of one name; the newest of them that is the same job is the one meant.
Result<Jobs::Choice> Jobs::by_name(const JobSpec& spec, bool afresh) const {
  const auto folder_of = [this](const std::string& name) {
    return JobFolder(home_ + "/jobs/" + name);
  };
  JobFolder meant = folder_of(spec.name);
  std::string next = spec.name;
  for (int number = 2; fs_.stat(folder_of(next).identity()); ++number) {
    const Result<JobIdentity> identity = read_identity(fs_, folder_of(next));
    if (identity && identity->job == identity_hash(spec)) meant = folder_of(next);
    next = fmt::format("{}-{}", spec.name, number);
  }
  if (next == spec.name) {
    RETURN_IF_ERROR(refuse_if_running(meant));  // it is being prepared
    return Choice{.folder = meant, .name = next};
  }
  if (!afresh) return existing(std::move(meant), spec, true);
  return Choice{
      .folder = folder_of(next),
      .name = next,
      .notice = fmt::format("there is a job {} already; this one is {}", spec.name, next)};
}

// `named`: the user means this very job, so a finished one is an error and not a reason for
// another.
Result<Jobs::Choice> Jobs::existing(JobFolder folder, const JobSpec& spec, bool named) const {
  const std::string name = base_name(folder.root());
  const std::string& job = spec.job_folder ? folder.root() : name;
  const char* other =
      spec.job_folder ? "choose another folder" : "--new starts another, under the next free name";
  Status free = refuse_if_running(folder);  // asked first: what is read then stays so
  // Another command is preparing it, and there is nothing to read yet.
  if (!free && !fs_.stat(folder.identity())) {
    return Choice{.folder = folder, .name = name, .exists = true, .free = std::move(free)};
  }
  ASSIGN_OR_RETURN(ReplayedJob before, replay_job(fs_, folder.state()));
  if (const auto& finished = before.state.finished();
      finished && finished->status != JobStatus::kCanceled) {
    if (!named) return Choice{};
    if (finished->status == JobStatus::kCompleted) {
      return fail(ErrorCode::kConflict,
                  "job {} is finished, and a finished job never changes; {}",
                  name,
                  other);
    }
    const NextStep next = next_step_of(fs_, folder, outline_of(before.state), spec, job);
    return fail(ErrorCode::kConflict,
                "job {} has failed; {}{}",
                name,
                next.command.empty() ? "" : fmt::format("`{}` continues with it, ", next.command),
                other);
  }
  ASSIGN_OR_RETURN(const Change change, what_changed(fs_, folder, spec));
  if (change) {
    return fail(
        ErrorCode::kConflict,
        "not continuing job {}: {}{}{}",
        name,
        change.reason,
        change.code ? fmt::format("; `windrow job resume {} --changed-code` does", job) : "",
        named ? fmt::format("; {}", other) : "");
  }
  std::string notice = fmt::format("continuing job {} ({} of {} mini-batches are done){}",
                                   name,
                                   human_count(before.state.counts().committed),
                                   human_count(before.state.batches().size()),
                                   named ? "" : "; --new starts over");
  return Choice{.folder = std::move(folder),
                .name = name,
                .exists = true,
                .free = std::move(free),
                .job = std::move(before),
                .notice = std::move(notice)};
}

void Jobs::make_home() const { static_cast<void>(make_private_folder(home_)); }

Result<FileLock> Jobs::lock() {
  const Status made = make_private_folder(home_);
  Result<FileLock> lock = made ? FileLock::take(home_ + "/starting", kLockLimit)
                               : Result<FileLock>(std::unexpected(made.error()));
  if (lock || fs_.stat(home_ + "/starting")) return lock;
  return fail(ErrorCode::kInvalid,
              "nothing can be written to {}, where jobs and caches are kept: {}; set "
              "WINDROW_HOME to a folder of yours",
              path_in_quotes(home_),
              lock.error().message);
}

Result<bool> Jobs::claim(const JobFolder& folder) {
  RETURN_IF_ERROR(fs_.make_folders(folder.root()));
  const auto file = fs_.create(folder.job_file());
  if (!file && file.error().code != ErrorCode::kConflict) return std::unexpected(file.error());
  return file.has_value();
}

Status Jobs::create(const JobFolder& folder, const JobSpec& spec, const std::string& job_yml) {
  ASSIGN_OR_RETURN(const JobIdentity identity, identity_now(fs_, spec));
  RETURN_IF_ERROR(fs_.make_folders(folder.rows()));
  RETURN_IF_ERROR(write_whole_file(folder.job_file(), job_yml));
  RETURN_IF_ERROR(fs_.sync_folder(folder.root()));
  // Last: where there is an identity there is a whole job.
  RETURN_IF_ERROR(write_whole_file(folder.identity(), identity_text(identity)));
  return fs_.sync_folder(folder.state());
}

std::string Jobs::failed_path(const JobSpec& spec) const {
  return home_ + "/failed/" + identity_hash(spec);
}

std::string Jobs::unfinished_path(const JobSpec& spec) const {
  return home_ + "/unfinished/" + identity_hash(spec);
}

std::vector<std::string> Jobs::unfinished(const JobSpec& spec) const {
  const auto text = read_whole_file(unfinished_path(spec), kUnfinishedBytesMax);
  std::vector<std::string> paths = split_at_nul(text ? *text : "");
  std::erase_if(paths, [this](const auto& path) {
    const JobFolder folder(path);
    return !fs_.stat(folder.identity()) && !is_listened_at(folder.control());
  });
  return paths;
}

void Jobs::note_unfinished(const JobFolder& folder, const JobSpec& spec) {
  // Only a convenience: without it the job can still be resumed by name.
  if (!fs_.make_casual_folders(home_ + "/unfinished")) return;
  std::vector<std::string> paths = unfinished(spec);
  std::erase(paths, folder.root());
  paths.insert(paths.begin(), folder.root());
  paths.resize(std::min(paths.size(), kUnfinishedMax));
  static_cast<void>(
      write_whole_file(unfinished_path(spec), fmt::format("{}", fmt::join(paths, kNul))));
}

void Jobs::note_ended(const JobFolder& folder,
                      const JobSpec& spec,
                      JobStatus status,
                      std::uint64_t batches_done) {
  forget(folder, spec);
  if (status == JobStatus::kCompleted) {
    static_cast<void>(fs_.remove(failed_path(spec)));
  } else if (batches_done > 0 && fs_.make_casual_folders(home_ + "/failed")) {
    static_cast<void>(write_whole_file(failed_path(spec), folder.root()));
  }
}

void Jobs::forget(const JobFolder& folder, const JobSpec& spec) {
  std::vector<std::string> paths = unfinished(spec);
  if (std::erase(paths, folder.root()) == 0 && !paths.empty()) return;
  if (paths.empty()) {
    static_cast<void>(fs_.remove(unfinished_path(spec)));
  } else {
    static_cast<void>(
        write_whole_file(unfinished_path(spec), fmt::format("{}", fmt::join(paths, kNul))));
  }
}

Result<JobReading> read_job_folder(const JobFolder& folder,
                                   const JobFlags& flags,
                                   const std::string& current_folder) {
  ASSIGN_OR_RETURN(std::string text, read_whole_file(folder.job_file(), kJobFileMax));
  auto reading = read_job_file(JobFileText{.file = folder.job_file(),
                                           .text = std::move(text),
                                           .folder = folder.root(),
                                           .set = {},
                                           .flags = flags,
                                           .current_folder = current_folder,
                                           .written_by_us = true});
  if (reading) return *std::move(reading);
  // What we have written ourselves can be read, so a flag is to blame if there is one.
  const bool ours = flags == JobFlags{};
  return fail(
      ours ? ErrorCode::kInternal : ErrorCode::kInvalid, "{}", problems_text(reading.error()));
}

}  // namespace windrow
