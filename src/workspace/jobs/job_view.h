// SPDX-License-Identifier: Apache-2.0
//
// Looks into a job folder, whoever works on it, and changes nothing there.
//
// Thread: any; blocks. Failure: kNotFound for a job or mini-batch that is not there.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "core/output/account.h"
#include "core/progress/explain.h"
#include "core/spec/job_spec.h"
#include "journal/job_folder.h"
#include "os/file_system.h"
#include "workspace/jobs/caller.h"
#include "workspace/jobs/job_index.h"

namespace windrow {

struct JobView {
  JobFolder folder{""};
  JobReading reading;
  JobOutline outline;
  JobCircumstances circumstances;
  std::shared_ptr<JobIndex> index;        // of a job that is over, unless it is missing or damaged
  std::shared_ptr<const JobState> state;  // without an index
};

// JOB as the user gives it: a name, or a path of a job folder.
Result<JobView> view_job(FileSystem& fs, const Caller& caller, const std::string& job);

// Where its time went.
Result<Account> account_for(FileSystem& fs, const JobView& job);

// What is known of one mini-batch of it.
Result<BatchStory> view_batch(FileSystem& fs, const JobView& job, BatchId id);

}  // namespace windrow
