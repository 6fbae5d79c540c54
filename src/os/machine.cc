// SPDX-License-Identifier: Apache-2.0
#include "os/machine.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/descriptor.h"

namespace windrow {
std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

int process_id() { return getpid(); }

int thread_id() { return ::gettid(); }

std::uint64_t random_number() {
  std::uint64_t value = 0;
  if (getrandom(&value, sizeof(value), 0) != sizeof(value))
    value = static_cast<std::uint64_t>(getpid());
  return value;
}

std::optional<std::string> environment_value(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets variables
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::optional<std::string> environment_text(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets variables
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

void be_nice(std::uint32_t increment) {
  if (increment > 0) static_cast<void>(::nice(static_cast<int>(increment)));
}

std::string current_folder() {
  std::array<char, PATH_MAX> path{};
  return getcwd(path.data(), path.size()) == nullptr ? "/" : path.data();
}

Result<std::string> real_path(const std::string& path) {
  char* found = ::realpath(path.c_str(), nullptr);
  if (found == nullptr) return fail(ErrorCode::kNotFound, "{}: {}", path, reason(errno));
  std::string out = found;
  std::free(found);
  return out;
}

std::optional<std::string> find_program(const std::string& program) {
  const auto executable = [](const std::string& path) {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
           ::access(path.c_str(), X_OK) == 0;
  };
  if (program.find('/') != std::string::npos) {
    return executable(program) ? std::optional(program) : std::nullopt;
  }
  const std::string path = environment_value("PATH").value_or("/usr/bin:/bin");
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find(':', start), path.size());
    const std::string folder = end == start ? "." : path.substr(start, end - start);
    std::string found = fmt::format("{}/{}", folder, program);
    if (executable(found)) return found;
    start = end + 1;
  }
  return std::nullopt;
}

Error become_program(const std::vector<std::string>& argv,
                     const std::vector<std::pair<std::string, std::string>>& environment,
                     const std::string& folder) {
  for (const auto& [name, value] : environment) {
    ::setenv(name.c_str(), value.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): no other thread
  }
  if (::chdir(folder.c_str()) == 0) {
    std::signal(SIGPIPE, SIG_DFL);
    std::vector<char*> words;
    for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execvp(words[0], words.data());
  }
  const std::string why = std::generic_category().message(errno);
  return Error{ErrorCode::kUnavailable, fmt::format("cannot start {}: {}", argv.at(0), why)};
}

void end_by_signal(int signal) {
  std::signal(signal, SIG_DFL);
  sigset_t just_this;
  sigemptyset(&just_this);
  sigaddset(&just_this, signal);
  pthread_sigmask(SIG_UNBLOCK, &just_this, nullptr);
  std::raise(signal);
  std::abort();  // the signal ends the process
}

bool can_write_folder(const std::string& path) { return ::access(path.c_str(), W_OK | X_OK) == 0; }

void keep_standard_descriptors() {
  for (int number = 0; number <= 2; ++number) {
    // The lowest free number is the one that is closed.
    if (::fcntl(number, F_GETFD) == -1 && errno == EBADF) {
      static_cast<void>(::open("/dev/null", O_RDWR));  // NOLINT: without O_CLOEXEC on purpose
    }
  }
}

bool is_terminal(int descriptor) { return isatty(descriptor) == 1; }

std::uint32_t terminal_width(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

Result<std::size_t> read_standard_input(std::span<char> into) {
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, into.data(), into.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) {
      return fail(ErrorCode::kUnavailable, "cannot read standard input: {}", reason(errno));
    }
  }
}

void write_out(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(descriptor, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

Result<std::string> read_whole_file(const std::string& path, std::uint64_t max) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) {
    const bool missing = errno == ENOENT || errno == ENOTDIR;
    return fail(missing ? ErrorCode::kNotFound : ErrorCode::kUnavailable,
                "cannot read {}: {}",
                path,
                reason(errno));
  }
  std::string text;
  std::array<char, 1U << 16> buffer{};
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(ErrorCode::kUnavailable, "cannot read {}: {}", path, reason(errno));
    if (got == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
    if (text.size() > max)
      return fail(ErrorCode::kInvalid, "{} is larger than {} bytes", path, max);
  }
}

Status sync_disk(const std::string& folder) {
  const Descriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file && ::syncfs(file.get()) == 0) return {};
  return fail(ErrorCode::kUnavailable, "cannot sync {}: {}", folder, reason(errno));
}

Status write_whole_file(const std::string& path, std::string_view text) {
  // Several processes may write the same file: each has its own beside it.
  const std::string beside = path + ".new-" + std::to_string(getpid());
  const auto cannot = [&](int error) {
    return fail(ErrorCode::kUnavailable, "cannot write {}: {}", path, reason(error));
  };
  Descriptor file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file) return cannot(errno);
  while (!text.empty()) {
    const ssize_t wrote = ::write(file.get(), text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return cannot(errno);
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  if (::fdatasync(file.get()) != 0) return cannot(errno);
  if (::rename(beside.c_str(), path.c_str()) != 0) return cannot(errno);
  return {};
}

}  // namespace windrow
