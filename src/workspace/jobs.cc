// SPDX-License-Identifier: Apache-2.0
#include "workspace/jobs.h"

#include <algorithm>
#include <vector>

#include "base/clock_text.h"
#include "base/hash.h"
#include "base/text.h"
#include "core/spec/effective.h"
#include "core/spec/job_file.h"
#include "core/spec/job_name.h"
#include "core/spec/job_paths.h"
#include "os/clock_steady.h"
#include "os/control_socket.h"
#include "os/machine.h"
#include "os/posix_file_system.h"

namespace windrow {
namespace {

constexpr std::uint64_t kJobFileMax = 16U << 20;
constexpr std::uint64_t kCodeFileMax = 64U << 20;

std::string home_folder() {
  if (const auto home = environment_value("WINDROW_HOME")) {
    return join_path(current_folder(), *home);
  }
  return environment_value("HOME").value_or("/tmp") + "/.windrow";
}

// The script and the modules beside it.
Result<std::string> code_hash(FileSystem& fs, const JobSpec& spec) {
  Sha256 hash;
  ASSIGN_OR_RETURN(const std::string script, read_whole_file(script_path(spec), kCodeFileMax));
  hash.update_field(script);
  std::vector<std::string> modules;
  if (const auto entries = fs.list(spec.code)) {
    for (const FolderEntry& entry : *entries) {
      if (entry.kind == FileKind::kFile && entry.name.ends_with(".py"))
        modules.push_back(entry.name);
    }
  }
  std::ranges::sort(modules);
  for (const std::string& name : modules) {
    hash.update_field(name);
    if (const auto text = read_whole_file(spec.code + "/" + name, kCodeFileMax))
      hash.update_field(*text);
  }
  return hash.finish();
}

struct Identity {
  std::string job;
  std::string code;
};

Result<Identity> read_identity(const JobFolder& folder) {
  ASSIGN_OR_RETURN(const std::string text, read_whole_file(folder.identity(), 4096));
  const std::size_t middle = text.find('\n');
  if (middle == std::string::npos || text.size() != 130) {
    return fail(ErrorCode::kInternal, "{} is damaged", folder.identity());
  }
  return Identity{text.substr(0, middle), text.substr(middle + 1, 64)};
}

}  // namespace

Jobs::Jobs(FileSystem& fs) : fs_(fs), home_(home_folder()) {}

Result<JobFolder> Jobs::find(const std::string& job) const {
  const std::string as_path = join_path(current_folder(), job);
  if (job.find('/') != std::string::npos || fs_.stat(as_path + "/state")) {
    if (fs_.stat(as_path + "/state")) return JobFolder(as_path);
  } else if (fs_.stat(home_ + "/jobs/" + job + "/state")) {
    return JobFolder(home_ + "/jobs/" + job);
  }
  return fail(ErrorCode::kNotFound,
              "there is no job {}; give the name of a job in {}/jobs or the path of a job folder",
              path_in_quotes(job),
              home_);
}

Result<Jobs::Choice> Jobs::choose(const JobSpec& spec, bool afresh) {
  if (spec.job_folder) {
    JobFolder folder(*spec.job_folder);
    if (fs_.stat(folder.identity())) {
      if (afresh) {
        return fail(ErrorCode::kConflict,
                    "{} holds a job already; --new needs a folder that does not",
                    folder.root());
      }
      return existing(std::move(folder), spec, true);
    }
    return Choice{.folder = folder,
                  .name = spec.name.empty() ? base_name(folder.root()) : spec.name};
  }
  if (!spec.name.empty()) {
    JobFolder folder(home_ + "/jobs/" + spec.name);
    if (fs_.stat(folder.identity())) {
      if (afresh)
        return fail(ErrorCode::kConflict, "job {} exists; choose another --name", spec.name);
      return existing(std::move(folder), spec, true);
    }
    return Choice{.folder = folder, .name = spec.name};
  }
  std::string notice;
  if (!afresh) {
    const auto path = read_whole_file(unfinished_path(spec), 4096);
    if (path && fs_.stat(JobFolder(*path).identity())) {
      Result<Choice> choice = existing(JobFolder(*path), spec, false);
      if (choice && choice->exists) return choice;
      if (!choice && choice.error().code != ErrorCode::kConflict) return choice;
      if (!choice) {
        notice = fmt::format("not going on with job {}: {}; starting a new one",
                             base_name(*path),
                             choice.error().message);
      }
    }
  }
  ClockText clock;
  std::string name;
  do {
    name = generate_job_name(script_path(spec), clock.date(system_now()), random_number());
  } while (fs_.stat(home_ + "/jobs/" + name));
  return Choice{.folder = JobFolder(home_ + "/jobs/" + name), .name = name, .notice = notice};
}

// `named`: the user means this very job, so a finished one is an error and not a reason for
// another.
Result<Jobs::Choice> Jobs::existing(JobFolder folder, const JobSpec& spec, bool named) const {
  const std::string name = base_name(folder.root());
  Status free = refuse_if_running(folder);  // asked first: what is read then stays so
  ASSIGN_OR_RETURN(ReplayedJob job, replay_job(fs_, folder.state()));
  if (const auto& finished = job.state.finished();
      finished && finished->status != JobStatus::kCanceled) {
    if (!named) return Choice{};
    if (finished->status == JobStatus::kCompleted) {
      return fail(
          ErrorCode::kConflict,
          "job {} is finished, and a finished job never changes; choose another name or folder",
          name);
    }
    return fail(
        ErrorCode::kConflict,
        "job {} has failed; `windrow job resume {}` goes on with it, `windrow retry {}` runs "
        "its failed mini-batches in a new job",
        name,
        name,
        name);
  }
  ASSIGN_OR_RETURN(const std::string changed, what_changed(folder, spec));
  if (!changed.empty()) {
    return fail(ErrorCode::kConflict, "{} changed since it began", changed);
  }
  std::string notice = fmt::format("going on with job {} ({} of {} mini-batches are done){}",
                                   name,
                                   human_count(job.state.counts().committed),
                                   human_count(job.state.batches().size()),
                                   named ? "" : "; --new starts afresh");
  return Choice{.folder = std::move(folder),
                .name = name,
                .exists = true,
                .free = std::move(free),
                .job = std::move(job),
                .notice = std::move(notice)};
}

Status Jobs::create(const JobFolder& folder, const JobSpec& spec, const std::string& job_yml) {
  ASSIGN_OR_RETURN(const std::string code, code_hash(fs_, spec));
  RETURN_IF_ERROR(fs_.make_folders(folder.rows()));
  RETURN_IF_ERROR(write_whole_file(folder.job_file(), job_yml));
  RETURN_IF_ERROR(fs_.sync_folder(folder.root()));
  // Last: where there is an identity there is a whole job.
  RETURN_IF_ERROR(write_whole_file(folder.identity(), identity_hash(spec) + "\n" + code + "\n"));
  return fs_.sync_folder(folder.state());
}

std::string Jobs::unfinished_path(const JobSpec& spec) const {
  return home_ + "/unfinished/" + identity_hash(spec);
}

void Jobs::note_unfinished(const JobFolder& folder, const JobSpec& spec) {
  // Only a convenience: without it the job can still be resumed by name.
  if (fs_.make_casual_folders(home_ + "/unfinished")) {
    static_cast<void>(write_whole_file(unfinished_path(spec), folder.root()));
  }
}

void Jobs::note_finished(const JobFolder& folder, const JobSpec& spec) {
  const auto noted = read_whole_file(unfinished_path(spec), 4096);
  if (noted && *noted == folder.root()) static_cast<void>(fs_.remove(unfinished_path(spec)));
}

Status refuse_if_running(const JobFolder& folder) {
  if (const auto pid = ask_who_runs(folder.control())) {
    return fail(
        ErrorCode::kConflict, "job {} is running, in process {}", base_name(folder.root()), *pid);
  }
  return {};
}

Result<JobReading> read_job_folder(const JobFolder& folder) {
  ASSIGN_OR_RETURN(std::string text, read_whole_file(folder.job_file(), kJobFileMax));
  auto reading = read_job_file(JobFileText{.file = folder.job_file(),
                                           .text = std::move(text),
                                           .folder = folder.root(),
                                           .set = {},
                                           .flags = {},
                                           .current_folder = folder.root(),
                                           .written_by_us = true});
  if (!reading) return fail(ErrorCode::kInternal, "{}", problems_text(reading.error()));
  return *std::move(reading);
}

Result<std::string> what_changed(const JobFolder& folder, const JobSpec& spec) {
  PosixFileSystem fs;
  const Result<Identity> was = read_identity(folder);
  if (!was && was.error().code == ErrorCode::kNotFound) return std::string();  // died being created
  if (!was) return std::unexpected(was.error());
  if (was->job != identity_hash(spec)) {
    return std::string("script, input, output, arguments or mini-batch size");
  }
  ASSIGN_OR_RETURN(const std::string code, code_hash(fs, spec));
  return was->code == code ? std::string() : fmt::format("the code in {}", spec.code);
}

}  // namespace windrow
