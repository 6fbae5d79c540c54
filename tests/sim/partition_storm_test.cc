// SPDX-License-Identifier: Apache-2.0
//
// Partition formats in a storm: drawn part by part and filled with drawn values, and matched by a
// matcher of its own that tries every place; wrong formats, and folders called key=value.
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "core/table/partition_format.h"
#include "damage.h"
#include "drawn_value.h"
#include "storm.h"

namespace windrow::sim {
namespace {

// What stands in a path, and what it means.
struct Coded {
  std::string raw;
  std::string means;
};
const std::vector<Coded> kValues = {{"North", "North"},
                                    {"a", "a"},
                                    {"7", "7"},
                                    {"x=y", "x=y"},
                                    {"a%20b", "a b"},
                                    {"%C3%a9", "\xc3\xa9"},
                                    {"x%2Fy", "x/y"},
                                    {"%41%", "A%"},
                                    {"%c3", "%c3"},
                                    {"%C3%28z", "%C3%28z"},
                                    {"100%", "100%"},
                                    {"%2", "%2"},
                                    {"%00", "%00"},
                                    {"%zz", "%zz"},
                                    {"%4G", "%4G"},
                                    {"%G4", "%G4"},
                                    {"\xc3\xa9", "\xc3\xa9"},
                                    {"%25", "%"},
                                    {"2020", "2020"},
                                    {"--", "--"}};

// The same of values that have run into each other.
std::string meaning_of(const std::string& raw) {
  std::string out;
  for (std::size_t at = 0; at < raw.size(); ++at) {
    const std::string code = raw[at] == '%' ? raw.substr(at + 1, 2) : "";
    const bool hex =
        code.size() == 2 && code.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
    const bool coded = hex && code != "00";
    out += coded ? static_cast<char>(std::stoi(code, nullptr, 16)) : raw[at];
    at += coded ? 2 : 0;
  }
  return find_invalid_utf8(out) == std::string::npos ? out : raw;
}

// A stretch of a format between two gaps, with '0' for a digit of a date, and the gap behind it.
struct Block {
  std::string text;
  std::string digits;  // as long: 'd' where any digit may stand
  int gap_min = -1;    // least length of the gap behind; -1: none, it is the last
};

// Tries every place, in the order that the format promises.
class Matcher {
 public:
  Matcher(const std::vector<Block>& blocks, const std::string& path)
      : blocks_(blocks), path_(path), starts_(blocks.size()) {}

  // Where each block begins: at the end of the path, else where its folders end, from the right.
  std::optional<std::vector<std::size_t>> find() {
    if (ends_at(path_.size())) return starts_;
    const std::size_t own = blocks_.back().text.ends_with('/') ? 1 : 0;
    for (std::size_t at = path_.size(); at-- > 0;) {
      if (path_[at] == '/' && ends_at(at + own)) return starts_;
    }
    return std::nullopt;
  }

 private:
  bool ends_at(std::size_t end) {
    const Block& last = blocks_.back();
    if (last.text.size() > end || !stands(last, end - last.text.size())) return false;
    starts_.back() = end - last.text.size();
    return blocks_.size() == 1 || place(blocks_.size() - 2, starts_.back());
  }

  [[nodiscard]] bool stands(const Block& block, std::size_t at) const {
    for (std::size_t i = 0; i < block.text.size(); ++i) {
      const char c = path_[at + i];
      if (block.digits[i] == 'd' ? c < '0' || c > '9' : c != block.text[i]) return false;
    }
    return true;
  }

  // The first block as far left as it can be, the others as far right.
  bool place(std::size_t i, std::size_t gap_end) {
    const Block& block = blocks_[i];
    std::vector<std::size_t> places;
    for (std::size_t at = 0;
         at + block.text.size() + static_cast<std::size_t>(block.gap_min) <= gap_end;
         ++at) {
      const std::size_t gap = at + block.text.size();
      const bool one_name = path_.substr(gap, gap_end - gap).find('/') == std::string::npos;
      if (one_name && stands(block, at)) places.insert(i == 0 ? places.end() : places.begin(), at);
    }
    for (const std::size_t at : places) {
      starts_[i] = at;
      if (i == 0 || place(i - 1, at)) return true;
    }
    return false;
  }

  const std::vector<Block>& blocks_;
  const std::string& path_;
  std::vector<std::size_t> starts_;
};

struct Date {
  std::size_t block;
  std::size_t at;  // in the block
  std::size_t parts;
  std::vector<std::size_t> numbers;
  std::size_t size;
};

class FormatStorm {
 public:
  explicit FormatStorm(std::uint64_t seed) : random_(seed) {}

  void run() {
    draw();
    SCOPED_TRACE(format_);
    const auto format = PartitionFormat::parse(format_);
    if (keys_.empty()) {
      ASSERT_FALSE(format);
      return;
    }
    ASSERT_TRUE(format) << format.error().message;
    EXPECT_EQ(format->keys(), keys_);
    std::string path = filled_;
    if (maybe(500)) path = draw_from(random_, {"/base/", "a/b", "2020", "/"}) + path;
    if (maybe(300)) path += draw_from(random_, {"/rest.csv", "/", "/a/7"});
    judge(*format, path, true);
    for (int i = 0; i < 3; ++i) judge(*format, draw_near(path), false);
    judge_damage(*format, damaged(random_, path));
  }

 private:
  bool maybe(std::uint32_t per_mille) { return random_.per_mille(per_mille); }

  void add_text(const std::string& text) {
    format_ += text;
    filled_ += text;
    blocks_.back().text += text;
    blocks_.back().digits.append(text.size(), ' ');
  }

  void add_gap(int least) {
    blocks_.back().gap_min = least;
    blocks_.emplace_back();
  }

  void draw() {
    if (maybe(700)) add_text("/");
    for (std::uint32_t i = random_.between(0, 5); i > 0; --i) {
      switch (random_.below(5)) {
        case 0:
          add_text(draw_from(random_, {"a", "x=", "-", "North", "7"}));
          break;
        case 1:
          add_text("/");
          break;
        case 2:
          format_ += "*";
          filled_ += draw_from(random_, {"", "a", "North7"});
          gaps_.emplace_back();
          add_gap(0);
          break;
        case 3:
          draw_date();
          break;
        default:
          keys_.push_back(fmt::format("k{}", keys_.size()));
          format_ += "{" + keys_.back() + "}";
          gaps_.emplace_back(keys_.size() - 1);
          filled_ += kValues[random_.below(kValues.size())].raw;
          add_gap(1);
          break;
      }
    }
    if (maybe(500)) add_text(draw_from(random_, {".csv", "/data.csv", "/", "a"}));
  }

  void draw_date() {
    static const std::vector<std::string> kUnits = {"yyyy", "MM", "dd", "HH", "mm", "ss"};
    static const std::vector<std::string> kNumbers[] = {{"2020", "2023", "9999", "0000"},
                                                        {"02", "01", "12", "04", "00", "13"},
                                                        {"01", "28", "29", "30", "31", "32", "00"},
                                                        {"00", "23", "24"},
                                                        {"00", "59", "60"},
                                                        {"00", "59", "60"}};
    static const std::vector<std::string> kFebruary[] = {
        {"2020", "2023", "1900", "2000", "2200"}, {"02"}, {"28", "29"}};
    Block& block = blocks_.back();
    Date date{.block = blocks_.size() - 1, .at = block.text.size(), .parts = random_.between(1, 6)};
    keys_.push_back(fmt::format("d{}", keys_.size()));
    const bool leap = maybe(300);
    format_ += "{" + keys_.back() + ":";
    for (std::size_t i = 0; i < date.parts; ++i) {
      const bool between = i > 0 && maybe(700);
      if (between) add_text(draw_from(random_, {"/", "-", "_", ".", "T", " "}));
      date.numbers.push_back(block.text.size());
      format_ += kUnits[i];
      // Most of them right; some at the end of a February.
      const std::string some = kNumbers[i][random_.below(maybe(850) ? 2 : kNumbers[i].size())];
      filled_ += leap && i < 3 ? draw_from(random_, kFebruary[i]) : some;
      block.text.append(kUnits[i].size(), '0');
      block.digits.append(kUnits[i].size(), 'd');
    }
    format_ += "}";
    date.size = block.text.size() - date.at;
    dates_.emplace_back(keys_.size() - 1, date);
  }

  // The day as the calendar of the standard library has it; nothing when there is none.
  static std::optional<std::string> day_of(const Date& date, const std::string& digits) {
    unsigned parts[] = {1, 1, 1, 0, 0, 0};
    for (std::size_t i = 0; i < date.parts; ++i) {
      const std::size_t at = date.numbers[i] - date.at;
      parts[i] = static_cast<unsigned>(std::stoul(digits.substr(at, i == 0 ? 4 : 2)));
    }
    const std::chrono::year_month_day day(std::chrono::year(static_cast<int>(parts[0])),
                                          std::chrono::month(parts[1]),
                                          std::chrono::day(parts[2]));
    if (!day.ok() || parts[0] == 0 || parts[3] > 23 || parts[4] > 59 || parts[5] > 59) {
      return std::nullopt;
    }
    const std::string text = fmt::format("{:04}-{:02}-{:02}", parts[0], parts[1], parts[2]);
    if (date.parts <= 3) return text;
    return text + fmt::format("T{:02}:{:02}:{:02}", parts[3], parts[4], parts[5]);
  }

  void judge(const PartitionFormat& format, const std::string& said, bool filled) {
    SCOPED_TRACE(said);
    const std::string path = said.starts_with('/') ? said : "/" + said;
    const auto starts = Matcher(blocks_, path).find();
    EXPECT_TRUE(starts || !filled) << "it was made to match";
    const auto values = format.match(said);
    bool right = starts.has_value();
    std::vector<std::string> expected(keys_.size());
    for (std::size_t i = 0; right && i < gaps_.size(); ++i) {
      if (!gaps_[i]) continue;
      const std::size_t begin = (*starts)[i] + blocks_[i].text.size();
      expected[*gaps_[i]] = meaning_of(path.substr(begin, (*starts)[i + 1] - begin));
    }
    for (const auto& [key, date] : dates_) {
      if (!right) break;
      const auto day = day_of(date, path.substr((*starts)[date.block] + date.at, date.size));
      right = day.has_value();
      expected[key] = day.value_or("");
    }
    ASSERT_EQ(values.has_value(), right) << (values ? "" : values.error().message);
    if (!values) {
      EXPECT_NE(values.error().message.find("does not match"), std::string::npos);
      return;
    }
    EXPECT_EQ(*values, expected);
  }

  // A path with a character more, less or moved.
  std::string draw_near(std::string path) {
    const std::size_t at = random_.below(path.size() + 1);
    if (maybe(500)) path.insert(at, draw_from(random_, {"a", "/", "7", "North", "-"}));
    if (maybe(500) && at < path.size()) path.erase(at, 1);
    return path;
  }

  static void judge_damage(const PartitionFormat& format, const std::string& path) {
    const auto values = format.match(path);
    if (!values) {
      EXPECT_FALSE(values.error().message.empty());
      return;
    }
    ASSERT_EQ(values->size(), format.keys().size());
    for (const std::string& value : *values) {
      EXPECT_FALSE(value.empty());
      EXPECT_LE(value.size(), path.size() + 19);
    }
    const auto below = format.match((path.starts_with('/') ? "folder" : "folder/") + path);
    EXPECT_TRUE(below && *below == *values) << path;
  }

  Random random_;
  std::string format_;
  std::string filled_;
  std::vector<std::string> keys_;
  std::vector<Block> blocks_ = std::vector<Block>(1);
  std::vector<std::optional<std::size_t>> gaps_;  // the key of each
  std::vector<std::pair<std::size_t, Date>> dates_;
};

// A format with something in it that cannot be, and what is said of that.
class RefusalStorm {
 public:
  explicit RefusalStorm(std::uint64_t seed) : random_(seed) {}

  void run() {
    static const std::vector<std::pair<std::string, std::string>> kFaults = {
        {"a}", "has no '{' before it"},
        {"{a", "has no '}' after it"},
        {"{a{b}", "has no '}' after it"},
        {"{}", "has no name"},
        {"{:yyyy}", "has no name"},
        {"{k0}{k0}", "the key 'k0' is there twice"},
        {"{k1}{k1:yyyy}", "the key 'k1' is there twice"},
        {"{d:}", "is not a date"},
        {"{d:MM}", "is not a date"},
        {"{d:yyyyx}", "is not a date"},
        {"{d:yyyy//MM}", "is not a date"},
        {"{d:/yyyy}", "is not a date"},
        {"{d:yyyy/MM/dd/HH/mm/ss/}", "is not a date"},
        {std::string(1, '\0'), "NUL"},
        {std::string(4100, 'x'), "characters, allowed are 4096"}};
    const auto& [fault, message] = kFaults[random_.below(kFaults.size())];
    const std::string before = draw_from(random_, {"/", "{x}/", "*", "/{Day:yyyy-MM}"});
    const std::string text = before + fault + (fault == "{a" ? "" : "/{y}");
    const auto format = PartitionFormat::parse(text);
    ASSERT_FALSE(format) << text;
    EXPECT_NE(format.error().message.find(message), std::string::npos) << format.error().message;
    const std::size_t at = format.error().message.find("at character ");
    if (at == std::string::npos) return;
    const std::size_t place = std::stoul(format.error().message.substr(at + 13));
    EXPECT_TRUE(place > before.size() && place <= before.size() + fault.size()) << place;
  }

 private:
  Random random_;
};

class HiveStorm {
 public:
  explicit HiveStorm(std::uint64_t seed) : random_(seed) {}

  void run() {
    std::string path = draw_from(random_, {"", "/", "base/"});
    std::vector<std::pair<std::string, std::string>> expected;
    bool twice = false;
    for (std::uint32_t i = random_.between(0, 5); i > 0; --i) {
      if (random_.per_mille(300)) {
        path += draw_from(random_, {"plain", "", "=x", "."}) + "/";
        continue;
      }
      const std::string key = draw_from(random_, {"a", "b", "c", "d e", "f%20g"});
      const Coded& value = kValues[random_.below(kValues.size())];
      path += key + "=" + (random_.per_mille(100) ? "" : value.raw) + "/";
      const std::string means = path.ends_with("=/") ? "" : value.means;
      const std::string name = key == "f%20g" ? "f g" : key;
      for (const auto& one : expected) twice = twice || one.first == name;
      expected.emplace_back(name, means);
    }
    path += draw_from(random_, {"file.csv", "file=1", ""});
    const auto pairs = match_hive(path);
    ASSERT_EQ(pairs.has_value(), !twice) << path;
    if (twice) {
      EXPECT_NE(pairs.error().message.find("two folders for the key"), std::string::npos);
      return;
    }
    EXPECT_EQ(*pairs, expected) << path;
  }

 private:
  Random random_;
};

TEST(PartitionStorm, APathGivesTheValuesThatItWasFilledWith) { play_storms<FormatStorm>(2000); }

TEST(PartitionStorm, AFormatThatCannotBeIsRefusedAtItsPlace) { play_storms<RefusalStorm>(); }

TEST(PartitionStorm, FoldersCalledKeyAndValueGiveBoth) { play_storms<HiveStorm>(); }

}  // namespace
}  // namespace windrow::sim
