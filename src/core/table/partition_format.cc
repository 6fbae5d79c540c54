// SPDX-License-Identifier: Apache-2.0
#include "core/table/partition_format.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"

namespace windrow {
namespace {

constexpr std::size_t kFormatMax = 4096;  // as long as a path may be
constexpr char kDigit = '\0';             // no path holds it
constexpr std::size_t kNoKey = std::string_view::npos;
constexpr std::string_view kBetween = "/-_.T ";
constexpr auto kUnits = std::to_array<std::string_view>({"yyyy", "MM", "dd", "HH", "mm", "ss"});
constexpr std::string_view kDatesAllowed =
    "allowed is yyyy, then MM, dd, HH, mm and ss as far as wanted, with '/', '-', '_', '.', 'T', a "
    "space or nothing between them";

std::optional<unsigned> hex_value(char digit) {
  if (is_digit(digit)) return static_cast<unsigned>(digit - '0');
  const char c = static_cast<char>(digit | 0x20);
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  return std::nullopt;
}

// %20 and the like as the bytes they stand for. Anything else, or a NUL, stays; so does all
// of it where the bytes are not text.
std::string percent_decoded(std::string_view text) {
  if (text.find('%') == std::string_view::npos) return std::string(text);
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool coded = text[at] == '%' && text.size() - at > 2;
    const auto high = coded ? hex_value(text[at + 1]) : std::nullopt;
    const auto low = coded ? hex_value(text[at + 2]) : std::nullopt;
    const unsigned byte = high && low ? *high * 16 + *low : 0;
    if (byte == 0) {
      out += text[at];
      continue;
    }
    out += static_cast<char>(byte);
    at += 2;
  }
  return find_invalid_utf8(out) == std::string_view::npos ? out : std::string(text);
}

unsigned number_at(std::string_view digits, std::size_t at, std::size_t size) {
  unsigned number = 0;
  for (const char c : digits.substr(at, size))
    number = number * 10 + static_cast<unsigned>(c - '0');
  return number;
}

unsigned days_of(unsigned year, unsigned month) {
  constexpr std::array<unsigned, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return kDays[month - 1] + (leap && month == 2 ? 1 : 0);
}

}  // namespace

class PartitionFormatReader {
 public:
  explicit PartitionFormatReader(std::string_view format) : format_(format) {}

  Result<PartitionFormat> read() {
    if (format_.size() > kFormatMax) {
      return refuse("it has {} characters, allowed are {}", format_.size(), kFormatMax);
    }
    if (format_.find('\0') != std::string_view::npos) return refuse("it contains a NUL character");
    out_.format_ = format_;
    out_.blocks_.emplace_back();
    while (at_ < format_.size()) {
      const char c = format_[at_++];
      if (c == '}') return refuse("the '}}' at character {} has no '{{' before it", at_);
      if (c == '{') {
        RETURN_IF_ERROR(read_key());
      } else if (c == '*') {
        add_gap(kNoKey);
      } else {
        out_.blocks_.back() += c;
      }
    }
    if (out_.keys_.empty()) {
      return refuse("it has no key; one is needed, as in /{{Region}}/{{Day:yyyy/MM/dd}}/data.csv");
    }
    return std::move(out_);
  }

 private:
  template <class... Args>
  std::unexpected<Error> refuse(fmt::format_string<Args...> why, Args&&... args) const {
    return fail(ErrorCode::kInvalid,
                "{} is not a partition format: {}",
                in_quotes(format_),
                fmt::format(why, std::forward<Args>(args)...));
  }

  void add_gap(std::size_t key) {
    out_.gaps_.push_back(key);
    out_.blocks_.emplace_back();
  }

  // REQUIRES: right behind the '{'.
  Status read_key() {
    const std::size_t open = at_;  // as people count
    const std::size_t end = format_.find_first_of("{}", at_);
    if (end == std::string_view::npos || format_[end] == '{') {
      return refuse("the '{{' at character {} has no '}}' after it", open);
    }
    const std::string_view inside = format_.substr(at_, end - at_);
    at_ = end + 1;
    const std::size_t colon = inside.find(':');
    const std::string_view name = inside.substr(0, colon);
    if (name.empty()) return refuse("the key at character {} has no name", open);
    if (std::ranges::find(out_.keys_, name) != out_.keys_.end()) {
      return refuse("the key {} is there twice", in_quotes(name));
    }
    out_.keys_.emplace_back(name);
    if (colon != std::string_view::npos) return read_date(inside.substr(colon + 1), open);
    add_gap(out_.keys_.size() - 1);
    return {};
  }

  Status read_date(std::string_view date, std::size_t open) {
    std::string& block = out_.blocks_.back();
    PartitionFormat::Date found{
        .key = out_.keys_.size() - 1, .block = out_.blocks_.size() - 1, .begin = block.size()};
    std::string_view rest = date;
    for (const std::string_view unit : kUnits) {
      const bool between = !rest.empty() && !found.numbers.empty() &&
                           kBetween.find(rest.front()) != std::string_view::npos;
      if (!rest.substr(between ? 1 : 0).starts_with(unit)) break;
      if (between) block += rest.front();
      found.numbers.push_back(block.size());
      block.append(unit.size(), kDigit);
      rest.remove_prefix(unit.size() + (between ? 1 : 0));
    }
    if (found.numbers.empty() || !rest.empty()) {
      return refuse(
          "{} of the key at character {} is not a date; {}", in_quotes(date), open, kDatesAllowed);
    }
    found.size = block.size() - found.begin;
    out_.dates_.push_back(std::move(found));
    return {};
  }

  std::string_view format_;
  std::size_t at_ = 0;
  PartitionFormat out_;
};

Result<PartitionFormat> PartitionFormat::parse(std::string_view format) {
  return PartitionFormatReader(format).read();
}

bool PartitionFormat::block_stands_at(const Block& block, std::string_view path, std::size_t at) {
  if (at > path.size() || path.size() - at < block.size()) return false;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const char c = path[at + i];
    if (block[i] == kDigit ? !is_digit(c) : c != block[i]) return false;
  }
  return true;
}

// The blocks between the first and the last, from the right, each as far right as it can stand:
// then every key has as many characters as the rest leaves, the first ones first. No other place
// has to be tried: a key holds no slash, so that a block that stands further left can only have a
// longer gap behind it.
bool PartitionFormat::find_inner(std::string_view path, std::vector<std::size_t>& starts) const {
  for (std::size_t i = blocks_.size() - 2; i > 0; --i) {
    const Block& block = blocks_[i];
    const std::size_t least = gaps_[i] == kNoKey ? 0 : 1;
    const std::size_t gap_end = starts[i + 1];
    if (gap_end < least + block.size()) return false;
    std::size_t gap = gap_end - least;  // where it begins
    if (least == 1 && path[gap] == '/') return false;
    while (!block_stands_at(block, path, gap - block.size())) {
      if (gap == block.size() || path[gap - 1] == '/') return false;
      gap -= 1;
    }
    starts[i] = gap - block.size();
  }
  return true;
}

// The first block, as far left as the first gap can reach within its name.
bool PartitionFormat::find_first(std::string_view path, std::vector<std::size_t>& starts) const {
  const Block& block = blocks_.front();
  const std::size_t gap_end = starts[1];
  const std::size_t least = gaps_.front() == kNoKey ? 0 : 1;
  const std::size_t slash = gap_end == 0 ? kNoKey : path.rfind('/', gap_end - 1);
  std::size_t gap = std::max(slash == kNoKey ? 0 : slash + 1, block.size());
  for (; gap + least <= gap_end; ++gap) {
    if (!block_stands_at(block, path, gap - block.size())) continue;
    starts[0] = gap - block.size();
    return true;
  }
  return false;
}

// Where each block stands when the last one ends at `end`.
bool PartitionFormat::find_blocks(std::string_view path,
                                  std::size_t end,
                                  std::vector<std::size_t>& starts) const {
  if (blocks_.back().size() > end) return false;
  starts.back() = end - blocks_.back().size();
  if (!block_stands_at(blocks_.back(), path, starts.back())) return false;
  return gaps_.empty() || (find_inner(path, starts) && find_first(path, starts));
}

// At the end of the path, else where its folders end, from the right.
bool PartitionFormat::find_any(std::string_view path, std::vector<std::size_t>& starts) const {
  if (find_blocks(path, path.size(), starts)) return true;
  const std::size_t own_slash = blocks_.back().ends_with('/') ? 1 : 0;
  std::size_t slash = path.rfind('/');
  while (slash != std::string_view::npos) {
    if (find_blocks(path, slash + own_slash, starts)) return true;
    slash = slash == 0 ? std::string_view::npos : path.rfind('/', slash - 1);
  }
  return false;
}

// Empty when there is no such day or time.
std::string PartitionFormat::date_text(const Date& date, std::string_view digits) {
  std::array<unsigned, kUnits.size()> parts = {1, 1, 1, 0, 0, 0};
  for (std::size_t i = 0; i < date.numbers.size(); ++i) {
    parts[i] = number_at(digits, date.numbers[i] - date.begin, kUnits[i].size());
  }
  const auto [year, month, day, hour, minute, second] = parts;
  const bool is_day =
      year > 0 && month >= 1 && month <= 12 && day >= 1 && day <= days_of(year, month);
  if (!is_day || hour > 23 || minute > 59 || second > 59) return "";
  std::string text = fmt::format("{:04}-{:02}-{:02}", year, month, day);
  if (date.numbers.size() <= 3) return text;
  return fmt::format("{}T{:02}:{:02}:{:02}", text, hour, minute, second);
}

Result<std::vector<std::string>> PartitionFormat::match(std::string_view path) const {
  const auto refuse = [&](std::string_view why) {
    return fail(ErrorCode::kInvalid,
                "{} does not match the partition format {}{}",
                path_in_quotes(path),
                in_quotes(format_),
                why);
  };
  // A format may begin with the slash that stands before every name.
  const std::string whole = path.starts_with('/') ? std::string(path) : '/' + std::string(path);
  std::vector<std::size_t> starts(blocks_.size());
  if (!find_any(whole, starts)) return refuse("");
  std::vector<std::string> values(keys_.size());
  for (std::size_t i = 0; i < gaps_.size(); ++i) {
    if (gaps_[i] == kNoKey) continue;
    const std::size_t begin = starts[i] + blocks_[i].size();
    values[gaps_[i]] =
        percent_decoded(std::string_view(whole).substr(begin, starts[i + 1] - begin));
  }
  for (const Date& date : dates_) {
    const std::string_view digits =
        std::string_view(whole).substr(starts[date.block] + date.begin, date.size);
    values[date.key] = date_text(date, digits);
    if (values[date.key].empty())
      return refuse(fmt::format(": {} is not a date", in_quotes(digits)));
  }
  return values;
}

Result<std::vector<std::pair<std::string, std::string>>> match_hive(std::string_view path) {
  std::vector<std::pair<std::string, std::string>> values;
  std::string_view rest = path;
  for (std::size_t slash = rest.find('/'); slash != std::string_view::npos;
       slash = rest.find('/')) {
    const std::string_view folder = rest.substr(0, slash);
    rest.remove_prefix(slash + 1);
    const std::size_t equals = folder.find('=');
    if (equals == 0 || equals == std::string_view::npos) continue;
    std::string key = percent_decoded(folder.substr(0, equals));
    if (std::ranges::find(values, key, [](const auto& pair) { return pair.first; }) !=
        values.end()) {
      return fail(ErrorCode::kInvalid,
                  "{} has two folders for the key {}",
                  path_in_quotes(path),
                  in_quotes(key));
    }
    values.emplace_back(std::move(key), percent_decoded(folder.substr(equals + 1)));
  }
  return values;
}

}  // namespace windrow
