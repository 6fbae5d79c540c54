// SPDX-License-Identifier: Apache-2.0
//
// Where the records of delimited text and JSON lines end, in text that comes in chunks of any size.
//
// A record is a line, unless quoted fields may hold line breaks. Blank lines, comments and the
// lines that are skipped at the beginning are not records; neither is the header a row. A byte
// order mark belongs to no line.
//
// Thread: one at a time. Failure: none; text that ends within quotes ends its record.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace windrow {

struct TextRules {
  bool header = true;  // the first record names the columns
  bool multi_line = false;
  char delimiter = ',';
  std::string comment;
  std::uint32_t skip_lines = 0;
  friend bool operator==(const TextRules&, const TextRules&) = default;
};

class RecordScanner {
 public:
  explicit RecordScanner(TextRules rules) : rules_(std::move(rules)) {}

  // Takes text up to the end of the next line, or all of it; gives how much it took.
  std::size_t take(std::string_view text);

  // The text is over; its last line may lack a line break.
  void finish();

  // Whether take() or finish() has just ended a row.
  [[nodiscard]] bool ended_row() const { return ended_row_; }
  // And whether it stands where a record may begin.
  [[nodiscard]] bool between_records() const { return fresh_; }

 private:
  std::size_t end_of_line(std::string_view text);
  std::size_t take_mark(std::string_view text);
  void look(std::string_view line);
  void end_line();

  enum class In : std::uint8_t { kFieldStart, kField, kQuotes, kQuoteInQuotes };

  TextRules rules_;
  std::uint64_t lines_ = 0;
  bool headed_ = false;  // the header has gone by
  bool fresh_ = true;    // nothing of the line was seen
  bool blank_ = true;    // of the line so far
  std::string begin_;    // the first bytes of the line, as many as a comment's mark has
  In in_ = In::kFieldStart;
  std::uint8_t mark_ = 0;  // how much of the byte order mark has gone by
  bool ended_row_ = false;
};

}  // namespace windrow
