// SPDX-License-Identifier: Apache-2.0
#include "os/private_folder.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <sys/stat.h>

#include "os/descriptor.h"

namespace windrow {

Status make_private_folder(const std::string& path) {
  constexpr mode_t kPrivate = S_IRWXU;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return {};
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  // The umask may take away even the user's own rights.
  if (::mkdir(path.c_str(), kPrivate) == 0 && ::chmod(path.c_str(), kPrivate) == 0) return {};
  const int error = errno;
  if (std::filesystem::is_directory(path, ignored)) return {};  // somebody else was first
  return fail(ErrorCode::kUnavailable, "cannot create the folder {}: {}", path, reason(error));
}

}  // namespace windrow
