// SPDX-License-Identifier: Apache-2.0
#include "os/log_file.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace windrow {

void point_alias(const std::string& alias, const std::string& target) {
  if (alias_target(alias) == target) return;
  const std::string fresh = alias + ".new";
  ::unlink(fresh.c_str());
  if (::symlink(target.c_str(), fresh.c_str()) != 0) return;
  if (::rename(fresh.c_str(), alias.c_str()) != 0) ::unlink(fresh.c_str());
}

std::string alias_target(const std::string& alias) {
  std::string target(4096, '\0');
  const ssize_t size = ::readlink(alias.c_str(), target.data(), target.size());
  target.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return target;
}

void cut_log(const std::string& path, std::uint64_t size_max, std::string_view mark) {
  struct stat found{};
  if (::stat(path.c_str(), &found) != 0) return;
  if (static_cast<std::uint64_t>(found.st_size) <= size_max + mark.size()) return;
  if (::truncate(path.c_str(), static_cast<off_t>(size_max)) != 0) return;
  LogFile file(path);
  file.write(mark);
}

void LogFile::flush() {
  if (buffer_.empty()) return;
  if (!file_) {
    file_.reset(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  }
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t wrote = file_ ? ::write(file_.get(), rest.data(), rest.size()) : -1;
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) {
      lost_ += rest.size();
      break;
    }
    rest.remove_prefix(static_cast<std::size_t>(wrote));
  }
  buffer_.clear();
}

}  // namespace windrow
