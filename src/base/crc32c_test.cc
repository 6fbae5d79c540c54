// SPDX-License-Identifier: Apache-2.0
#include "base/crc32c.h"

#include <string>

#include <gtest/gtest.h>

namespace windrow {
namespace {

TEST(Crc32c, GivesThePublishedCheckValue) { EXPECT_EQ(crc32c("123456789"), 0xe3069283U); }

TEST(Crc32c, OfPiecesIsTheSameAsOfTheWhole) {
  const std::string text = "every input item ends in exactly one of two places";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    EXPECT_EQ(crc32c(text.substr(cut), crc32c(text.substr(0, cut))), crc32c(text));
  }
}

TEST(Crc32c, ChangesWithEveryBit) {
  std::string text(33, 'x');
  const auto before = crc32c(text);
  for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_NE(crc32c(text), before);
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << (bit % 8)));
  }
}

}  // namespace
}  // namespace windrow
