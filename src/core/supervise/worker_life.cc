// SPDX-License-Identifier: Apache-2.0
#include "core/supervise/worker_life.h"

#include <fmt/format.h>

namespace windrow {

std::string signal_name(int signal) {
  switch (signal) {
    case 1:
      return "SIGHUP";
    case 2:
      return "SIGINT";
    case 3:
      return "SIGQUIT";
    case 4:
      return "SIGILL";
    case 5:
      return "SIGTRAP";
    case 6:
      return "SIGABRT";
    case 7:
      return "SIGBUS";
    case 8:
      return "SIGFPE";
    case 9:
      return "SIGKILL";
    case 11:
      return "SIGSEGV";
    case 13:
      return "SIGPIPE";
    case 14:
      return "SIGALRM";
    case 15:
      return "SIGTERM";
    case 24:
      return "SIGXCPU";
    case 25:
      return "SIGXFSZ";
    case 31:
      return "SIGSYS";
    default:
      return fmt::format("signal {}", signal);
  }
}

std::string describe_phase(WorkerPhase phase) {
  switch (phase) {
    case WorkerPhase::kStarting:
      return "while Python started";
    case WorkerPhase::kInit:
      return "in init()";
    case WorkerPhase::kIdle:
      return "between two mini-batches";
    case WorkerPhase::kLoad:
      return "while it loaded its mini-batch";
    case WorkerPhase::kRun:
      return "in run()";
    case WorkerPhase::kSerialise:
      return "while it turned the result into rows";
    case WorkerPhase::kShutdown:
      return "in shutdown()";
  }
  return "at an unknown point";
}

std::string describe_end(const WorkerEnd& end) {
  const std::string name = process_name(end.process);
  if (!end.started) return fmt::format("{} could not be started: {}", name, end.why);
  const std::string where = describe_phase(end.page.phase);
  if (end.signal == 9) {
    return fmt::format(
        "{} was killed by SIGKILL {} (by somebody, or by the kernel for lack of memory; "
        "its peak was {} MB)",
        name,
        where,
        end.memory_peak >> 20);
  }
  if (end.signal != 0)
    return fmt::format("{} was killed by {} {}", name, signal_name(end.signal), where);
  return fmt::format("{} ended with exit code {} {}", name, end.exit_code, where);
}

std::string process_name(ProcessNumber process) { return fmt::format("process{:03}", process); }

}  // namespace windrow
