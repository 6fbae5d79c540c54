// SPDX-License-Identifier: Apache-2.0
#include "workspace/trial/doctor.h"

#include <fmt/format.h>

#include "base/clock_text.h"
#include "base/counted.h"
#include "base/text.h"
#include "core/spec/job_spec.h"
#include "os/clock_steady.h"
#include "os/machine.h"
#include "os/memory_rooms.h"
#include "os/posix_file_system.h"
#include "os/private_folder.h"
#include "os/run_program.h"
#include "os/system_usage.h"
#include "workspace/jobs/jobs.h"
#include "workspace/worker/interpreter.h"
#include "workspace/worker/machine_share.h"

namespace windrow {
namespace {

using Kind = Finding::Kind;

constexpr std::uint64_t kGigabyte = 1ULL << 30;
constexpr std::uint64_t kDescriptorsMin = 1024;
constexpr std::int64_t kYear2025 = 1'735'689'600'000'000'000;  // in nanoseconds

Finding examine_python() {
  const Result<Interpreter> python = find_interpreter({});
  if (!python) {
    return {Kind::kBad,
            "Python",
            python.error().message,
            "install Python 3, or name one with --python or WINDROW_PYTHON"};
  }
  const char* const ask =
      "import importlib.util as u, sys; print(sys.version.split()[0], *[n for n in ('numpy', "
      "'pandas') if u.find_spec(n)])";
  const Result<std::string> said =
      run_program({python->path, "-c", ask}, std::chrono::seconds(20), 1000);
  if (!said) {
    return {Kind::kBad,
            "Python",
            fmt::format("{} does not run: {}", python->path, said.error().message),
            "name another one with --python or WINDROW_PYTHON"};
  }
  const bool pandas = said->find("pandas") != std::string::npos;
  std::string what = fmt::format("{} (from {}), {}", python->path, python->origin, *said);
  while (what.ends_with('\n')) what.pop_back();
  return {pandas ? Kind::kGood : Kind::kDoubtful,
          "Python",
          what,
          pandas ? "" : "scripts that return DataFrames need pandas in it"};
}

Finding examine_workers() {
  const MachineShare share = share_of_machine(JobSpec{});
  return {Kind::kGood,
          "CPUs and GPUs",
          fmt::format("{}, {}: {}",
                      counted(share.cpus, "CPU"),
                      counted(share.gpus.names.size(), "GPU"),
                      counted(share.workers.count, "worker")),
          ""};
}

Finding examine_memory() {
  // The tightest of the machine and the control groups around us.
  MemoryRoom tightest{.total = UINT64_MAX, .available = UINT64_MAX};
  for (const MemoryRoom& room : MemoryRooms().read()) {
    if (room.available < tightest.available) tightest = room;
  }
  const std::uint64_t workers = share_of_machine(JobSpec{}).workers.count;
  const bool enough = tightest.available >= workers * kGigabyte / 2;
  return {enough ? Kind::kGood : Kind::kDoubtful,
          "memory",
          fmt::format(
              "{} of {} available", human_bytes(tightest.available), human_bytes(tightest.total)),
          enough ? ""
                 : fmt::format("less than 512 MB for each of {}: give --workers a smaller number, "
                               "or end something else",
                               counted(workers, "worker"))};
}

Finding examine_home(const std::string& home) {
  if (home.empty()) {
    return {Kind::kBad, "workspace", "neither WINDROW_HOME nor HOME is set", "set one of them"};
  }
  PosixFileSystem fs;
  const Status made = make_private_folder(home);
  if (!made || !can_write_folder(home)) {
    return {Kind::kBad,
            "workspace",
            fmt::format("{} cannot be written{}", home, made ? "" : ": " + made.error().message),
            "set WINDROW_HOME to a folder of yours"};
  }
  const Result<std::unique_ptr<File>> unnamed = fs.create_unnamed(home, {"doctor", 1});
  const std::uint64_t free = disk_space(home).available;
  std::string what = fmt::format("{}, {} free", home, human_bytes(free));
  if (free < kGigabyte) {
    return {Kind::kDoubtful,
            "workspace",
            std::move(what),
            "jobs keep their rows, logs and journal there: make room, or set WINDROW_HOME"};
  }
  if (!unnamed) {
    return {Kind::kBad, "workspace", unnamed.error().message, "set WINDROW_HOME to another disk"};
  }
  return {Kind::kGood, "workspace", std::move(what), ""};
}

Finding examine_descriptors() {
  const std::uint64_t most = descriptors_max();
  const bool enough = most >= kDescriptorsMin;
  return {enough ? Kind::kGood : Kind::kDoubtful,
          "open files",
          most == UINT64_MAX ? "any number" : fmt::format("up to {}", human_count(most)),
          enough ? "" : fmt::format("raise it: ulimit -n {}", kDescriptorsMin)};
}

// Ours need none; debuggers, dashboards and reloaders in scripts do.
Finding examine_watching() {
  const bool can = can_watch_files();
  return {can ? Kind::kGood : Kind::kDoubtful,
          "file watching",
          can ? "inotify has room" : "inotify has no instance left for this user",
          can ? ""
              : "scripts that watch files will fail: end what holds inotify instances, or raise "
                "fs.inotify.max_user_instances"};
}

Finding examine_locale() {
  std::string name;
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (name.empty()) name = environment_value(variable).value_or("");
  }
  const std::string lower = lower_case(name);
  const bool utf8 = lower.ends_with("utf-8") || lower.ends_with("utf8");
  return {utf8 ? Kind::kGood : Kind::kDoubtful,
          "locale",
          name.empty() ? "none is set" : name,
          utf8 ? ""
               : "names with other letters than ASCII may look odd in this terminal: export "
                 "LC_ALL=C.UTF-8"};
}

Finding examine_clock() {
  const WallTime now = system_now();
  ClockText clock;
  const bool right = now.nanoseconds > kYear2025;
  return {right ? Kind::kGood : Kind::kDoubtful,
          "clock",
          clock.date(now),
          right ? "" : "the date is wrong, and so will be those in logs and names of jobs"};
}

}  // namespace

std::vector<Finding> examine_machine(const Caller& caller) {
  return {examine_python(),
          examine_workers(),
          examine_memory(),
          examine_home(caller.home),
          examine_descriptors(),
          examine_watching(),
          examine_locale(),
          examine_clock()};
}

}  // namespace windrow
