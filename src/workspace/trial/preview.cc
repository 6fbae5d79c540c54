// SPDX-License-Identifier: Apache-2.0
#include "workspace/trial/preview.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "core/plan/cutter.h"
#include "os/posix_file_system.h"
#include "workspace/jobs/jobs.h"
#include "workspace/prepare/made_tables.h"
#include "workspace/prepare/plan_rules.h"
#include "workspace/prepare/prepare_run.h"

namespace windrow {
namespace {

bool is_standard_list(const InputSpec& input) {
  return std::ranges::find(input.paths, "-") != input.paths.end();
}

// Lists and cuts the inputs as the planner does, and keeps the counts alone.
Status count_files(FileSystem& fs, const PreparedJob& run, JobPreview& preview) {
  PlanRules rules = plan_rules(run, preview.paths);
  rules.allow_empty = true;  // none is a count too
  rules.largest_first = false;
  rules.inputs.clear();
  std::vector<std::size_t> counted;  // of those in rules.inputs, their place in the preview
  for (std::size_t i = 0; i < run.input.files.size(); ++i) {
    const std::string& name = run.spec.input_data[i];
    const auto input = std::ranges::find(run.spec.inputs, name, &InputSpec::name);
    CHECK(input != run.spec.inputs.end());
    preview.inputs.push_back({.name = name,
                              .paths = input->paths,
                              .files = std::nullopt,
                              .unread = "a list on standard input, not read here"});
    if (is_standard_list(*input)) continue;
    preview.inputs.back().files = 0;
    counted.push_back(i);
    rules.inputs.push_back(run.input.files[i]);
  }
  const auto count = [&](const Cut& cut) {
    ++preview.batches;
    preview.counted = preview.counted && cut.counted;
    ++preview.sizes[cut.items];
    preview.files += cut.items;
    if (cut.items > 0) *preview.inputs[counted[cut.input]].files += cut.items;
  };
  ASSIGN_OR_RETURN(const ListingRemarks remarks, cut_inputs(fs, rules, count));
  preview.remarks = remark_lines(remarks);
  return {};
}

// Of a job that makes its table first: nobody is asked and nothing is written for a look at it.
void leave_uncounted(const JobSpec& spec, JobPreview& preview) {
  preview.planned = preview.counted = false;
  for (const std::string& name : spec.input_data) {
    const auto input = std::ranges::find(spec.inputs, name, &InputSpec::name);
    CHECK(input != spec.inputs.end());
    preview.inputs.push_back(
        {.name = name,
         .paths = input->paths,
         .files = std::nullopt,
         .unread = input->type == InputType::kSql
                       ? "the rows of a query, asked for when the job begins"
                       : "rows that are put together by partition_by when the job begins"});
  }
}

}  // namespace

Result<JobPreview> preview_job(const Caller& caller, const JobSpec& spec, bool afresh) {
  PosixFileSystem fs;
  Jobs jobs(fs, caller);
  JobPreview preview;
  ASSIGN_OR_RETURN(Jobs::Choice choice, jobs.choose(spec, afresh));
  // Another command is preparing it, and has not written yet what it is.
  if (choice.exists && !fs.stat(choice.folder.identity())) RETURN_IF_ERROR(choice.free);
  PreparedJob run;
  run.spec = spec;
  run.folder = choice.folder;
  run.name = choice.name;
  if (choice.exists) {
    ASSIGN_OR_RETURN(run.before, replay_job(fs, choice.folder.state()));
  }
  RETURN_IF_ERROR(find_parts(fs, run, choice.exists ? &run.before.state : nullptr));
  if (spec.command.empty()) {
    ASSIGN_OR_RETURN(preview.python, find_interpreter(spec.python));
  }
  preview.items = run.input.items;
  preview.name = choice.name;
  preview.notice = choice.notice;
  preview.new_name = !choice.exists && spec.name.empty() && !spec.job_folder;
  // A new name is generated each time, so none is shown.
  preview.paths =
      resolve_job_paths(spec, preview.new_name ? jobs.home() + "/jobs/NAME" : choice.folder.root());
  preview.share = share_of_machine(spec);
  if (makes_tables(spec)) {
    leave_uncounted(spec, preview);
  } else {
    RETURN_IF_ERROR(count_files(fs, run, preview));
  }
  return preview;
}

}  // namespace windrow
