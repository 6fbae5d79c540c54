// SPDX-License-Identifier: Apache-2.0
//
// CHECK(condition): our own bug if it is false. On in release: the process aborts, and the next run
// replays the journal, which is safer than continuing with a state that contradicts itself.
#pragma once

namespace windrow {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace windrow

#define CHECK(condition)                                       \
  do {                                                         \
    if (!(condition)) [[unlikely]] {                           \
      ::windrow::check_failed(#condition, __FILE__, __LINE__); \
    }                                                          \
  } while (false)
