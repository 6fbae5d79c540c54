// SPDX-License-Identifier: Apache-2.0
//
// Who gives a command, and from where. Commands find it out once and hand it down; below them only
// workspace/prepare/standard_list.cc asks for the current folder again.
#pragma once

#include <string>

namespace windrow {

struct Caller {
  std::string home;    // $WINDROW_HOME, absolute: jobs and caches are below it
  std::string folder;  // the current one: relative paths count from it
};

}  // namespace windrow
