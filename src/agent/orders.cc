// SPDX-License-Identifier: Apache-2.0
//
// The part of the Agent that carries out what the Supervisor orders.
#include <utility>

#include "agent/agent.h"
#include "base/process_name.h"
#include "wire/agent/worker_start.h"

namespace windrow {
namespace {

// Puts the process's name where the mark stands.
void make_own(std::string& text, const std::string& process) {
  for (std::size_t at = text.find(kProcessMark); at != std::string::npos;
       at = text.find(kProcessMark, at + process.size())) {
    text.replace(at, 1, process);
  }
}

}  // namespace

// Orders may follow from orders (a send that is refused, a take-back that brings something), so the
// list grows while it is worked through; never from within itself.
void Agent::carry_out() {
  if (carrying_out_) return;
  carrying_out_ = true;
  for (std::size_t i = 0; i < orders_.size(); ++i) {
    Order one = std::move(orders_[i]);
    std::visit([this](auto& what) { carry_out(what); }, one);
  }
  orders_.clear();
  carrying_out_ = false;
  arm_check();
  if (supervisor_) host_->rest(supervisor_->patience());
}

WorkerStart Agent::start_of(ProcessNumber process) {
  const std::string name = process_name(process);
  const AgentFolders& folders = config_.folders;
  WorkerStart start = worker_start(settings_);
  start.process = name;
  start.node = config_.id;
  start.user_stdout = folders.user_stdout + "/" + name + ".stdout.txt";
  start.user_stderr = folders.user_stderr + "/" + name + ".stderr.txt";
  start.user_error = folders.user_error + "/" + name + ".txt";
  start.log_folder = folders.user_log;
  start.profile = folders.process_raw + "/" + name + ".profile";
  if (!settings_.staged.empty()) {
    for (std::string& argument : start.argv) make_own(argument, name);
    make_own(start.output_folder, name);
    start.staging = private_folder(process);
    start.staging_done = folders.staged_done;
    for (const StagedOutput& output : settings_.staged) {
      start.staging_outputs.push_back(output.name);
      static_cast<void>(fs_.make_casual_folders(start.staging + "/" + output.name));
    }
  }
  return start;
}

void Agent::carry_out(order::StartWorker& one) {
  const std::string name = process_name(one.process);
  const AgentFolders& folders = config_.folders;
  WorkerCommand command;
  command.argv = settings_.program;
  command.set_environment = settings_.environment;
  command.set_environment.emplace_back("WINDROW_PROCESS", name);
  if (one.gpus.kind == GpuGrant::Kind::kSet) {
    command.set_environment.emplace_back(kVisibleGpusVariable, one.gpus.devices);
  } else if (one.gpus.kind == GpuGrant::Kind::kUnset) {
    // The job's own value decided what there is to hand out.
    std::erase_if(command.set_environment,
                  [](const auto& variable) { return variable.first == kVisibleGpusVariable; });
    command.unset_environment.emplace_back(kVisibleGpusVariable);
  }
  const bool staged = !settings_.staged.empty();  // else there is no mark anywhere
  if (staged) {
    for (auto& [variable, value] : command.set_environment) make_own(value, name);
  }
  command.nice = config_.nice;
  command.working_folder = folders.work + "/" + name;
  command.set_environment.emplace_back("WINDROW_LOG_DIR", folders.user_log);
  command.set_environment.emplace_back("WINDROW_WORKING_DIR", command.working_folder);
  command.set_environment.emplace_back("WINDROW_USER_LOG_MAX",
                                       std::to_string(settings_.user_log_max));
  command.stdout_path = folders.process_raw + "/" + name + ".stdout.txt";
  command.stderr_path = raw_stderr(one.process);
  log_.note(fmt::format("{} starts{}", name, describe(one.gpus)));
  process_next_ = one.process + 1;
  // A folder that cannot be made shows as a worker that cannot be started.
  static_cast<void>(fs_.make_casual_folders(command.working_folder));
  const WorkerStart start = start_of(one.process);
  if (settings_.passes_argv) {
    command.argv.insert(command.argv.end(), start.argv.begin() + 1, start.argv.end());
  }
  host_->start(one.process, command);
  say(to_master::WorkerProcess{{.process = one.process, .wall = loop_.wall_now()}});
  const std::string payload = encode_worker_start(start);
  Command first{.kind = CommandKind::kStart};
  first.payload_size = payload.size();
  host_->send(one.process, encode_command(first), payload);
}

void Agent::carry_out(order::TakeBack& one) {
  supervisor_->taken_back(one.process, take_unread(one.process, one.count), loop_.now(), orders_);
}

void Agent::carry_out(order::Shutdown& one) {
  send_bundle(one.process);
  host_->send(one.process, encode_command(Command{.kind = CommandKind::kShutdown}), {});
}

void Agent::carry_out(const order::ShowStack& one) {
  const Result<FileStat> before = fs_.stat(raw_stderr(one.process));
  stacks_[one.process] = before ? before->size : 0;
  host_->show_stack(one.process);
}

void Agent::carry_out(order::Kill& one) {
  log_.note(fmt::format("{} is ended: {}", process_name(one.process), one.why));
  hold_bundle(one.process);
  host_->kill(one.process);
}

void Agent::carry_out(const order::NoteDeath& one) {
  if (on_death) on_death(one.process, one.usage);
}

void Agent::carry_out(order::ReportAttempt& one) {
  if (settings_.staged.empty()) {
    report(one);
  } else {
    keep_files(std::move(one));
  }
}

void Agent::carry_out(order::ReportLoad& one) {
  log_.load(one.load, host_->pid(one.load.process));
  say(to_master::LoadEnded{std::move(one.load)});
}

void Agent::carry_out(order::ReportWindow& one) { say(to_master::WindowChanged{one.window}); }

void Agent::carry_out(order::ReportTakenBack& /*one*/) { say(to_master::TakenBack{}); }

void Agent::carry_out(order::ReportGaveUp& one) { say(to_master::GaveUp{std::move(one.cause)}); }

void Agent::carry_out(order::Note& one) { log_.note(one.text); }

void Agent::carry_out(const order::Warn& one) { log_.warn(one.text); }

void Agent::carry_out(order::AllStopped& /*one*/) {
  stopping_ = true;
  say_stopped_when_synced();
}

}  // namespace windrow
