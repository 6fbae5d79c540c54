// SPDX-License-Identifier: Apache-2.0
#include "base/words.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace windrow {
namespace {

// All texts of up to 18 bytes with a NUL, 0x01, 0x80 or 0xff at any two places.
template <class Each>
void for_each_odd_text(Each&& each) {
  for (std::size_t size = 0; size <= 18; ++size) {
    each(std::string(size, 'a'));
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        for (const char odd : {'\0', '\x01', '\x80', '\xff'}) {
          std::string text(size, 'a');
          text[j] = odd;
          text[i] = '\0';
          each(text);
        }
      }
    }
  }
}

TEST(Words, CountAByteWhereverItStands) {
  for_each_odd_text([](const std::string& text) {
    for (const char byte : {'\0', '\x01', '\x80', '\xff', 'a'}) {
      EXPECT_EQ(count_byte(text, byte), static_cast<std::size_t>(std::ranges::count(text, byte)));
    }
  });
}

TEST(Words, SplitAtNulGivesEachPartOnceWithOrWithoutOneAtTheEnd) {
  using Parts = std::vector<std::string>;
  EXPECT_EQ(split_at_nul(""), Parts());
  EXPECT_EQ(split_at_nul("a"), Parts({"a"}));
  EXPECT_EQ(split_at_nul(std::string_view("a\0bc", 4)), Parts({"a", "bc"}));
  EXPECT_EQ(split_at_nul(std::string_view("a\0\0b\0", 5)), Parts({"a", "", "b"}));
}

TEST(Words, PutTheSeparatorInPlaceOfEveryNulAndLeaveTheRest) {
  for (const std::string between : {"/", "\"\",\"\"", "a long one, longer than a word"}) {
    for_each_odd_text([&](const std::string& text) {
      std::string expected = "before";
      for (const char c : text) c == '\0' ? expected.append(between) : expected.append(1, c);
      std::string out = "before";
      append_separated(text, between, out);
      EXPECT_EQ(out, expected);
    });
  }
}

}  // namespace
}  // namespace windrow
