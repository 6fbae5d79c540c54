// SPDX-License-Identifier: Apache-2.0
#include "os/gpu_devices.h"

#include <chrono>

#include <dirent.h>
#include <unistd.h>

#include "os/run_program.h"

namespace windrow {
namespace {

constexpr Duration kAskLimit = std::chrono::seconds(20);  // a driver that wakes up needs a few
constexpr std::uint64_t kAnswerMax = 1U << 20;
constexpr std::string_view kDevice = "nvidia";

}  // namespace

std::uint32_t gpu_device_files(const std::string& dev) {
  DIR* folder = ::opendir(dev.c_str());
  if (folder == nullptr) return 0;
  std::uint32_t count = 0;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is ours alone
  while (const dirent* entry = ::readdir(folder)) {
    const std::string_view name = entry->d_name;
    if (!name.starts_with(kDevice) || name.size() == kDevice.size()) continue;
    if (name.find_first_not_of("0123456789", kDevice.size()) != name.npos) continue;
    // Asks the device cgroup too: a container may see files that it may not open.
    if (::access((dev + "/" + entry->d_name).c_str(), R_OK | W_OK) == 0) ++count;
  }
  ::closedir(folder);
  return count;
}

std::uint32_t gpus_listed(std::string_view output) {
  std::uint32_t count = 0;
  while (!output.empty()) {
    if (output.starts_with("GPU ")) ++count;
    const std::size_t end = output.find('\n');
    output.remove_prefix(end == output.npos ? output.size() : end + 1);
  }
  return count;
}

std::uint32_t gpus_found() {
  if (const std::uint32_t files = gpu_device_files("/dev"); files > 0) return files;
  const Result<std::string> listed = run_program({"nvidia-smi", "-L"}, kAskLimit, kAnswerMax);
  return listed ? gpus_listed(*listed) : 0;
}

}  // namespace windrow
