// SPDX-License-Identifier: Apache-2.0
//
// The program that works on whole tables in the user's environment, beside the engine, which knows
// no table formats: asks a database, puts rows together by columns, makes Parquet or Arrow files.
//
// Thread: any; blocks until it ends. Failure: Error with the sentence that the program gave;
// kInvalid when no other try can end otherwise.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/spec/job_spec.h"
#include "journal/job_folder.h"
#include "master/merger.h"

namespace windrow {

class TableProgram {
 public:
  // `worker`: what a worker process is, interpreter first. `folder`: of the job that it works for.
  TableProgram(const std::vector<std::string>& worker, JobFolder folder);

  // `request` is a JSON object. Gives how many rows there were.
  [[nodiscard]] Result<std::uint64_t> run(std::string_view request) const;

 private:
  std::vector<std::string> argv_;
  JobFolder folder_;
};

// What makes the file of rows in this format; none where the rows are that file.
RowShape row_shape(RowFormat format, const TableProgram& program);

}  // namespace windrow
