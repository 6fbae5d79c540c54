// SPDX-License-Identifier: Apache-2.0
//
// A command of the command line: declares its options, runs, gives an exit code.
//
// Exit codes: 0 completed, 1 job failed or machine trouble, 2 refused, 3 not found, 130 cancelled.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/result.h"

namespace windrow {

inline constexpr int kExitCompleted = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitRefused = 2;
inline constexpr int kExitNotFound = 3;
inline constexpr int kExitCancelled = 130;

class Command {
 public:
  virtual ~Command() = default;
  virtual void declare(CLI::App& app) = 0;
  virtual int run() = 0;
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
