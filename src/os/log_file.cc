// SPDX-License-Identifier: Apache-2.0
#include "os/log_file.h"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

namespace windrow {

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
