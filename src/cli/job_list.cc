// SPDX-License-Identifier: Apache-2.0
//
// windrow job list
#include "workspace/jobs/job_list.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/clock_text.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/voice.h"
#include "core/spec/job_paths.h"
#include "os/machine.h"
#include "os/posix_file_system.h"
#include "workspace/jobs/jobs.h"

namespace windrow {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  windrow job list\n"
    "  windrow job list -q                        their names alone\n"
    "  windrow job list -o json\n\n"
    "The newest first. Jobs that have a folder elsewhere (--job-dir) are not listed.\n"
    "`windrow explain JOB` tells you more about one.\n";

// "2026-11-15 06:44:53Z"
std::string time_text(WallTime time, ClockText& clock) {
  if (time.nanoseconds == 0) return "-";
  std::string text;
  clock.append_log(time, text);
  return text.substr(0, text.find(',')) + "Z";
}

std::string table(const std::vector<ListedJob>& jobs) {
  ClockText clock;
  std::size_t width = 3;
  std::size_t script = 6;
  for (const ListedJob& job : jobs) {
    width = std::max(width, job.name.size());
    script = std::max(script, escape_bytes(base_name(job.script)).size());
  }
  const auto line = [&](const auto& name,
                        const auto& state,
                        const std::string& done,
                        const std::string& failed,
                        const std::string& began,
                        const std::string& of) {
    return fmt::format("{:<{}}  {:<10}  {:>12}  {:>12}  {:<20}  {:<{}}",
                       name,
                       width,
                       state,
                       done,
                       failed,
                       began,
                       of,
                       script);
  };
  std::string out =
      line("job", "state", "mini-batches", "failed items", "begun", "script") + "  result\n";
  for (const ListedJob& job : jobs) {
    const std::string done =
        fmt::format("{}/{}", human_count(job.batches_done), human_count(job.batches));
    out += line(escape_bytes(job.name),
                job.state,
                done,
                human_count(job.items_failed),
                time_text(job.began, clock),
                escape_bytes(base_name(job.script)));
    out += fmt::format("  {}\n", job.results.empty() ? "-" : escape_bytes(job.results.front()));
  }
  return out;
}

std::string as_json(const std::vector<ListedJob>& jobs) {
  ClockText clock;
  JsonWriter json;
  json.begin_object().field("status", "Completed").field("exit_code", kExitCompleted);
  json.key("jobs").begin_array();
  for (const ListedJob& job : jobs) {
    json.begin_object().field("name", job.name).field("job_folder", job.folder);
    json.field("state", job.state).field("mini_batches", job.batches);
    json.field("mini_batches_done", job.batches_done).field("items_failed", job.items_failed);
    json.key("began");
    if (job.began.nanoseconds == 0) {
      json.null();
    } else {
      std::string began;
      clock.append_iso(job.began, began);
      json.value(began);
    }
    json.field("script", job.script).key("results").begin_array();
    for (const std::string& result : job.results) json.value(result);
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return json.text() + "\n";
}

class JobList final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description("List the jobs: state, what is done, when they began, their results");
    app.footer(kFooter);
    voice_.declare(app, Voice::For::kAnswer);
  }

  int run(const Caller& caller) override {
    PosixFileSystem fs;
    const std::vector<ListedJob> jobs = list_jobs(fs, caller);
    if (voice_.json()) {
      write_out(1, as_json(jobs));
    } else if (voice_.quiet()) {
      std::string names;
      for (const ListedJob& job : jobs) names += job.name + "\n";
      write_out(1, names);
    } else if (jobs.empty()) {
      voice_.say(fmt::format("There are no jobs in {}/jobs.\n", caller.home));
    } else {
      write_out(1, table(jobs));
    }
    return kExitCompleted;
  }

 private:
  Voice voice_;
};

}  // namespace

std::unique_ptr<Command> make_job_list_command() { return std::make_unique<JobList>(); }

}  // namespace windrow
