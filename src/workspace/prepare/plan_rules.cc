// SPDX-License-Identifier: Apache-2.0
#include "workspace/prepare/plan_rules.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/text.h"
#include "core/spec/identity.h"
#include "os/machine.h"

namespace windrow {
namespace {

constexpr std::size_t kPage = 10000;

}  // namespace

// What the job itself writes is no part of its input, wherever it lies.
PlanRules plan_rules(const PreparedJob& run, const JobPaths& paths) {
  PlanRules rules;
  rules.inputs = run.input.files;
  std::vector<std::string> own = {paths.output_folder};
  if (run.input.made == MadeSoFar::kNothing) own.push_back(run.folder.root());  // tables lie there
  for (const auto& [name, path] : paths.outputs) own.push_back(path);
  own.insert(own.end(), paths.targets.begin(), paths.targets.end());
  for (const std::string& path : own) {
    const std::string folder = parent_folder(path);
    rules.without.push_back(
        real_path(path).value_or(join_path(real_path(folder).value_or(folder), base_name(path))));
  }
  rules.size = run.input.size;
  rules.largest_first = run.spec.largest_first;
  rules.allow_empty = run.spec.allow_empty_input;
  rules.rank_mini_batch_count = run.spec.rank_mini_batch_count;
  rules.formation = formation_hash(run.spec);
  if (!run.input.table.reading.empty())
    rules.formation = sha256(rules.formation + run.input.table.reading);
  return rules;
}

Result<ListingRemarks> cut_inputs(FileSystem& fs,
                                  const PlanRules& rules,
                                  const std::function<void(const Cut&)>& each) {
  for (std::uint32_t i = 0; i < rules.rank_mini_batch_count.value_or(0); ++i) each({});
  ListingRemarks remarks;
  std::vector<Cut> cuts;
  std::optional<std::uint64_t> row = 0;
  for (std::uint32_t input = 0; input < rules.inputs.size(); ++input) {
    Cutter cutter(rules.size);
    InputLister lister(fs, rules.inputs[input], rules.without, row);
    std::optional<KeyCutter> groups;
    if (rules.grouped()) {
      ASSIGN_OR_RETURN(groups, KeyCutter::of(rules, input));
    }
    std::uint64_t found = 0;
    const auto keep = [&](std::optional<Cut> cut) {
      if (!cut) return;
      cut->input = input;
      if (rules.largest_first) {
        cuts.push_back(*std::move(cut));
      } else {
        each(*cut);
      }
    };
    for (std::size_t got = kPage; got == kPage; found += got) {
      ASSIGN_OR_RETURN(const std::vector<std::string> names, lister.next(kPage));
      got = names.size();
      for (const std::string& name : names) {
        if (groups) {
          RETURN_IF_ERROR(groups->add(name));
          continue;
        }
        keep(cut_next(fs, rules, input, name, cutter));
      }
    }
    keep(cutter.finish());
    if (groups) {
      for (Cut& cut : groups->take()) keep(std::move(cut));
    }
    row = lister.next_row();
    remarks.add(lister.remarks());
    if (const Status status = check_not_empty(rules, input, found); !status) {
      return fail(ErrorCode::kInvalid, "{}", status.error().message);  // nothing has begun
    }
  }
  sort_largest_first(cuts);
  for (const Cut& cut : cuts) each(cut);
  return remarks;
}

}  // namespace windrow
