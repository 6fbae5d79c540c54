// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace windrow {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "windrow: internal error: %s is false (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace windrow
