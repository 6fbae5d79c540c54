// SPDX-License-Identifier: Apache-2.0
//
// How many GPUs the NVIDIA driver offers this process. No CUDA library is needed.
//
// Thread: any; may block for seconds where the driver is asleep. Failure: none found.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace windrow {

// Device files that this process may open; where there are none, what nvidia-smi lists (device
// files appear with the first use, and some machines have none at all).
std::uint32_t gpus_found();

// Of the files /dev/nvidia0, /dev/nvidia1, ... below `dev` those that may be read and written.
std::uint32_t gpu_device_files(const std::string& dev);

// Of the output of `nvidia-smi -L`: "GPU 0: name (UUID: ...)", with lines for MIG below.
std::uint32_t gpus_listed(std::string_view output);

}  // namespace windrow
