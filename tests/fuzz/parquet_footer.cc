// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the end of a Parquet file: the last eight are its tail, all are its footer.
#include "core/table/parquet_footer.h"

#include "base/check.h"

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto length = windrow::parquet_footer_length(bytes, size);
  if (length) CHECK(*length > 0 && *length + 12 <= size);
  const auto groups = windrow::parse_parquet_footer(bytes);
  if (!groups) {
    CHECK(!groups.error().message.empty());
    return 0;
  }
  // A group takes more than its two numbers, so that nobody pays more memory than they sent.
  CHECK(groups->size() <= size);
  std::uint64_t rows = 0;
  std::uint64_t disk = 0;
  for (const windrow::RowGroup& group : *groups) {
    rows += group.rows;
    disk += group.bytes;
  }
  CHECK(rows <= INT64_MAX && disk <= INT64_MAX);
  return 0;
}
