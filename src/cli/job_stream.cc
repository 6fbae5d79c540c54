// SPDX-License-Identifier: Apache-2.0
//
// windrow job stream JOB
#include <algorithm>
#include <optional>

#include "cli/command.h"
#include "cli/job_answer.h"
#include "cli/run_screen.h"
#include "cli/voice.h"
#include "os/machine.h"
#include "os/posix_file_system.h"
#include "workspace/jobs/jobs.h"
#include "workspace/jobs/running_job.h"

namespace windrow {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  windrow job stream nightly\n"
    "  windrow job stream nightly -q -o json\n\n"
    "Ctrl-C ends the following, not the job. The exit code is that of the job.\n";

constexpr std::uint64_t kLogMax = 64U << 20;

class JobStream final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description("Follow a job that is running: progress, notes and the script's errors");
    app.footer(kFooter);
    app.add_option("JOB", job_, "Name or folder of the job")->required()->type_name("");
    voice_.declare(app, Voice::For::kJob);
  }

  int run(const Caller& caller) override {
    const Result<int> code = stream(caller);
    return code ? *code : voice_.report(code.error());
  }

 private:
  Result<int> stream(const Caller& caller) {
    PosixFileSystem fs;
    ASSIGN_OR_RETURN(const JobFolder folder, Jobs(fs, caller).find(job_));
    std::uint64_t seen = 0;
    while (std::optional<RunningJob> running = RunningJob::find(folder)) {
      const std::optional<int> code = follow(*running, seen);
      if (code) return *code;
      // Cut off: the engine has gone away, or it found us too slow. Both are seen by asking again.
    }
    ASSIGN_OR_RETURN(const JobView view, view_job(fs, caller, job_));
    if (seen == 0) show_logs(folder);
    write_out(voice_.json() ? 1 : 2, voice_.json() ? view_json(view) : view_answer(view));
    return exit_code_of(view.outline);
  }

  // The exit code of a job that has ended meanwhile.
  std::optional<int> follow(RunningJob& job, std::uint64_t& seen) {
    RunScreen screen(voice_);
    std::optional<int> code;
    const auto each = [&](const ControlEvent& event) {
      seen = std::max(seen, event.number);
      show(event, screen);
      if (event.kind == ControlEvent::Kind::kEnded) code = event.exit_code;
      return true;
    };
    const Status followed = job.follow(seen, each);
    screen.clear_bar();
    static_cast<void>(followed);
    return code;
  }

  void show(const ControlEvent& event, RunScreen& screen) const {
    switch (event.kind) {
      case ControlEvent::Kind::kStage:
        return;
      case ControlEvent::Kind::kNote:
        return screen.on_note(event.text);
      case ControlEvent::Kind::kDetail:
        return screen.on_detail(event.text);
      case ControlEvent::Kind::kError:
        return screen.on_note(event.text);
      case ControlEvent::Kind::kProgress:
        return screen.on_progress(event.progress);
      case ControlEvent::Kind::kMissed:
        return screen.on_note(fmt::format("({} earlier lines are not kept)", event.missed));
      case ControlEvent::Kind::kEnded:
        screen.clear_bar();
        write_out(voice_.json() ? 1 : 2, voice_.json() ? event.document : event.text);
        return;
    }
  }

  // Of a job that was over before it could be followed: its log, and what its script raised.
  void show_logs(const JobFolder& folder) const {
    if (const auto log = read_whole_file(folder.driver_log(), kLogMax)) voice_.say(dated(*log));
    if (const auto errors = read_whole_file(folder.user_error_summary(), kLogMax)) {
      voice_.say(*errors);
    }
  }

  // Without the settings, which stand among the lines of the log and have no date.
  static std::string dated(std::string_view log) {
    std::string out;
    while (!log.empty()) {
      const std::string_view line = log.substr(0, std::min(log.find('\n'), log.size() - 1) + 1);
      if (line.front() >= '0' && line.front() <= '9') out += line;
      log.remove_prefix(line.size());
    }
    return out;
  }

  std::string job_;
  Voice voice_;
};

}  // namespace

std::unique_ptr<Command> make_job_stream_command() { return std::make_unique<JobStream>(); }

}  // namespace windrow
