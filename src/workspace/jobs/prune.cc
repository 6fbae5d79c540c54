// SPDX-License-Identifier: Apache-2.0
#include "workspace/jobs/prune.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "core/spec/job_paths.h"
#include "journal/journal.h"
#include "os/clock_steady.h"
#include "os/control_client.h"
#include "os/machine.h"
#include "workspace/worker/worker_files.h"

namespace windrow {
namespace {

// No job has such a name (core/spec/job_name.h).
constexpr std::string_view kAside = ".pruned.";

std::string without_links(const std::string& path) { return real_path(path).value_or(path); }

bool lies_in(std::string_view path, const std::string& folder) {
  return path == folder || path.starts_with(folder + "/");
}

StoredState state_of(const JobState& state) {
  if (!state.finished()) return StoredState::kUnfinished;
  switch (state.finished()->status) {
    case JobStatus::kCompleted:
      return StoredState::kCompleted;
    case JobStatus::kFailed:
      return StoredState::kFailed;
    case JobStatus::kCanceled:
      return StoredState::kCanceled;
    case JobStatus::kRunning:
      break;
  }
  return StoredState::kUnfinished;
}

// Everything that the job names on this disk.
std::vector<std::string> paths_of(const JobSpec& spec, const JobPaths& paths) {
  std::vector<std::string> out = paths.targets;
  out.insert(out.end(), paths.folders.begin(), paths.folders.end());
  out.push_back(script_path(spec));
  if (spec.python) out.push_back(*spec.python);
  for (const InputSpec& input : spec.inputs) {
    out.insert(out.end(), input.paths.begin(), input.paths.end());
  }
  return out;
}

}  // namespace

Survey::Survey(FileSystem& fs, const Caller& caller)
    : fs_(fs), jobs_(fs, caller), processes_(process_places()) {
  look_into("jobs", StoredKind::kJob);
  look_into("local", StoredKind::kTrial);
  look_into("environments", StoredKind::kEnvironment);
  look_into("cache", StoredKind::kCache);
  // What retries share with the job that they were made of counts for that one, which ended before.
  std::ranges::stable_sort(found_, {}, [](const Found& one) {
    return one.ended.nanoseconds == 0 ? INT64_MAX : one.ended.nanoseconds;
  });
  SharedFiles seen;
  const WallTime now = system_now();
  for (Found& found : found_) measure(found, seen, now);
  std::ranges::stable_sort(
      found_, std::greater<>(), [](const Found& one) { return one.stored.age; });
  find_needs();
  for (const Found& found : found_) stored_.push_back(found.stored);
}

void Survey::look_into(const std::string& folder, StoredKind kind) {
  for (const std::string& name : folders_in(home() + "/" + folder)) {
    Found found{.stored = {.name = fmt::format("{}/{}", folder, name), .kind = kind},
                .root = fmt::format("{}/{}/{}", home(), folder, name)};
    if (name.starts_with(kAside)) found.stored.kind = StoredKind::kLeftover;
    if (kind == StoredKind::kCache && !name.starts_with("worker-")) continue;
    if (found.stored.kind == StoredKind::kJob) {
      if (!fs_.stat(JobFolder(found.root).state())) continue;  // somebody else's
      found.stored.name = name;
      read_job(found);
    }
    const Status free = refuse_if_used(found, found.root);
    if (!free) found.stored.in_use = free.error().message;
    found_.push_back(std::move(found));
  }
}

// What cannot be read may be a job that resumes once somebody has fixed it.
void Survey::read_job(Found& found) const {
  const JobFolder folder(found.root);
  found.stored.state = StoredState::kUnfinished;
  found.epoch = newest_epoch(fs_, folder.state()).value_or(0);
  Result<JobReading> reading = read_job_folder(folder);
  if (!reading) return;
  const JobPaths paths = resolve_job_paths(reading->spec, folder.root());
  found.stored.results = std::ranges::any_of(paths.targets, [&](const std::string& target) {
    return lies_in(target, folder.root()) && fs_.stat(target);
  });
  found.uses = paths_of(reading->spec, paths);
  if (reading->spec.retry_of) found.uses.push_back(home() + "/jobs/" + *reading->spec.retry_of);
  found.spec = std::move(reading->spec);
  const Result<ReplayedJob> replayed = replay_job(fs_, folder.state());
  if (!replayed) return;
  found.stored.state = state_of(replayed->state);
  if (replayed->state.finished()) found.ended = replayed->state.finished()->wall;
}

void Survey::measure(Found& found, SharedFiles& seen, WallTime now) const {
  const Result<TreeSize> size = measure_tree(found.root, seen);
  if (!size) {
    found.stored.in_use = size.error().message;
    return;
  }
  found.stored.bytes = size->bytes;
  const WallTime since = found.ended.nanoseconds != 0 ? found.ended : size->newest;
  found.stored.age = Duration(std::max<std::int64_t>(0, now.nanoseconds - since.nanoseconds));
}

void Survey::find_needs() {
  std::vector<std::string> roots;
  for (const Found& found : found_) roots.push_back(without_links(found.root));
  for (std::size_t user = 0; user < found_.size(); ++user) {
    for (const std::string& path : found_[user].uses) {
      const std::string real = without_links(path);
      for (std::size_t i = 0; i < found_.size(); ++i) {
        const bool inside = lies_in(real, roots[i]) || lies_in(path, found_[i].root);
        if (inside && i != user) found_[user].stored.needs.push_back(i);
      }
    }
  }
}

// `root`: where it lies now.
Status Survey::refuse_if_used(const Found& found, const std::string& root) const {
  if (is_listened_at(JobFolder(root).control())) return fail(ErrorCode::kConflict, "it is running");
  if (found.stored.kind == StoredKind::kCache && base_name(root) == worker_folder_name()) {
    return fail(ErrorCode::kConflict, "this windrow uses it");
  }
  if (const auto process = process_at(processes_, without_links(root))) {
    return fail(ErrorCode::kConflict, "process {} is at work in it", *process);
  }
  if (found.stored.kind != StoredKind::kJob) return {};
  const Result<Epoch> epoch = newest_epoch(fs_, JobFolder(root).state());
  if (epoch.value_or(0) == found.epoch) return {};
  return fail(ErrorCode::kConflict, "it has resumed meanwhile");
}

Status Survey::remove(std::size_t which) {
  const Found& found = found_[which];
  if (found.stored.kind == StoredKind::kLeftover) return remove_disk_tree(found.root);
  processes_ = process_places();
  RETURN_IF_ERROR(refuse_if_used(found, found.root));
  const std::string folder = parent_folder(found.root);
  const std::string aside = fmt::format("{}/{}{:016x}", folder, kAside, random_number());
  if (found.spec) jobs_.forget(JobFolder(found.root), *found.spec);
  RETURN_IF_ERROR(fs_.rename(found.root, aside));
  // Whoever was quicker than the rename has the folder open, and answers where it is now. Whoever
  // comes later finds no job.
  processes_ = process_places();
  if (Status free = refuse_if_used(found, aside); !free) {
    RETURN_IF_ERROR(fs_.rename(aside, found.root));
    return free;
  }
  RETURN_IF_ERROR(fs_.sync_folder(folder));
  return remove_disk_tree(aside);
}

}  // namespace windrow
