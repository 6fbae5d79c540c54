// SPDX-License-Identifier: Apache-2.0
//
// Lists the inputs of a job one after another and cuts them into mini-batches: for the plan of a
// job, and for those who only want to see what it would be.
//
// Thread: one at a time; blocks. Ownership: file system and rules outlive it. Failure: Error naming
// the folder or list that cannot be read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/plan/cutter.h"
#include "data/files/inputs.h"
#include "os/file_system.h"

namespace windrow {

// What decides the plan.
struct PlanRules {
  std::vector<InputFiles> inputs;
  std::vector<std::string> without;  // files and folders of the job's own
  BatchSize size;
  bool largest_first = false;
  bool allow_empty = false;  // an input without files is no error
  // Instead of inputs: so many mini-batches without items.
  std::optional<std::uint32_t> rank_mini_batch_count;
  std::string formation;  // hash of it all

  // Whether keys in the paths of files decide what a mini-batch is, or all files are one.
  [[nodiscard]] bool grouped() const { return !inputs.empty() && inputs.front().grouped; }
  // Whether all must be listed before the first mini-batch is known.
  [[nodiscard]] bool in_one_piece() const { return largest_first || grouped(); }
  // What the names of the plan are of.
  [[nodiscard]] InputAs items() const {
    return inputs.empty() ? InputAs::kFiles : inputs.front().items;
  }
};

// Groups the files of an input, all of them, by their keys: mini-batches in order of the values.
class KeyCutter {
 public:
  static Result<KeyCutter> of(const PlanRules& rules, std::uint32_t input);
  Status add(const std::string& name);
  std::vector<Cut> take();

 private:
  KeyCutter(KeyGroups groups, std::string root, InputAs items)
      : groups_(std::move(groups)), root_(std::move(root)), items_(items) {}

  KeyGroups groups_;
  std::string root_;
  InputAs items_;
};

// For each page: list(), cut() what is new of it, and end_input() if it was the input's last.
class InputCutter {
 public:
  InputCutter(FileSystem& fs, const PlanRules& rules)
      : fs_(fs), rules_(rules), cutter_(rules.size) {}

  // Whether all inputs were listed.
  [[nodiscard]] bool ended() const { return input_ == rules_.inputs.size(); }
  // The input that is being listed.
  [[nodiscard]] std::uint32_t input() const { return input_; }
  // Of the inputs that have ended.
  [[nodiscard]] const ListingRemarks& remarks() const { return remarks_; }

  // The next names of the input. Fewer than `max`: there are no more.
  // REQUIRES: !ended().
  Result<std::vector<std::string>> list(std::size_t max);

  // Appends the mini-batches that these names complete.
  Status cut(std::span<const std::string> names, std::vector<Cut>& cuts);

  // Appends what is left of the input: a mini-batch never mixes inputs.
  // kConflict when the input may not be empty and is.
  Status end_input(std::vector<Cut>& cuts);

 private:
  std::optional<Cut> cut_next(const std::string& name);
  [[nodiscard]] std::uint64_t bytes_for_plan(const std::string& name) const;
  [[nodiscard]] Status check_not_empty() const;
  void keep(std::optional<Cut> cut, std::vector<Cut>& cuts) const;

  FileSystem& fs_;
  const PlanRules& rules_;
  Cutter cutter_;
  std::uint32_t input_ = 0;
  std::optional<InputLister> lister_;
  std::optional<KeyCutter> groups_;       // by keys: of the input that is being listed
  std::optional<std::uint64_t> row_ = 0;  // number of the first one of the input
  std::uint64_t names_ = 0;               // of the input, so far
  ListingRemarks remarks_;
};

}  // namespace windrow
