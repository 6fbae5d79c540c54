// SPDX-License-Identifier: Apache-2.0
#include "os/proc_files.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <memory>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "os/descriptor.h"

namespace windrow {

std::optional<std::string> read_proc(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

std::vector<pid_t> numbers_in(const std::string& folder) {
  std::vector<pid_t> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(folder.c_str()), ::closedir);
  if (!opened) return numbers;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): only one thread reads this stream
  while (const dirent* entry = ::readdir(opened.get())) {
    const std::string_view name = entry->d_name;
    pid_t number = 0;
    const auto end = std::from_chars(name.data(), name.data() + name.size(), number);
    if (end.ptr == name.data() + name.size()) numbers.push_back(number);
  }
  return numbers;
}

}  // namespace windrow
