// SPDX-License-Identifier: Apache-2.0
#include "cli/main.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/command.h"
#include "os/machine.h"

namespace windrow {
namespace {

constexpr const char* kFooter =
    "First steps:\n"
    "  windrow run score.py --input FOLDER        run init() and run(mini_batch) over its files\n"
    "  windrow run job.yml                        the same from a job file\n"
    "  windrow job resume JOB                     go on where a stopped or failed job ended\n"
    "  windrow COMMAND --help                     all about a command\n";

int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalid:
    case ErrorCode::kConflict:
      return kExitRefused;
    case ErrorCode::kNotFound:
      return kExitNotFound;
    case ErrorCode::kUnavailable:
    case ErrorCode::kInternal:
      return kExitFailed;
  }
  return kExitFailed;
}

// One command below `parent`; `chosen` is set when it is the one.
void add(CLI::App& parent, const char* name, std::unique_ptr<Command> command,
         std::vector<std::pair<CLI::App*, std::unique_ptr<Command>>>& commands) {
  CLI::App* app = parent.add_subcommand(name, "");
  command->declare(*app);
  commands.emplace_back(app, std::move(command));
}

}  // namespace

int report(const Error& error) {
  write_out(2, fmt::format("windrow: {}\n", error.message));
  return exit_code(error.code);
}

int command_line(int argc, char** argv) {
  // What stands behind `--` belongs to the user's script, whatever it looks like.
  std::vector<std::string> ours(argv + 1, argv + argc);
  std::vector<std::string> scripts;
  const auto dashes = std::find(ours.begin(), ours.end(), "--");
  const bool has_script_arguments = dashes != ours.end();
  if (has_script_arguments) {
    scripts.assign(dashes + 1, ours.end());
    ours.erase(dashes, ours.end());
  }
  CLI::App app("windrow: runs a Python function over files at scale; every result once, or a reason");
  app.set_version_flag("--version", "windrow " WINDROW_VERSION);
  app.require_subcommand(1);
  app.footer(kFooter);
  std::vector<std::pair<CLI::App*, std::unique_ptr<Command>>> commands;
  add(app, "run", make_run_command(std::move(scripts), has_script_arguments), commands);
  CLI::App* job = app.add_subcommand("job", "Go on with a job, or publish what it has");
  job->require_subcommand(1);
  add(*job, "resume", make_job_resume_command(), commands);
  add(*job, "merge", make_job_merge_command(), commands);
  add(app, "retry", make_retry_command(), commands);
  std::reverse(ours.begin(), ours.end());
  try {
    app.parse(ours);
  } catch (const CLI::ParseError& error) {
    const bool asked = error.get_exit_code() == 0;  // --help, --version
    app.exit(error);
    return asked ? kExitCompleted : kExitRefused;
  }
  for (const auto& [parsed, command] : commands) {
    if (parsed->parsed()) return command->run();
  }
  return kExitRefused;
}

}  // namespace windrow
