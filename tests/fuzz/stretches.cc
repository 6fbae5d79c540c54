// SPDX-License-Identifier: Apache-2.0
//
// Any text, cut by size or by rows: stretches lie side by side, end where records do, and have all
// rows among them.
#include <string_view>
#include <vector>

#include "base/check.h"
#include "data/tables/stretch_lister.h"
#include "os/fake_file_system.h"

namespace {

using windrow::RecordScanner;
using windrow::Stretch;
using windrow::StretchLister;
using windrow::TableRules;
using windrow::TextRules;

std::uint64_t rows_of(std::string_view text, const TextRules& rules) {
  RecordScanner scanner(rules);
  std::uint64_t rows = 0;
  while (!text.empty()) {
    text.remove_prefix(scanner.take(text));
    if (scanner.ended_row()) ++rows;
  }
  scanner.finish();
  return rows + (scanner.ended_row() ? 1 : 0);
}

// A few at a time, as a planner asks for them.
std::vector<Stretch> stretches(StretchLister lister, std::size_t at_a_time) {
  std::vector<std::string> names;
  while (*lister.next(at_a_time, names)) CHECK(!names.empty());
  std::vector<Stretch> out;
  for (const std::string& name : names) out.push_back(windrow::parse_stretch_name(name)->stretch);
  return out;
}

void check(std::string_view text, const TableRules& rules, const std::vector<Stretch>& found) {
  std::uint64_t at = 0;
  std::uint64_t rows = 0;
  for (const Stretch& one : found) {
    CHECK(one.offset == at && one.length > 0);
    CHECK(one.row == rows);
    CHECK(!rules.rows || one.rows <= *rules.rows);
    at += one.length;
    rows += one.rows;
    CHECK(at == text.size() || text[at - 1] == '\n');
  }
  const bool counted = rules.rows || rules.count_rows || rules.text.multi_line;
  CHECK(counted ? rows == rows_of(text, rules.text) : at == text.size());
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size < 3) return 0;
  TableRules rules;
  rules.text.header = (data[0] & 1U) != 0;
  rules.text.multi_line = (data[0] & 2U) != 0;
  rules.count_rows = (data[0] & 4U) != 0;
  if ((data[0] & 8U) != 0) rules.rows = 1 + data[1] % 5U;
  rules.bytes = 1 + data[2];
  const std::string_view text(reinterpret_cast<const char*>(data) + 3, size - 3);
  windrow::FakeFileSystem fs;
  fs.put("/in/a.csv", std::string(text));
  auto lister = StretchLister::open(fs, "/in/a.csv", "a.csv", rules, 0);
  if (!lister) return 0;  // compressed, and to be cut by rows
  const std::vector<Stretch> found = stretches(*std::move(lister), 1 + (data[0] >> 4U));
  if (found.size() == 1 && found[0].length == 0) return 0;  // compressed
  check(text, rules, found);
  return 0;
}
