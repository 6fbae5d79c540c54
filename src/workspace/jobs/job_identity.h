// SPDX-License-Identifier: Apache-2.0
//
// What must not change while a job is unfinished, and which part of it has: `state/identity` of the
// job folder (docs/formats/job-folder.md).
//
// Thread: any; blocks. Failure: kNotFound for a folder without a whole job, kInternal for a damaged
// one.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "core/progress/next_step.h"
#include "core/spec/job_spec.h"
#include "journal/job_folder.h"
#include "os/file_system.h"

namespace windrow {

// The script or a module beside it.
struct CodeFile {
  std::string name;  // from the code root; escaped
  std::string hash;  // of its content
  friend bool operator==(const CodeFile&, const CodeFile&) = default;
};

struct JobIdentity {
  std::string job;              // hash of script, arguments, input, outputs, mini-batch size
  std::string code;             // hash of the content of all files of code
  std::vector<CodeFile> files;  // by name; empty when an earlier version wrote it
};

Result<JobIdentity> identity_now(FileSystem& fs, const JobSpec& spec);

std::string identity_text(const JobIdentity& identity);

// As the job began, or as it last resumed with changed code.
Result<JobIdentity> read_identity(FileSystem& fs, const JobFolder& folder);

// The job continues with the code as it is, from this epoch on.
Status accept_code(FileSystem& fs, const JobFolder& folder, const JobSpec& spec, Epoch epoch);

struct Change {
  bool code = false;   // nothing but the code, which may be accepted
  std::string reason;  // a sentence; empty: nothing has changed

  explicit operator bool() const { return !reason.empty(); }
};

// kInvalid when the script or program of a job is no longer where it was.
Status check_code_is_there(FileSystem& fs, const JobFolder& folder, const JobSpec& spec);

// As check_code_is_there(), when it is not.
Result<Change> what_changed(FileSystem& fs, const JobFolder& folder, const JobSpec& spec);

// What next_step() says of a job, with its code as it is now.
NextStep next_step_of(FileSystem& fs,
                      const JobFolder& folder,
                      const JobOutline& outline,
                      const JobSpec& spec,
                      const std::string& job);

}  // namespace windrow
