// SPDX-License-Identifier: Apache-2.0
#include "fate.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shadow.h"

namespace crash {
namespace {

std::uint64_t count = 0;  // calls so far

std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets it
  return value == nullptr ? "" : value;
}

std::vector<std::string> paths(const char* name) {
  std::vector<std::string> out;
  const std::string text = variable(name);
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find(':', start), text.size());
    if (end > start) out.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return out;
}

How how_from(std::string_view word) {
  constexpr std::pair<std::string_view, How> kWords[] = {{"before", How::kBefore},
                                                         {"after", How::kAfter},
                                                         {"torn", How::kTorn},
                                                         {"once", How::kOnce},
                                                         {"forever", How::kForever},
                                                         {"short", How::kShort},
                                                         {"cut", How::kCut}};
  for (const auto& [name, how] : kWords) {
    if (word == name) return how;
  }
  return How::kNothing;
}

std::string link_target(const std::string& path) {
  char text[4096];
  const auto size = ::syscall(SYS_readlinkat, AT_FDCWD, path.c_str(), text, sizeof(text));
  return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : "";
}

Settings read_settings() {
  Settings out;
  out.roots = paths("CRASH_ROOTS");
  const std::string program = link_target("/proc/self/exe");
  if (out.roots.empty() || !program.ends_with("/windrow")) return out;
  out.process = ::getpid();
  out.except = paths("CRASH_EXCEPT");
  out.log = variable("CRASH_LOG");
  out.shadow = variable("CRASH_SHADOW");
  out.named = !variable("CRASH_NAMED").empty();
  out.at = std::strtoull(variable("CRASH_AT").c_str(), nullptr, 10);
  out.how = how_from(variable("CRASH_HOW"));
  if (const int error = std::atoi(variable("CRASH_ERRNO").c_str())) out.error = error;
  return out;
}

bool below(std::string_view path, const std::vector<std::string>& roots) {
  for (const std::string& root : roots) {
    if (path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/'))
      return true;
  }
  return false;
}

__attribute__((constructor)) void load() { settings = new Settings(read_settings()); }

}  // namespace

const Settings* settings = nullptr;

bool acts_here() { return settings != nullptr && settings->process == ::getpid(); }

bool counts(const std::string& path) {
  return below(path, settings->roots) && !below(path, settings->except);
}

std::string path_of(int descriptor) {
  return link_target("/proc/self/fd/" + std::to_string(descriptor));
}

// The engine names what lies deep as /proc/self/fd/N/name, because addresses of sockets are short.
std::string path_of(int folder, const char* path) {
  constexpr std::string_view kByNumber = "/proc/self/fd/";
  const std::string_view text = path;
  if (const std::size_t slash = text.find('/', kByNumber.size());
      text.starts_with(kByNumber) && slash != std::string_view::npos) {
    return link_target(std::string(text.substr(0, slash))) + std::string(text.substr(slash));
  }
  if (path[0] == '/') return path;
  char here[4096] = ".";
  if (folder != AT_FDCWD) return path_of(folder) + "/" + path;
  if (::getcwd(here, sizeof(here)) == nullptr) std::abort();
  return std::string(here) + "/" + path;
}

[[noreturn]] void die() {
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}

Fate next_fate(const char* name, const std::string& path) {
  ++count;
  if (!settings->log.empty()) {
    write_raw(settings->log,
              O_WRONLY | O_CREAT | O_APPEND,
              std::to_string(count) + "\t" + name + "\t" + path + "\n");
  }
  Fate fate;
  if (settings->at == 0 || count < settings->at) return fate;
  const bool now = count == settings->at;
  switch (settings->how) {
    case How::kNothing:
      break;
    case How::kBefore:
      if (now) die();
      break;
    case How::kAfter:
      fate.last = now;
      break;
    case How::kTorn:
      fate.half = fate.last = now;
      break;
    case How::kOnce:
      fate.fails = now;
      break;
    case How::kForever:
      fate.fails = true;
      break;
    case How::kShort:
      fate.half = now;
      break;
    case How::kCut:
      fate.half = now;
      fate.fails = count == settings->at + 1;
      break;
  }
  return fate;
}

}  // namespace crash
