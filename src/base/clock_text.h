// SPDX-License-Identifier: Apache-2.0
//
// Wall time as text, always UTC. Fast: one conversion a second for any number of lines.
//
// Thread: one ClockText by one thread.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.h"

namespace windrow {

class ClockText {
 public:
  // 2026-11-15T06:44:53.123456Z
  void append_iso(WallTime time, std::string& out);
  // 2026-11-15 06:44:53,123
  void append_log(WallTime time, std::string& out);
  // 2026-11-15
  std::string date(WallTime time);

 private:
  void convert(WallTime time);

  std::int64_t second_ = -1;
  std::string text_;  // "2026-11-15T06:44:53" of second_
};

}  // namespace windrow
