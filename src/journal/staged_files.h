// SPDX-License-Identifier: Apache-2.0
//
// The files that scripts write, where outputs are staged: kept apart by attempt until the attempt
// is committed, then put in their place.
//
// What a worker has written is taken aside by the worker itself, as one folder per attempt with one
// folder per output in it. Order on disk: the files, their folders, the name of the attempt's
// folder (keep_staged), the journal, the names in the outputs, and only then the attempt's folder
// goes, by one rename (place_staged). So a crash at any point leaves a file where the attempt has
// it, or where it belongs, or under both names. docs/formats/job-folder.md.
//
// Thread: any, and blocks; one attempt by one thread at a time. Ownership: none. Failure: Error for
// a disk that refuses.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "core/schedule/job_state.h"
#include "core/spec/job_paths.h"
#include "journal/job_folder.h"
#include "os/file_system.h"

namespace windrow {

struct StagedAttempt {
  std::vector<StagedFile> files;  // by output and name
  std::string refused;            // why they cannot be taken; empty when they can
};

// Makes what an attempt has left in the folder `aside` durable. Without such a folder it is
// nothing.
Result<StagedAttempt> keep_staged(FileSystem& fs,
                                  const std::string& aside,
                                  const std::vector<StagedOutput>& outputs);

// Puts the files in the folders of the outputs, durably, then removes `aside`. May be repeated:
// a file that is there with the same content counts as put. kConflict, with `replace` false, when
// there is another one. Where the output is on another disk, the files are copied.
Status place_staged(FileSystem& fs,
                    const std::string& aside,
                    const std::vector<StagedOutput>& outputs,
                    bool replace);

// Makes `from` known as `to` as well, or copies it; its folder is made. As place_staged.
Status put_file(FileSystem& fs, const std::string& from, const std::string& to, bool replace);

// What dead workers and attempts that do not count have left. REQUIRES: no worker is alive.
void clean_staged(FileSystem& fs, const JobFolder& folder, const JobState& state);

// Removes a file, or a folder with everything in it; follows no links. What cannot be removed
// stays: it is untidy and harms nothing.
void remove_tree(FileSystem& fs, const std::string& path);

}  // namespace windrow
