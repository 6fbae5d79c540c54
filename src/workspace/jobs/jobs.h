// SPDX-License-Identifier: Apache-2.0
//
// Jobs by name: where they are, which one a command means, and whether it may resume.
//
//   $WINDROW_HOME/            default ~/.windrow
//     jobs/<name>/            job folders (journal/job_folder.h)
//     unfinished/<identity>   the paths of unfinished jobs with that identity, newest first
//     failed/<identity>       the path of the last one that failed and has rows, until one is
//                             completed
//     cache/                  the unpacked worker
//     starting                a lock, held by a command that takes its place in a job folder
//
// Thread: any; blocks. Failure: kNotFound for a job that is not there, kConflict for one that may
// not resume, each saying what to do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "core/spec/job_spec.h"
#include "core/spec/short_form.h"
#include "journal/job_folder.h"
#include "journal/journal.h"
#include "os/file_lock.h"
#include "os/file_system.h"
#include "workspace/jobs/caller.h"

namespace windrow {

class Jobs {
 public:
  Jobs(FileSystem& fs, Caller caller) : fs_(fs), caller_(std::move(caller)), home_(caller_.home) {}

  [[nodiscard]] const Caller& caller() const { return caller_; }
  [[nodiscard]] const std::string& home() const { return home_; }
  [[nodiscard]] std::string cache() const { return home_ + "/cache"; }

  // JOB as the user gives it: a name, or a path of a job folder.
  [[nodiscard]] Result<JobFolder> find(const std::string& job) const;

  // What `windrow run` is to do with this spec.
  struct Choice {
    JobFolder folder{""};
    std::string name;
    bool exists = false;  // resume it
    Status free;          // kConflict while another process runs it
    ReplayedJob job;      // what an existing one has, when it is free
    std::string notice;   // one line for the user; may be empty
  };
  Result<Choice> choose(const JobSpec& spec, bool afresh);

  // Whether a folder that choose() named by itself is ours: another command may have drawn the same
  // name since.
  Result<bool> claim(const JobFolder& folder);

  // Makes home(), for its user alone. A failure shows in what is written there next.
  void make_home() const;

  // Held while a command finds its job and takes its place there, so that of several alike one gets
  // it and the others find it taken.
  Result<FileLock> lock();

  // Makes a new job folder with its job.yml and identity.
  Status create(const JobFolder& folder, const JobSpec& spec, const std::string& job_yml);

  // Keeps or forgets that the job is unfinished; how it ended, when it is over.
  void note_unfinished(const JobFolder& folder, const JobSpec& spec);
  void note_ended(const JobFolder& folder,
                  const JobSpec& spec,
                  JobStatus status,
                  std::uint64_t batches_done);
  void forget(const JobFolder& folder, const JobSpec& spec);

 private:
  // A job that may have been meant.
  [[nodiscard]] std::optional<std::string> near_job(const std::string& job) const;
  [[nodiscard]] Result<Choice> by_name(const JobSpec& spec, bool afresh) const;
  [[nodiscard]] Result<Choice> existing(JobFolder folder, const JobSpec& spec, bool named) const;
  // What to do with the job that the same command began before and that has failed; may be empty.
  [[nodiscard]] std::string failed_notice(const JobSpec& spec) const;
  [[nodiscard]] std::string failed_path(const JobSpec& spec) const;
  [[nodiscard]] std::string unfinished_path(const JobSpec& spec) const;
  [[nodiscard]] std::vector<std::string> unfinished(const JobSpec& spec) const;

  FileSystem& fs_;
  Caller caller_;
  std::string home_;
};

// The spec of a job folder, read from its job.yml, with the flags laid over it: paths in these
// count from `current_folder`.
Result<JobReading> read_job_folder(const JobFolder& folder,
                                   const JobFlags& flags = {},
                                   const std::string& current_folder = "/");

}  // namespace windrow
