// SPDX-License-Identifier: Apache-2.0
//
// The list of paths that comes by standard input: read once, looked at, and kept in the job folder,
// because a job that resumes cannot ask for it again.
//
// Thread: any; blocks. Failure: kInvalid for paths that are not files, kConflict for a list that is
// not the one the job began with.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/spec/job_spec.h"
#include "journal/job_folder.h"
#include "os/file_system.h"

namespace windrow {

class StandardList {
 public:
  // Reads standard input to its end when an input of the spec asks for it. `scratch` is a folder
  // for a file without a name.
  static Result<StandardList> of(FileSystem& fs, const JobSpec& spec, const std::string& scratch);

  // Against the list that the job folder holds already, else against the files themselves.
  [[nodiscard]] Status check(FileSystem& fs, const JobFolder& folder) const;

  // The first of its paths, absolute.
  [[nodiscard]] Result<std::vector<std::string>> first(std::size_t count) const;

  // Puts it into the job folder unless it is there.
  [[nodiscard]] Status keep(FileSystem& fs, const JobFolder& folder) const;

 private:
  std::shared_ptr<File> file_;       // null: nobody asked
  std::string folder_;               // that relative paths are below
  InputAs items_ = InputAs::kFiles;  // what else than files entries may name
};

}  // namespace windrow
