// SPDX-License-Identifier: Apache-2.0
//
// Makes the wall clock show the kNext day from the moment on that a kFile exists.
//
// To be preloaded (LD_PRELOAD), with the path of the kFile in NEXT_DAY. All other clocks continue
// as they were.
#include <cstdlib>
#include <ctime>

#include <dlfcn.h>
#include <unistd.h>

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  constexpr time_t kDay = 86400;
  static auto* const kNext =
      reinterpret_cast<int (*)(clockid_t, timespec*)>(::dlsym(RTLD_NEXT, "clock_gettime"));
  static const char* const kFile =
      std::getenv("NEXT_DAY");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  const int result = kNext(clock, time);
  const bool jumped = clock == CLOCK_REALTIME && kFile != nullptr && ::access(kFile, F_OK) == 0;
  if (result == 0 && jumped) time->tv_sec += kDay;
  return result;
}
