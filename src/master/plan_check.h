// SPDX-License-Identifier: Apache-2.0
//
// Compares what an input holds with the plan that was made of it, for a job that resumes.
//
// As long as the names come in the order of the plan nothing is kept. From the first difference on
// both sides are collected, so that the end can tell what is missing from what is additional,
// whatever order a list of paths has.
//
// Thread: one at a time. Ownership: the file system outlives it. Failure: kConflict with the files
// at fault.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/spec/job_spec.h"
#include "journal/accepted_input.h"
#include "journal/plan_file.h"
#include "os/file_system.h"

namespace windrow {

// What a file that is newer is called: changed, or touched when only its ctime is newer, which
// leaves open whether its content is another.
std::string_view newer_word(const FileStat& stat, WallTime since);

// Explains "touched".
inline constexpr std::string_view kTouchedNote =
    " (touched: a newer ctime and no newer mtime, as after mv, chmod or a hard link, or when an "
    "older file takes its place)";

class PlanCheck {
 public:
  struct Rules {
    bool complete = false;   // the plan holds the whole input
    bool any_order = false;  // the plan is not in the order of the listing
    InputAs items = InputAs::kFiles;
    bool grouped = false;          // mini-batches are whole files, also of tables
    std::vector<bool> may_change;  // mini-batches whose files may have been written to
    bool accept = false;           // files that are newer than the plan are counted, not refused
    WallTime accepted;             // up to then they were accepted before
  };

  // REQUIRES: `plan` is indexed.
  PlanCheck(FileSystem& fs, PlanReader plan, Rules rules);

  // Whether the inputs are where they were.
  [[nodiscard]] Status check_roots(const std::vector<std::string>& roots) const;

  // Whether its tables are read as they were.
  [[nodiscard]] Status check_formation(const std::string& formation) const;

  // Takes the next names of an input. Gives how many of them the plan holds already: fewer only
  // behind the end of a plan that is not complete.
  Result<std::size_t> take(std::uint32_t input, const std::vector<std::string>& names);

  // All names were taken.
  Status finish();

  // The files that were newer than the plan, where the rules accept them.
  [[nodiscard]] const AcceptedInput& accepted() const { return accepted_; }

  // Whether every problem is a file that is newer than the plan.
  [[nodiscard]] bool can_be_accepted() const { return !problems_.empty() && acceptable_; }

 private:
  struct Item {
    std::uint32_t input = 0;
    std::string name;
    BatchId batch = 0;  // of the plan's
  };

  struct Problem {
    std::string file;
    std::string_view what;
  };

  Result<std::optional<Item>> next_planned();
  Status collect_planned();
  Status judge();
  Status look_at(const Item& item);
  void look_at_newer(const Item& item, const std::string& file, const FileStat& stat);
  [[nodiscard]] std::string planned_name(const std::string& name) const;
  void note(std::string_view what, const Item& item);
  [[nodiscard]] std::string path_of(const Item& item) const;
  [[nodiscard]] Status verdict() const;

  FileSystem& fs_;
  PlanReader plan_;
  Rules rules_;
  BatchId next_ = 0;
  std::vector<Item> batch_;    // of the last mini-batch read, reversed
  bool ended_ = false;         // the plan is read to its end
  bool differs_ = false;       // both sides are collected
  std::vector<Item> planned_;  // from the first difference on
  std::vector<Item> found_;
  std::vector<Problem> problems_;  // one of each file
  bool acceptable_ = true;         // all of them are files newer than the plan
  AcceptedInput accepted_;
  std::string last_accepted_;
};

}  // namespace windrow
