// SPDX-License-Identifier: Apache-2.0
#include "workspace/prepare/plan_rules.h"

#include <string>
#include <vector>

#include "base/hash.h"
#include "base/text.h"
#include "core/spec/identity.h"
#include "os/machine.h"

namespace windrow {
namespace {

constexpr std::size_t kPage = 10000;

}  // namespace

// What the job itself writes is not part of its input, wherever it lies.
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
  InputCutter cutter(fs, rules);
  std::vector<Cut> cuts;
  while (!cutter.ended()) {
    ASSIGN_OR_RETURN(const std::vector<std::string> names, cutter.list(kPage));
    RETURN_IF_ERROR(cutter.cut(names, cuts));
    if (names.size() < kPage) {
      if (const Status status = cutter.end_input(cuts); !status) {
        return fail(ErrorCode::kInvalid, "{}", status.error().message);  // nothing has begun
      }
    }
    if (rules.largest_first) continue;
    for (const Cut& cut : cuts) each(cut);
    cuts.clear();
  }
  if (rules.largest_first) sort_largest_first(cuts);
  for (const Cut& cut : cuts) each(cut);
  return cutter.remarks();
}

}  // namespace windrow
