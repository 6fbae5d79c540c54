// SPDX-License-Identifier: Apache-2.0
//
// `windrow prune`: what lies in the workspace, and removing it.
//
//   Survey survey(fs, caller);
//   const PrunePlan plan = plan_prune(survey.stored(), rules);
//   survey.remove(i)  for each that goes
//
// Only folders in $WINDROW_HOME are looked at: jobs/, local/, environments/ and the unpacked
// workers in cache/. A folder that goes is renamed first, so that under its own name it is whole or
// not there; the next survey finds what a prune that was killed has left.
//
// Thread: any; blocks. Failure: what cannot be read stays, and says so.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/prune/prune_plan.h"
#include "os/disk_tree.h"
#include "os/file_system.h"
#include "workspace/jobs/jobs.h"

namespace windrow {

class Survey {
 public:
  Survey(FileSystem& fs, const Caller& caller);

  // The oldest first.
  [[nodiscard]] const std::vector<Stored>& stored() const { return stored_; }
  [[nodiscard]] const std::string& home() const { return jobs_.home(); }

  // kConflict when somebody has begun to use it meanwhile: then it is as it was.
  Status remove(std::size_t which);

 private:
  struct Found {
    Stored stored;
    std::string root;
    std::vector<std::string> uses;  // paths that it is of no use without
    std::optional<JobSpec> spec;    // of a job that can be read
    Epoch epoch = 0;                // of a job: its newest journal
    WallTime ended{};               // of a job that is over
  };

  void look_into(const std::string& folder, StoredKind kind);
  void read_job(Found& found) const;
  void measure(Found& found, SharedFiles& seen, WallTime now) const;
  void find_needs();
  [[nodiscard]] Status refuse_if_used(const Found& found, const std::string& root) const;

  FileSystem& fs_;
  Jobs jobs_;
  std::vector<ProcessPlace> processes_;
  std::vector<Found> found_;
  std::vector<Stored> stored_;
};

}  // namespace windrow
