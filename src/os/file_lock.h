// SPDX-License-Identifier: Apache-2.0
//
// A lock that at most one process holds, for moments. The system takes it back when its holder
// dies, however that happens.
//
// Thread: any; blocks up to the limit. Failure: kUnavailable when somebody else holds it for longer
// or the file cannot be made.
#pragma once

#include <string>

#include "base/result.h"
#include "base/time.h"
#include "os/descriptor.h"

namespace windrow {

class FileLock {
 public:
  // Makes the file when it is missing; it stays.
  static Result<FileLock> take(const std::string& path, Duration limit);

 private:
  explicit FileLock(Descriptor file) : file_(std::move(file)) {}

  Descriptor file_;
};

}  // namespace windrow
