// SPDX-License-Identifier: Apache-2.0
//
// From what is the same for all workers of a job to what one of them is told.
//
// Thread: any; values in, values out.
#pragma once

#include "wire/agent/messages.h"
#include "wire/worker/packets.h"

namespace windrow {

// All but what each worker has of its own: its process, its node, and where its files go.
inline WorkerStart worker_start(const WorkerSettings& settings) {
  return WorkerStart{.script = settings.script,
                     .code_root = settings.code_root,
                     .argv = settings.argv,
                     .output_folder = settings.output_folder,
                     .append_row = settings.append_row,
                     .input_as = settings.input_as,
                     .partition = settings.partition,
                     .table = settings.table,
                     .module = settings.module,
                     .row_outputs = settings.row_outputs,
                     .rows = settings.rows,
                     .row_settings = settings.row_settings,
                     .python_logging_level = settings.python_logging_level,
                     .user_log_max = settings.user_log_max,
                     .profiler = settings.profiler};
}

}  // namespace windrow
