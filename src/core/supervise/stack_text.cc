// SPDX-License-Identifier: Apache-2.0
#include "core/supervise/stack_text.h"

#include <algorithm>
#include <ranges>
#include <vector>

#include <fmt/format.h>

namespace windrow {
namespace {

constexpr std::string_view kOwnFolder = "/windrow/worker/";
constexpr std::string_view kImporter = "<frozen importlib";

struct PythonThread {
  std::string name;                 // "Thread 0x00007f1c"
  std::vector<std::string> frames;  // of the script and its libraries, the innermost first
  bool calls_script = false;        // our own frames are below
};

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_heading(std::string_view line) {
  return line.starts_with("Thread 0x") || line.starts_with("Current thread 0x");
}

// `  File "score.py", line 7 in run` gets the comma that tracebacks have.
std::string frame_of(std::string_view line) {
  std::string out(line);
  const std::size_t at = out.find(" in ", out.find("\", line "));
  if (at != std::string::npos) out.insert(at, ",");
  return out;
}

void add_line(std::string_view line, std::vector<PythonThread>& threads) {
  if (is_heading(line)) {
    const std::size_t number = line.find("0x");
    threads.push_back(
        {.name = fmt::format("Thread {}", line.substr(number, line.find(' ', number) - number)),
         .frames = {}});
  } else if (threads.empty() || !line.starts_with("  ") || has(line, kImporter)) {
    return;
  } else if (has(line, kOwnFolder)) {
    threads.back().calls_script = true;
  } else if (line.starts_with("  File \"") || line == "  ...") {
    threads.back().frames.push_back(frame_of(line));
  }
}

}  // namespace

std::string traceback_of(std::string_view shown, std::string_view error) {
  std::vector<PythonThread> threads;
  while (!shown.empty()) {
    const std::string_view line = shown.substr(0, shown.find('\n'));
    shown.remove_prefix(std::min(line.size() + 1, shown.size()));
    add_line(line, threads);
  }
  std::erase_if(threads, [](const PythonThread& one) { return one.frames.empty(); });
  if (threads.empty()) return "";
  std::ranges::stable_sort(threads, {}, &PythonThread::calls_script);
  std::string out;
  for (const PythonThread& thread : threads) {
    out += fmt::format("{} (most recent call last):\n",
                       thread.calls_script ? "Traceback" : thread.name);
    for (const std::string& frame : std::views::reverse(thread.frames)) out += frame + "\n";
  }
  return fmt::format("{}{}\n", out, error);
}

}  // namespace windrow
