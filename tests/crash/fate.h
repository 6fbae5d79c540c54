// SPDX-License-Identifier: Apache-2.0
//
// Which calls of the engine count, and what happens to which of them. From the environment:
//
//   CRASH_ROOTS   the files that count: paths, separated by colons, and everything below them
//   CRASH_EXCEPT  less these
//   CRASH_LOG     gets a line for each call: number, name, path
//   CRASH_SHADOW  folder for what was synced (shadow.h); none without it
//   CRASH_NAMED   set: the file system knows no files without a name (O_TMPFILE)
//   CRASH_AT      the number of the call that something happens to, from 1; 0 or nothing: none
//   CRASH_HOW     before   the process dies instead of the call
//                 after    it dies when the call is done
//                 torn     it dies when half of a write is done
//                 once     the call fails with CRASH_ERRNO and does nothing
//                 forever  so does every later one
//                 short    a write does half of its bytes and says so
//                 cut      a write does half of its bytes, and the next call fails with CRASH_ERRNO
//
// Thread: settings are read before main; next_fate() under the shim's lock. Failure: none.
#pragma once

#include <cerrno>
#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

namespace crash {

enum class How : std::uint8_t { kNothing, kBefore, kAfter, kTorn, kOnce, kForever, kShort, kCut };

struct Settings {
  pid_t process = 0;  // 0: the shim does nothing here
  std::vector<std::string> roots;
  std::vector<std::string> except;
  std::string log;
  std::string shadow;
  bool named = false;
  std::uint64_t at = 0;
  How how = How::kNothing;
  int error = EIO;
};

// Made before main and before any thread; null before that.
extern const Settings* settings;

// Whether this is the process that the calls are counted in.
bool acts_here();

// Whether the path lies where calls count.
bool counts(const std::string& path);

// The path of an open file; the path of a name below an open folder.
std::string path_of(int descriptor);
std::string path_of(int folder, const char* path);

[[noreturn]] void die();

// What is to happen to the call that is being counted.
struct Fate {
  bool fails = false;
  bool half = false;
  bool last = false;
};

// Counts the call and logs it. May not return.
Fate next_fate(const char* name, const std::string& path);

}  // namespace crash
