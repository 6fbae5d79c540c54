// SPDX-License-Identifier: Apache-2.0
#include "core/supervise/worker_life.h"

#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "base/process_name.h"

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
      return "while it started";
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

namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// The line that begins so, or nothing.
std::string line_with(const std::string& text, std::string_view start) {
  const std::size_t at = text.find(start);
  if (at == std::string::npos) return "";
  return text.substr(at, text.find('\n', at) - at);
}

// What the kernel and the last words say about a deadly signal.
std::string why_signal(const WorkerEnd& end) {
  const std::string& said = end.stderr_tail;
  const std::string fatal = line_with(said, "Fatal Python error: ");
  switch (end.signal) {
    case 6: {
      const std::string thrown = line_with(said, "terminate called");
      if (!thrown.empty()) {
        return fmt::format(" (an exception of C++ that nobody caught: {})", thrown);
      }
      // faulthandler reports every abort as "Aborted".
      if (!fatal.empty() && !has(fatal, "Aborted")) return fmt::format(" ({})", fatal);
      return " (something called abort())";
    }
    case 9:
      if (!end.out_of_memory)
        return " (by somebody, or by the kernel for lack of memory: nobody knows)";
      return " (by somebody: the kernel has ended nothing here for lack of memory)";
    case 11:
      // faulthandler shows a hundred frames and then an ellipsis.
      if (has(said, "\n  ...") || has(said, "stack overflow")) {
        return " (the stack overflowed: calls that are nested without end)";
      }
      return " (native code reached for memory that is not there, or the stack overflowed)";
    default:
      return "";
  }
}

// It has reported itself what was wrong, unless its stderr is gone too.
std::string why_no_agent(std::string_view said) {
  constexpr std::string_view kBegin = "windrow worker: ";
  constexpr std::string_view kEnd = "; the worker ends";
  const std::size_t at = said.rfind(kBegin);
  if (at == std::string_view::npos) {
    return " (it could not talk to its agent: were descriptors 3 and 4 closed?)";
  }
  said.remove_prefix(at + kBegin.size());
  said = said.substr(0, said.find('\n'));
  if (said.ends_with(kEnd)) said.remove_suffix(kEnd.size());
  const bool closed = said.find("Bad file descriptor") != std::string_view::npos;
  return fmt::format(" (it could not talk to its agent: {}{})",
                     said,
                     closed ? "; were descriptors 3 and 4 closed?" : "");
}

std::string why_exit_code(const WorkerEnd& end) {
  if (end.page.phase == WorkerPhase::kStarting && end.exit_code != kExitNoAgent) {
    return " (before it sent anything to Windrow: is it the Python, or the program, that you "
           "meant?)";
  }
  switch (end.exit_code) {
    case 0:
      return " (os._exit(0) or exit(0) of native code: it looks like success, but nothing was "
             "returned)";
    case kExitNoAgent:
      return why_no_agent(end.stderr_tail);
    case kExitInitFailed:
      return " (init() failed)";
    default:
      return " (os._exit() or exit() of native code)";
  }
}

}  // namespace

std::string describe_end(const WorkerEnd& end) {
  const std::string name = process_name(end.process);
  if (!end.started) return fmt::format("{} could not be started: {}", name, end.why);
  const std::string where = describe_phase(end.page.phase);
  const std::string peak =
      end.memory_peak > 0 ? fmt::format("; its peak was {} MB of memory", end.memory_peak >> 20U)
                          : "";
  if (end.signal == 9 && end.out_of_memory.value_or(false)) {
    return fmt::format(
        "{} was killed by the kernel for lack of memory {}{}; {}", name, where, peak, kMemoryHelp);
  }
  if (end.signal != 0) {
    const std::string why = end.why.empty() ? why_signal(end) : fmt::format(" ({})", end.why);
    return fmt::format(
        "{} was killed by {} {}{}{}", name, signal_name(end.signal), where, why, peak);
  }
  return fmt::format(
      "{} ended with exit code {} {}{}{}", name, end.exit_code, where, why_exit_code(end), peak);
}

std::string last_words(const WorkerEnd& end) {
  if (end.stderr_tail.empty()) return "";
  return fmt::format(
      "the last lines of {}'s stderr:\n{}", process_name(end.process), end.stderr_tail);
}

void add_memory_hint(AttemptRecord& record) {
  if (record.error_type != "MemoryError") return;
  const std::string peak =
      record.memory_peak > 0
          ? fmt::format("; the worker's peak was {} MB of memory", record.memory_peak >> 20U)
          : "";
  record.error_message = fmt::format("{}{}{}; {}",
                                     record.error_message.empty() ? "" : record.error_message,
                                     record.error_message.empty() ? "out of memory" : "",
                                     peak,
                                     kMemoryHelp);
}

}  // namespace windrow
