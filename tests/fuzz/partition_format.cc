// SPDX-License-Identifier: Apache-2.0
//
// A partition format, and behind a line break the path that it is matched with.
#include "core/table/partition_format.h"

#include <algorithm>

#include "base/check.h"

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t split = std::min(bytes.find('\n'), size);
  const std::string path(bytes.substr(std::min(split + 1, size)));
  const auto pairs = windrow::match_hive(path);
  if (pairs) CHECK(pairs->size() <= path.size() / 2);
  const auto format = windrow::PartitionFormat::parse(bytes.substr(0, split));
  if (!format) return 0;
  CHECK(!format->keys().empty());
  const auto values = format->match(path);
  if (!values) return 0;
  CHECK(values->size() == format->keys().size());
  for (const std::string& value : *values) {
    CHECK(!value.empty() && value.size() <= path.size() + 19);
  }
  // Folders above change nothing.
  const auto below = format->match("folder" + std::string(path.starts_with('/') ? "" : "/") + path);
  CHECK(below && *below == *values);
  return 0;
}
