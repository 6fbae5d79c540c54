// SPDX-License-Identifier: Apache-2.0
//
// Any text as records: chunks of any size give the same rows, and quotes at most join lines.
#include "core/table/text_records.h"

#include <algorithm>
#include <vector>

#include "base/check.h"

namespace {

using windrow::RecordScanner;
using windrow::TextRules;

std::vector<std::size_t> row_ends(std::string_view text, const TextRules& rules, std::size_t size) {
  RecordScanner scanner(rules);
  std::vector<std::size_t> ends;
  for (std::size_t at = 0; at < text.size(); at += size) {
    const std::string_view chunk = text.substr(at, size);
    for (std::size_t used = 0; used < chunk.size();) {
      const std::size_t took = scanner.take(chunk.substr(used));
      CHECK(took > 0);
      used += took;
      if (scanner.ended_row()) ends.push_back(at + used);
    }
  }
  scanner.finish();
  if (scanner.ended_row()) ends.push_back(text.size());
  return ends;
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size < 2) return 0;
  TextRules rules;
  rules.header = (data[0] & 1U) != 0;
  rules.multi_line = (data[0] & 2U) != 0;
  rules.delimiter = (data[0] & 4U) != 0 ? '\t' : ',';
  if ((data[0] & 8U) != 0) rules.comment = "#";
  rules.skip_lines = (data[0] >> 4U) & 3U;
  const std::size_t chunk = 1 + data[1] % 16U;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::vector<std::size_t> ends = row_ends(text, rules, text.size() + 1);
  CHECK(ends == row_ends(text, rules, chunk));
  CHECK(std::ranges::is_sorted(ends));
  for (const std::size_t end : ends) CHECK(end == text.size() || text[end - 1] == '\n');
  if (rules.multi_line) {
    rules.multi_line = false;
    CHECK(row_ends(text, rules, text.size() + 1).size() >= ends.size());
  }
  return 0;
}
