// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the end of an Arrow file: the last ten are its tail, all are its footer and the
// message of a batch.
#include "core/table/arrow_footer.h"

#include "base/check.h"

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto length = windrow::arrow_footer_length(bytes, size);
  if (length) CHECK(*length > 0 && *length + 18 <= size);
  const auto blocks = windrow::parse_arrow_footer(bytes);
  if (blocks) {
    CHECK(blocks->size() <= size / 24);
    std::uint64_t end = 8;
    for (const windrow::ArrowBlock& block : *blocks) {
      CHECK(block.offset >= end && block.metadata > 0 && block.metadata <= std::uint64_t{1} << 30U);
      end = block.offset + block.metadata + block.body;
      CHECK(end <= INT64_MAX);
    }
  }
  const auto rows = windrow::arrow_batch_rows(bytes);
  if (rows) CHECK(*rows <= INT64_MAX);
  return 0;
}
