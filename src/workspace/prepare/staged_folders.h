// SPDX-License-Identifier: Apache-2.0
//
// Whether the folders of staged outputs are apart from one another. Which mini-batch has written a
// name is known by output and name; in a folder that two outputs share, nobody would notice that
// two mini-batches have written one file.
//
// Thread: any; looks at links on disk. Failure: kInvalid, naming two outputs and what to change.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "core/spec/job_paths.h"

namespace windrow {

Status check_staged_folders(const std::vector<StagedOutput>& outputs);

// Where an absolute path leads once its folders have been made: without `..`, and without links as
// far as there is something.
std::string settled_path(const std::string& path);

}  // namespace windrow
