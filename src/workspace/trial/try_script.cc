// SPDX-License-Identifier: Apache-2.0
#include "workspace/trial/try_script.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "base/clock_text.h"
#include "base/json.h"
#include "base/text.h"
#include "base/words.h"
#include "core/plan/cutter.h"
#include "core/spec/job_name.h"
#include "core/spec/job_paths.h"
#include "journal/plan_file.h"
#include "os/clock_steady.h"
#include "os/machine.h"
#include "os/posix_file_system.h"
#include "wire/agent/worker_start.h"
#include "workspace/jobs/jobs.h"
#include "workspace/prepare/made_tables.h"
#include "workspace/prepare/plan_rules.h"
#include "workspace/prepare/prepare_run.h"
#include "workspace/prepare/standard_list.h"
#include "workspace/prepare/table_input.h"
#include "workspace/worker/machine_share.h"
#include "workspace/worker/worker_settings.h"

namespace windrow {
namespace {

constexpr const char* kProcess = "process000";

// The mini-batches of the job, as a JSON array of arrays of absolute paths.
Status write_batches(FileSystem& fs, const PlanRules& rules, JsonWriter& json) {
  json.key("batches").begin_array();
  const auto listed = cut_inputs(fs, rules, [&](const Cut& cut) {
    json.begin_array();
    if (cut.items > 0) {
      for (const std::string& name : split_at_nul(cut.names)) {
        json.value(join_path(rules.inputs[cut.input].root, name));
      }
    }
    json.end_array();
  });
  json.end_array();
  return listed ? Status() : std::unexpected(listed.error());
}

// Where the rows of each output go.
std::vector<std::string> row_targets(const JobSpec& spec, const JobPaths& paths) {
  std::vector<std::string> targets;
  for (const std::string& name : spec.append_row_to) {
    const auto output = std::ranges::find(spec.outputs, name, &OutputSpec::name);
    const std::string& path = paths.outputs.at(name);
    targets.push_back(output->type == OutputType::kFile ? path : join_path(path, kDefaultRowFile));
  }
  return targets;
}

WorkerStart start_object(const PreparedJob& run, const JobPaths& paths) {
  WorkerSettings settings = worker_settings(run.spec, paths, 1);
  settings.input_as = run.input.items;
  settings.partition = partition_of(run);
  settings.table = run.input.table.description;
  settings.row_settings = run.program.row_settings;
  settings.user_log_max = 0;  // the script writes to the terminal
  settings.profiler = Profiler::kNone;
  WorkerStart start = worker_start(settings);
  start.process = kProcess;
  return start;
}

Status make_folders(FileSystem& fs, const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) RETURN_IF_ERROR(fs.make_casual_folders(folder));
  return {};
}

struct Trial {
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string folder;
};

// What the trial is to do, as members of a JSON object.
using WriteTask =
    std::function<Status(FileSystem&, const PreparedJob&, const JobPaths&, JsonWriter&)>;

Result<Trial> prepare(const TrialCaller& caller, JobSpec wanted, const WriteTask& write_task) {
  PosixFileSystem fs;
  const Jobs jobs(fs, caller.caller);
  jobs.make_home();
  StartedJob job;
  if (!wanted.command.empty()) {
    return fail(ErrorCode::kInvalid,
                "this works with Python scripts; {} is a program of its own: start it by hand, "
                "under its own debugger",
                path_in_quotes(wanted.command));
  }
  job.run.spec = std::move(wanted);
  const JobSpec& spec = job.run.spec;
  ClockText clock;
  job.run.name = generate_job_name(script_path(spec), clock.date(system_now()), random_number());
  const std::string root = spec.job_folder.value_or(jobs.home() + "/local/" + job.run.name);
  job.run.folder = JobFolder(root);
  ASSIGN_OR_RETURN(const StandardList list, StandardList::of(fs, spec, jobs.home()));
  RETURN_IF_ERROR(list.check(fs, job.run.folder));
  ASSIGN_OR_RETURN(job.run.input.listed, list.first(kSampleFiles));
  RETURN_IF_ERROR(prepare_run(fs, jobs, nullptr, job));
  for (const std::string& notice : job.notices) caller.say(notice);
  const JobPaths paths = resolve_job_paths(spec, root);
  const std::string work = job.run.folder.work(0) + "/" + kProcess;
  const std::string log = job.run.folder.user("entry_script_log", 0);
  const std::vector<std::string> targets = row_targets(spec, paths);
  RETURN_IF_ERROR(make_folders(fs, {work, log}));
  RETURN_IF_ERROR(make_folders(fs, paths.folders));
  for (const std::string& target : targets) {
    RETURN_IF_ERROR(fs.make_casual_folders(parent_folder(target)));
  }
  RETURN_IF_ERROR(list.keep(fs, job.run.folder));
  RETURN_IF_ERROR(fs.make_casual_folders(job.run.folder.state()));
  RETURN_IF_ERROR(make_tables(fs, job.run, caller.say));
  // What a worker is told, and what only a trial needs.
  JsonWriter json;
  json.begin_object().members(encode_worker_start(start_object(job.run, paths)));
  RETURN_IF_ERROR(write_task(fs, job.run, paths, json));
  json.key("targets").begin_array();
  for (const std::string& target : targets) json.value(target);
  json.end_array().end_object();
  const std::string file = root + "/trial.json";
  RETURN_IF_ERROR(write_whole_file(file, json.text()));
  Trial trial{.argv = job.run.program.command, .folder = work};
  trial.argv.push_back(file);
  const MachineShare share = share_of_machine(spec);
  trial.environment = worker_environment({spec, paths, job.run.name, root}, share.cpus);
  trial.environment.emplace_back(kGpuCountVariable, std::to_string(share.gpus.names.size()));
  const GpuGrant gpu = GpuSlots(gpu_rules(share, spec.worker)).take(0);
  if (gpu.kind == GpuGrant::Kind::kSet) {
    trial.environment.emplace_back(kVisibleGpusVariable, gpu.devices);
  }
  trial.environment.emplace_back("WINDROW_PROCESS", kProcess);
  trial.environment.emplace_back("WINDROW_LOG_DIR", log);
  trial.environment.emplace_back("WINDROW_WORKING_DIR", work);
  return trial;
}

Error become(const Result<Trial>& trial) {
  if (!trial) {
    // A file or folder that is missing here is not a missing job.
    const bool missing = trial.error().code == ErrorCode::kNotFound;
    return {missing ? ErrorCode::kInvalid : trial.error().code, trial.error().message};
  }
  return become_program(trial->argv, trial->environment, trial->folder);
}

}  // namespace

Error try_script(const TrialCaller& caller,
                 JobReading reading,
                 std::optional<std::uint32_t> debugger) {
  const auto write_task =
      [debugger](FileSystem& fs, const PreparedJob& run, const JobPaths& paths, JsonWriter& json) {
        if (debugger) json.field("debugpy", *debugger);
        return write_batches(fs, plan_rules(run, paths), json);
      };
  return become(prepare(caller, std::move(reading.spec), write_task));
}

Error replay_batch(const TrialCaller& caller,
                   const JobView& job,
                   const BatchStory& batch,
                   bool post_mortem) {
  JobSpec spec = job.reading.spec;
  spec.name.clear();
  spec.job_folder.reset();
  for (OutputSpec& output : spec.outputs) output.path.reset();
  const auto write_task = [&batch, post_mortem](
                              FileSystem&, const PreparedJob&, const JobPaths&, JsonWriter& json) {
    json.field("first", batch.id).field("pdb", post_mortem);
    json.key("batches").begin_array().begin_array();
    for (const std::string& item : batch.items) json.value(item);
    json.end_array().end_array();
    return Status();
  };
  return become(prepare(caller, std::move(spec), write_task));
}

}  // namespace windrow
