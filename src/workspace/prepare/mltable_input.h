// SPDX-License-Identifier: Apache-2.0
//
// Inputs of type mltable: the MLTable file in their folder, and the files that it names.
//
// Thread: any; blocks. Failure: kInvalid with what is wrong in which file.
#pragma once

#include "base/result.h"
#include "core/spec/job_spec.h"
#include "core/table/mltable.h"

namespace windrow {

// REQUIRES: an input of type mltable.
Result<MlTable> read_mltable_of(const InputSpec& input);

// Its files, where they lie.
InputSpec files_of(const MlTable& table, const InputSpec& input);

// Refuses an mltable of rows that is not in input_data: what is not cut is a folder or file that
// the script reads.
Status check_side_table(const JobSpec& spec, const InputSpec& input);

}  // namespace windrow
