// SPDX-License-Identifier: Apache-2.0
//
// The first line of a job's failed_items.jsonl, for people.
//
// Thread: any; blocks. Failure: none; what cannot be read is empty.
#pragma once

#include <string>

#include "journal/job_folder.h"
#include "os/file_system.h"

namespace windrow {

// As failed_item_text() says it.
std::string first_failed_item(FileSystem& fs, const JobFolder& folder);

}  // namespace windrow
