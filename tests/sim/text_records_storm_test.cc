// SPDX-License-Identifier: Apache-2.0
//
// Delimited text in a storm: drawn line by line under any rules, with where its rows end, and taken
// in chunks of any size; then any text at all.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/table/text_records.h"
#include "damage.h"
#include "drawn_value.h"
#include "storm.h"

namespace windrow::sim {
namespace {

using Ends = std::vector<std::size_t>;

class TextRecordsStorm {
 public:
  explicit TextRecordsStorm(std::uint64_t seed) : random_(seed) {}

  void run() {
    draw_rules();
    draw_text();
    SCOPED_TRACE(text_);
    EXPECT_EQ(row_ends(text_, rules_), ends_);
    judge_damage(damaged(random_, text_));
  }

 private:
  bool maybe(std::uint32_t per_mille) { return random_.per_mille(per_mille); }

  void draw_rules() {
    rules_.header = maybe(500);
    rules_.multi_line = maybe(500);
    rules_.delimiter = draw_from(random_, {",", "\t", ";", " "})[0];
    rules_.comment = draw_from(random_, {"", "#", "//"});
    if (maybe(300)) rules_.skip_lines = random_.between(1, 3);
  }

  // Lines that are skipped, then records and lines that are none, in any order.
  void draw_text() {
    if (maybe(200)) text_ = "\xef\xbb\xbf";
    for (std::uint32_t i = 0; i < rules_.skip_lines; ++i) {
      text_ += draw_from(random_, {"", "a,b", "\"open", "#", " "}) + draw_break();
    }
    bool headed = !rules_.header;
    for (std::uint32_t i = random_.between(0, 8); i > 0; --i) {
      if (maybe(300)) {
        text_ += draw_no_record() + draw_break();
        continue;
      }
      text_ += draw_record() + draw_break();
      if (headed) ends_.push_back(text_.size());
      headed = true;
    }
    if (maybe(200)) text_ += draw_no_record();  // without a break
    if (maybe(300)) draw_last(headed);
  }

  // A record that the text ends within.
  void draw_last(bool headed) {
    if (!text_.empty() && text_.back() != '\n') return;
    text_ += draw_record();
    if (rules_.multi_line && maybe(300)) text_ += rules_.delimiter + std::string("\"never\nclosed");
    if (headed) ends_.push_back(text_.size());
  }

  std::string draw_break() { return draw_from(random_, {"\n", "\n", "\r\n"}); }

  std::string draw_no_record() {
    std::string blank;
    for (std::uint32_t i = random_.between(0, 3); i > 0; --i) {
      const char c = draw_from(random_, {" ", "\t"})[0];
      if (c != rules_.delimiter) blank += c;
    }
    if (rules_.comment.empty() || maybe(500)) return blank;
    return rules_.comment + draw_from(random_, {"", "#", "/", " a \"b\" ", "\xef\xbb\xbf"});
  }

  std::string draw_record() {
    if (maybe(100)) return std::string(random_.between(1, 3), rules_.delimiter);
    std::string record = draw_field(true);
    for (std::uint32_t i = random_.between(0, 3); i > 0; --i) {
      record += rules_.delimiter + draw_field(false);
    }
    return record;
  }

  // The first one has no blank and no comment in front.
  std::string draw_field(bool first) {
    if (maybe(300)) return draw_quoted();
    if (first) return draw_from(random_, {"x", "/y", "3", "\xc3\xa9", "say\"it\"", "x#"});
    return draw_from(random_, {"", "x", "\r", "#", "a\"b", "''", "\xef\xbb\xbf", "\xff"});
  }

  // Whatever stands in quotes belongs to the record, but line breaks only where they may.
  std::string draw_quoted() {
    std::string out = "\"";
    for (std::uint32_t i = random_.between(0, 4); i > 0; --i) {
      out += draw_from(random_, {"a", "\"\"", ",", "\t", "#", " ", rules_.multi_line ? "\n" : "b"});
    }
    return out + "\"" + draw_from(random_, {"", "", "tail"});
  }

  // Where rows end, with the text in chunks that are drawn.
  Ends row_ends(std::string_view text, const TextRules& rules) {
    RecordScanner scanner(rules);
    Ends ends;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = random_.between(1, maybe(500) ? 3 : 100);
      std::string_view chunk = text.substr(at, size);
      while (!chunk.empty()) {
        const std::size_t took = scanner.take(chunk);
        EXPECT_TRUE(took > 0 && took <= chunk.size());
        at += took;
        chunk.remove_prefix(took);
        const bool line_end = text[at - 1] == '\n';
        EXPECT_TRUE(line_end || !scanner.ended_row());
        EXPECT_TRUE(line_end || !scanner.between_records());
        EXPECT_TRUE(scanner.between_records() || !scanner.ended_row());
        if (scanner.ended_row()) ends.push_back(at);
      }
      EXPECT_EQ(scanner.take(""), 0U);
    }
    scanner.finish();
    if (scanner.ended_row()) ends.push_back(text.size());
    return ends;
  }

  // Chunks of any size give the same rows, and quotes at most join lines.
  void judge_damage(const std::string& text) {
    SCOPED_TRACE(text);
    const Ends ends = row_ends(text, rules_);
    EXPECT_EQ(ends, row_ends(text, rules_));
    EXPECT_TRUE(std::ranges::is_sorted(ends));
    TextRules lines = rules_;
    lines.multi_line = false;
    EXPECT_GE(row_ends(text, lines).size(), ends.size());
  }

  Random random_;
  TextRules rules_;
  std::string text_;
  Ends ends_;
};

TEST(TextRecordsStorm, RowsEndWhereTheyWereDrawnToEnd) { play_storms<TextRecordsStorm>(2000); }

}  // namespace
}  // namespace windrow::sim
