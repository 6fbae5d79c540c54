// SPDX-License-Identifier: Apache-2.0
#include "master/input_cutter.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "core/plan/item_file.h"
#include "journal/plan_file.h"

namespace windrow {

Result<KeyCutter> KeyCutter::of(const PlanRules& rules, std::uint32_t input) {
  const InputFiles& files = rules.inputs[input];
  ASSIGN_OR_RETURN(KeyGroups groups, KeyGroups::of(files.keys));
  return KeyCutter(std::move(groups), files.root == "/" ? "" : files.root, rules.items());
}

Status KeyCutter::add(const std::string& name) {
  const bool whole = items_ == InputAs::kTable && !parse_stretch_name(name);
  return groups_.add(plan_path(root_, name), whole ? stretch_name(name, {}) : name);
}

std::vector<Cut> KeyCutter::take() {
  std::vector<Cut> cuts;
  for (const std::vector<std::string>& names : groups_.take()) {
    const bool rows = items_ == InputAs::kTable;  // nobody has counted them
    Cut& cut = cuts.emplace_back();
    cut.items = rows ? 1 : static_cast<std::uint32_t>(names.size());
    cut.counted = !rows;
    for (const std::string& name : names) {
      if (!cut.names.empty()) cut.names.push_back('\0');
      cut.names.append(name);
    }
  }
  return cuts;
}

Result<std::vector<std::string>> InputCutter::list(std::size_t max) {
  if (!lister_) {
    lister_.emplace(fs_, rules_.inputs[input_], rules_.without, row_);
    if (rules_.grouped()) {
      ASSIGN_OR_RETURN(groups_, KeyCutter::of(rules_, input_));
    }
  }
  ASSIGN_OR_RETURN(std::vector<std::string> names, lister_->next(max));
  names_ += names.size();
  return names;
}

Status InputCutter::cut(std::span<const std::string> names, std::vector<Cut>& cuts) {
  for (const std::string& name : names) {
    if (groups_) {
      RETURN_IF_ERROR(groups_->add(name));
    } else {
      keep(cut_next(name), cuts);
    }
  }
  return {};
}

Status InputCutter::end_input(std::vector<Cut>& cuts) {
  RETURN_IF_ERROR(check_not_empty());
  keep(cutter_.finish(), cuts);
  if (groups_) {
    for (Cut& one : groups_->take()) keep(std::move(one), cuts);
  }
  remarks_.add(lister_->remarks());
  row_ = lister_->next_row();
  lister_.reset();
  names_ = 0;
  ++input_;
  return {};
}

// Puts the next name where it belongs: gives the mini-batch that this completes.
std::optional<Cut> InputCutter::cut_next(const std::string& name) {
  if (rules_.items() != InputAs::kTable) return cutter_.add(name, bytes_for_plan(name));
  // A stretch is a mini-batch; as long as nobody has counted its rows it is one item.
  Cut cut{.items = 1, .names = name};
  if (const std::optional<StretchName> stretch = parse_stretch_name(name)) {
    const std::uint32_t known =
        stretch->window.count > 0 ? stretch->window.count : stretch->stretch.rows;
    cut.items = std::max<std::uint32_t>(known, 1);
    cut.counted = known > 0;
    cut.bytes = stretch->stretch.length;
  }
  return cut;
}

// The size of an item as far as the rules ask for it, else 0. What has vanished since it was listed
// is left to the script, and weighs nothing.
std::uint64_t InputCutter::bytes_for_plan(const std::string& name) const {
  if (!rules_.size.bytes && !rules_.largest_first) return 0;
  if (rules_.items() == InputAs::kJsonLines) {
    const std::optional<RowName> row = parse_row_name(name);
    return row ? row->place.length : 0;
  }
  const std::string& root = rules_.inputs[input_].root;
  const Result<FileStat> stat = fs_.stat(plan_path(root == "/" ? "" : root, name));
  return stat ? stat->size : 0;
}

Status InputCutter::check_not_empty() const {
  if (names_ > 0 || rules_.allow_empty) return {};
  return fail(ErrorCode::kConflict,
              "the input {} holds no {}",
              path_in_quotes(rules_.inputs[input_].title),
              rules_.items() == InputAs::kFiles ? "file" : "row");
}

void InputCutter::keep(std::optional<Cut> cut, std::vector<Cut>& cuts) const {
  if (!cut) return;
  cut->input = input_;
  cuts.push_back(*std::move(cut));
}

}  // namespace windrow
