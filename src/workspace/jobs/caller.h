// SPDX-License-Identifier: Apache-2.0
//
// Who gives a command, and from where. Commands find it out once and hand it down; nothing below
// them asks the environment for it.
#pragma once

#include <string>

namespace windrow {

struct Caller {
  std::string home;    // $WINDROW_HOME, absolute: jobs and caches are below it
  std::string folder;  // the current one: relative paths count from it
};

}  // namespace windrow
