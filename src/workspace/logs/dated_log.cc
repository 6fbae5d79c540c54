// SPDX-License-Identifier: Apache-2.0
#include "workspace/logs/dated_log.h"

#include <algorithm>

#include "core/spec/job_paths.h"

namespace windrow {

LogFile& DatedLog::at(WallTime now) {
  std::string stamp;  // 2026-11-15T06:44:53.123456Z
  clock_.append_iso(now, stamp);
  stamp.resize(13);
  std::erase_if(stamp, [](char c) { return c < '0' || c > '9'; });
  const std::string day = stamp.substr(0, 8);
  if (file_ && day == day_) return *file_;
  const std::string stem = base_name(stem_) + ".";
  std::string name = stem + stamp + ".txt";
  const std::string before = alias_target(path());
  if (!file_ && before.starts_with(stem + day)) name = before;
  day_ = day;
  file_.emplace(parent_folder(stem_) + "/" + name);
  point_alias(path(), name);
  return *file_;
}

}  // namespace windrow
