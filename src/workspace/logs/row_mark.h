// SPDX-License-Identifier: Apache-2.0
//
// By what users know a row of JSON lines: its `custom_id`, as requests to language models have one.
//
// Thread: any; blocks. Ownership: the file system outlives what is made with it. Failure: none; a
// row that cannot be read has no mark.
#pragma once

#include "core/output/report_row.h"
#include "core/spec/job_spec.h"
#include "os/file_system.h"

namespace windrow {

// Nothing where the items of the job are not rows.
MarkOfRow mark_of_row(FileSystem& fs, InputAs input_as);

}  // namespace windrow
