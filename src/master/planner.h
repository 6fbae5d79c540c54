// SPDX-License-Identifier: Apache-2.0
//
// Lists the inputs one after another, cuts them, and writes the plan, a page at a time beside the
// work.
//
// For a job that resumes, lists from the start again and compares with the plan that is there: a
// file that is missing, additional, or changed since the listing began is a problem to report.
// Where the listing had not ended, it continues after the plan's end.
//
// Largest first means that all mini-batches are cut and sorted before the first is numbered; the
// plan is then written in one piece.
//
// Thread: the loop's; the reading and writing is done on the pool, one page after the other.
// Ownership: loop and file system outlive it. Failure: by on_error, once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "core/schedule/facts.h"
#include "journal/accepted_input.h"
#include "journal/plan_file.h"
#include "master/input_cutter.h"
#include "os/file_system.h"
#include "os/loop.h"

namespace windrow {

struct PlannerConfig {
  std::string plan_path;     // to be created, or copied from `old_plan_path` and continued
  std::string state_folder;  // where the plan is
  PlanRules rules;
  std::string old_plan_path;         // empty for a new job
  std::uint64_t old_plan_bytes = 0;  // how much of it counts
  bool listing_ended = false;        // the old plan is complete: compare only, write nothing
  std::vector<bool> may_change;      // mini-batches of the old plan whose files may have changed
  Epoch epoch = 0;                   // the one that begins
  bool accept = false;               // continue with files that are newer than the old plan
};

// A page of the plan, durable.
struct PlannedPage {
  std::vector<ItemRun> runs;
  std::vector<std::uint64_t> offsets;  // where each new mini-batch begins in the plan
  std::uint64_t plan_bytes = 0;
};

class Planner {
 public:
  struct Callbacks {
    std::function<void(PlannedPage)> on_page;
    std::function<void()> on_listed;  // a page was read that gave no mini-batch
    // Listed, compared and written.
    std::function<void(const ListingRemarks&)> on_ended;
    std::function<void(const Error&)> on_error;  // kConflict: the input has changed or is empty
    // Instead, where files are newer than the plan and nothing else is wrong.
    std::function<void(const Error&)> on_newer = {};  // none: on_error
    // Continues with files that are newer than the plan; this is durable. Before on_ended.
    std::function<void(const AcceptedInput&)> on_accepted = {};
  };

  Planner(Loop& loop, FileSystem& fs, PlannerConfig config, Callbacks callbacks);
  ~Planner();

  // Creates or copies the plan file, so that it can be read from now on. Blocks shortly.
  Status open();

  // Begins to list. Call once.
  void start();

 private:
  struct Listing;  // what the pool works on
  void next_page();
  void page_done();

  Loop& loop_;
  std::shared_ptr<Listing> listing_;
  Callbacks callbacks_;
  std::shared_ptr<Planner*> self_;
};

}  // namespace windrow
