// SPDX-License-Identifier: Apache-2.0
//
// The Python worker, unpacked where an interpreter can read it.
#pragma once

#include <string>

#include "base/result.h"
#include "os/file_system.h"

namespace windrow {

// The name of the folder that they are in, which goes by their content.
std::string worker_folder_name();

// Unpacks the embedded files below `cache_folder`, in a folder named by their content, unless they
// are there already. Returns the path of the program to start: .../windrow/worker/__main__.py.
Result<std::string> unpack_worker(FileSystem& fs, const std::string& cache_folder);

}  // namespace windrow
