// SPDX-License-Identifier: Apache-2.0
#include "workspace/worker/worker_files.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "core/spec/job_paths.h"
#include "os/machine.h"
#include "workspace/worker/embedded_files.h"

namespace windrow {

std::string worker_folder_name() {
  std::string all;
  for (const EmbeddedFile& file : embedded_files()) {
    all.append(file.path).push_back('\0');
    all.append(file.content).push_back('\0');
  }
  return "worker-" + sha256(all).substr(0, 16);
}

Result<std::string> unpack_worker(FileSystem& fs, const std::string& cache_folder) {
  const std::string folder = cache_folder + "/" + worker_folder_name();
  std::string program = folder + "/windrow/worker/__main__.py";
  const std::string complete = folder + "/complete";
  if (fs.stat(complete)) return program;
  // Several may unpack at a time: each file is put in place in one step, with the same content.
  const auto put = [&](const std::string& path, std::string_view content) -> Status {
    const std::string own = fmt::format("{}.{:x}", path, random_number());
    RETURN_IF_ERROR(write_whole_file(own, content));
    return fs.rename(own, path);
  };
  for (const EmbeddedFile& file : embedded_files()) {
    const std::string path = folder + "/" + std::string(file.path);
    RETURN_IF_ERROR(fs.make_casual_folders(parent_folder(path)));
    RETURN_IF_ERROR(put(path, file.content));
  }
  RETURN_IF_ERROR(put(complete, ""));
  return program;
}

}  // namespace windrow
