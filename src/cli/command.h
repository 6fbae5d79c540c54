// SPDX-License-Identifier: Apache-2.0
//
// A command of the command line: declares its options, runs, gives an exit code.
//
// Exit codes: base/exit_code.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/exit_code.h"
#include "base/result.h"
#include "workspace/jobs/caller.h"

namespace windrow {

class Command {
 public:
  virtual ~Command() = default;
  virtual void declare(CLI::App& app) = 0;
  virtual int run(const Caller& caller) = 0;

  // Whether it looks for jobs or caches: then there must be a home folder for them.
  [[nodiscard]] virtual bool needs_home() const { return true; }
};

// Says "windrow: <message>" on standard error; the exit code that goes with the error.
int report(const Error& error);

std::unique_ptr<Command> make_run_command(std::vector<std::string> script_arguments,
                                          bool has_script_arguments);
std::unique_ptr<Command> make_plan_command(std::vector<std::string> script_arguments,
                                           bool has_script_arguments);
std::unique_ptr<Command> make_validate_command(std::vector<std::string> script_arguments,
                                               bool has_script_arguments);
std::unique_ptr<Command> make_help_settings_command();
std::unique_ptr<Command> make_completion_command();
std::unique_ptr<Command> make_job_list_command();
std::unique_ptr<Command> make_job_show_command();
std::unique_ptr<Command> make_job_stream_command();
std::unique_ptr<Command> make_job_cancel_command();
std::unique_ptr<Command> make_job_resume_command();
std::unique_ptr<Command> make_job_merge_command();
std::unique_ptr<Command> make_retry_command();
std::unique_ptr<Command> make_explain_command();
std::unique_ptr<Command> make_replay_command();
std::unique_ptr<Command> make_describe_table_command();
std::unique_ptr<Command> make_report_command();
std::unique_ptr<Command> make_doctor_command();
std::unique_ptr<Command> make_prune_command();

}  // namespace windrow
