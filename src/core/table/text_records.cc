// SPDX-License-Identifier: Apache-2.0
#include "core/table/text_records.h"

#include <algorithm>

namespace windrow {

std::size_t RecordScanner::take(std::string_view text) {
  ended_row_ = false;
  if (text.empty()) return 0;
  const std::size_t mark = take_mark(text);
  text.remove_prefix(mark);
  const std::size_t end = end_of_line(text);
  const bool whole = end != std::string_view::npos;
  look(text.substr(0, end));
  fresh_ = false;
  if (!whole) return mark + text.size();
  end_line();
  return mark + end + 1;
}

void RecordScanner::finish() {
  ended_row_ = false;
  if (!fresh_) end_line();
}

// How much of it belongs to the mark that text may begin with. As long as that is not whole, it is
// text like other text.
std::size_t RecordScanner::take_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  std::size_t size = 0;
  while (mark_ < kMark.size() && size < text.size()) {
    const bool part = text[size] == kMark[mark_];
    if (!part) {
      mark_ = kMark.size();
      break;
    }
    size += 1;
    mark_ += 1;
    const bool whole = mark_ == kMark.size();
    begin_ = whole ? "" : kMark.substr(0, std::min<std::size_t>(mark_, rules_.comment.size()));
    blank_ = whole;
    in_ = whole ? In::kFieldStart : In::kField;
  }
  return size;
}

// The line break that ends the record, as pandas sees it: quotes mean something at the beginning of
// a field only.
std::size_t RecordScanner::end_of_line(std::string_view text) {
  if (!rules_.multi_line || lines_ < rules_.skip_lines) return text.find('\n');
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    switch (in_) {
      case In::kQuotes:
        at = std::min(text.find('"', at), text.size());
        if (at < text.size()) in_ = In::kQuoteInQuotes;
        continue;
      case In::kQuoteInQuotes:
        if (c == '"') {
          in_ = In::kQuotes;
          continue;
        }
        break;
      case In::kFieldStart:
        if (c == '"') {
          in_ = In::kQuotes;
          continue;
        }
        break;
      case In::kField:
        break;
    }
    if (c == '\n') return at;
    in_ = c == rules_.delimiter ? In::kFieldStart : In::kField;
  }
  return std::string_view::npos;
}

// What decides whether the line is a record.
void RecordScanner::look(std::string_view line) {
  if (begin_.size() < rules_.comment.size()) {
    begin_.append(line.substr(0, rules_.comment.size() - begin_.size()));
  }
  if (!blank_) return;
  const auto blank = [this](char c) {
    return c != rules_.delimiter && (c == ' ' || c == '\t' || c == '\r');
  };
  blank_ = std::ranges::all_of(line, blank);
}

void RecordScanner::end_line() {
  const bool comment = !rules_.comment.empty() && begin_ == rules_.comment;
  const bool record = ++lines_ > rules_.skip_lines && !blank_ && !comment;
  ended_row_ = record && (headed_ || !rules_.header);
  headed_ = headed_ || record;
  fresh_ = blank_ = true;
  begin_.clear();
  in_ = In::kFieldStart;
}

}  // namespace windrow
