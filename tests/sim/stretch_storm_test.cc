// SPDX-License-Identifier: Apache-2.0
//
// Names of stretches and rows in a storm: they are read as they were made, and any other text as a
// regular expression reads it.
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <regex.h>

#include "core/plan/item_file.h"
#include "core/plan/row_name.h"
#include "core/plan/stretch_name.h"
#include "damage.h"
#include "drawn_value.h"
#include "storm.h"

namespace windrow::sim {
namespace {

// The parts of the text that match the parentheses; nothing when the whole does not.
std::optional<std::vector<std::string>> parts_of(const std::string& text, const char* pattern) {
  constexpr std::size_t kParts = 9;
  if (text.find('\0') != std::string::npos) return std::nullopt;
  regex_t compiled;
  regmatch_t matches[kParts];
  EXPECT_EQ(regcomp(&compiled, pattern, REG_EXTENDED), 0) << pattern;
  const bool found = regexec(&compiled, text.c_str(), kParts, matches, 0) == 0;
  regfree(&compiled);
  if (!found) return std::nullopt;
  std::vector<std::string> parts;
  for (const regmatch_t& match : matches) {
    const auto size = static_cast<std::size_t>(match.rm_eo - match.rm_so);
    const bool there = match.rm_so >= 0;
    parts.push_back(there ? text.substr(static_cast<std::size_t>(match.rm_so), size) : "");
  }
  return parts;
}

// Nothing when it does not fit.
template <class Number>
std::optional<Number> number_of(const std::string& digits) {
  const std::size_t first = digits.find_first_not_of('0');
  if (first == std::string::npos) return Number{0};
  const std::string most = std::to_string(std::numeric_limits<Number>::max());
  const std::string rest = digits.substr(first);
  if (rest.size() > most.size() || (rest.size() == most.size() && rest > most)) return std::nullopt;
  return static_cast<Number>(std::stoull(rest));
}

class StretchStorm {
 public:
  explicit StretchStorm(std::uint64_t seed) : random_(seed) {}

  void run() {
    judge_stretch();
    judge_window();
    judge_row();
    judge_any_stretch(damaged_name());
    judge_any_row(damaged_name());
  }

 private:
  // A file may have any name, even one that looks like another's stretch.
  std::string draw_file() {
    return draw_from(random_,
                     {"a.csv",
                      "folder/b c.parquet",
                      "x@1+2#3*4",
                      "x:1@2+3#4",
                      "x@1+2#3*4/5+6",
                      "/",
                      "@",
                      "\xff\n",
                      "1+1/2"});
  }

  template <class Number>
  Number draw_number() {
    const auto most = std::numeric_limits<Number>::max();
    return random_.per_mille(100) ? most : static_cast<Number>(random_.next() >> random_.below(64));
  }

  Stretch draw_stretch() {
    return {draw_number<std::uint64_t>(),
            draw_number<std::uint64_t>(),
            draw_number<std::uint64_t>(),
            draw_number<std::uint32_t>()};
  }

  ItemRange draw_window() {
    return {static_cast<std::uint32_t>(random_.below(1U << 30U)), random_.between(1, 1U << 20U)};
  }

  void judge_stretch() {
    const std::string file = draw_file();
    const Stretch stretch = draw_stretch();
    const std::string name = stretch_name(file, stretch);
    const auto read = parse_stretch_name(name);
    ASSERT_TRUE(read) << name;
    EXPECT_EQ(read->file, file) << name;
    EXPECT_EQ(read->stretch, stretch) << name;
    EXPECT_EQ(read->window.count, 0U) << name;
    EXPECT_EQ(file_of_stretch(name), file);
    EXPECT_EQ(file_of_item(name, InputAs::kTable), file);
    EXPECT_EQ(file_of_item(name, InputAs::kFiles), name);
  }

  // A window of a window is one of the stretch.
  void judge_window() {
    const std::string file = draw_file();
    const Stretch stretch = draw_stretch();
    const ItemRange outer = draw_window();
    const ItemRange inner = draw_window();
    std::string name = window_name(stretch_name(file, stretch), outer);
    ItemRange expected = outer;
    if (random_.per_mille(500)) {
      name = window_name(name, inner);
      expected = {outer.first + inner.first, inner.count};
    }
    const auto read = parse_stretch_name(name);
    ASSERT_TRUE(read) << name;
    EXPECT_EQ(read->file, file) << name;
    EXPECT_EQ(read->stretch, stretch) << name;
    EXPECT_EQ(read->window.first, expected.first) << name;
    EXPECT_EQ(read->window.count, expected.count) << name;
    EXPECT_EQ(file_of_item(name, InputAs::kTable), file);
  }

  void judge_row() {
    const std::string file = draw_file();
    const RowPlace place{draw_number<std::uint64_t>(),
                         draw_number<std::uint64_t>(),
                         draw_number<std::uint64_t>(),
                         draw_number<std::uint64_t>()};
    const std::string name = row_name(file, place);
    const auto read = parse_row_name(name);
    ASSERT_TRUE(read) << name;
    EXPECT_EQ(read->file, file) << name;
    EXPECT_EQ(row_name(read->file, read->place), name);
    EXPECT_EQ(file_of_item(name, InputAs::kJsonLines), file);
    EXPECT_EQ(file_of_item(name, InputAs::kFiles), name);
  }

  // A name that something has happened to, or one of numbers that cannot be.
  std::string damaged_name() {
    std::string name = random_.per_mille(500)
                           ? stretch_name(draw_file(), draw_stretch())
                           : row_name(draw_file(), {random_.below(9), 1, random_.next(), 3});
    if (random_.per_mille(500)) name = window_name(name, draw_window());
    if (random_.per_mille(100)) return name + draw_from(random_, {"/0+0", "/7+0", "/+1", "/1+"});
    if (random_.per_mille(400)) {
      const std::size_t digit = name.find_last_of("0123456789");
      return name.insert(digit, draw_from(random_, {"0", "99999999999999999999", "5000000000"}));
    }
    if (random_.per_mille(400)) {
      const std::size_t mark = name.find_last_of("@+#*/:");
      return name.replace(mark, 1, draw_from(random_, {"", "-", "+", "/", "@0"}));
    }
    return damaged(random_, name);
  }

  static void judge_any_stretch(const std::string& name) {
    const auto read = parse_stretch_name(name);
    EXPECT_EQ(file_of_stretch(name), read ? read->file : std::string_view(name));
    if (name.find('\0') != std::string::npos) return;  // a regular expression does not read it
    constexpr const char* kPattern =
        "^(.+)@([0-9]+)\\+([0-9]+)#([0-9]+)\\*([0-9]+)(/([0-9]+)\\+([0-9]+))?$";
    const auto parts = parts_of(name, kPattern);
    bool right = parts.has_value();
    for (std::size_t i = 2; right && i < 5; ++i) {
      right = number_of<std::uint64_t>((*parts)[i]).has_value();
    }
    right = right && number_of<std::uint32_t>((*parts)[5]);
    const bool window = right && !(*parts)[6].empty();
    if (window) {
      const auto count = number_of<std::uint32_t>((*parts)[8]);
      right = number_of<std::uint32_t>((*parts)[7]) && count && *count > 0;
    }
    ASSERT_EQ(read.has_value(), right) << name;
    if (!read) return;
    EXPECT_EQ(read->file, (*parts)[1]);
    const Stretch expected{*number_of<std::uint64_t>((*parts)[2]),
                           *number_of<std::uint64_t>((*parts)[3]),
                           *number_of<std::uint64_t>((*parts)[4]),
                           *number_of<std::uint32_t>((*parts)[5])};
    EXPECT_EQ(read->stretch, expected) << name;
    EXPECT_EQ(read->window.count, window ? *number_of<std::uint32_t>((*parts)[8]) : 0);
  }

  static void judge_any_row(const std::string& name) {
    const auto read = parse_row_name(name);
    EXPECT_EQ(file_of_row(name), read ? read->file : std::string_view(name));
    if (name.find('\0') != std::string::npos) return;
    const auto parts = parts_of(name, "^(.+):([0-9]+)@([0-9]+)\\+([0-9]+)#([0-9]+)$");
    bool right = parts.has_value();
    for (std::size_t i = 2; right && i < 6; ++i) {
      right = number_of<std::uint64_t>((*parts)[i]).has_value();
    }
    ASSERT_EQ(read.has_value(), right) << name;
    if (!read) return;
    EXPECT_EQ(read->file, (*parts)[1]);
    EXPECT_EQ(read->place.line, *number_of<std::uint64_t>((*parts)[2]));
    EXPECT_EQ(read->place.row, *number_of<std::uint64_t>((*parts)[5]));
  }

  Random random_;
};

TEST(StretchStorm, NamesAreReadAsTheyWereMadeAndOthersByTheirForm) {
  play_storms<StretchStorm>(2000);
}

}  // namespace
}  // namespace windrow::sim
