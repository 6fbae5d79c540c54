// SPDX-License-Identifier: Apache-2.0
//
// A folder that nobody but its user may enter, whatever the umask.
//
// Thread: any. Failure: kUnavailable when it cannot be made.
#pragma once

#include <string>

#include "base/result.h"

namespace windrow {

// Makes the folder, and those above it, unless it is there; one that is there is left as it is.
Status make_private_folder(const std::string& path);

}  // namespace windrow
