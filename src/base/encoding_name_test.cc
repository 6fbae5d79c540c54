// SPDX-License-Identifier: Apache-2.0
#include "base/encoding_name.h"

#include <gtest/gtest.h>

namespace windrow {
namespace {

TEST(EncodingName, AllSpellingsHaveOneName) {
  for (const char* said : {"utf8", "utf-8", "UTF-8", "utf_8", "Utf 8", " utf8 "}) {
    EXPECT_EQ(encoding_name(said), "utf8") << said;
  }
  EXPECT_EQ(encoding_name("utf-8-sig"), "utf8bom");
  EXPECT_EQ(encoding_name("utf8 bom"), "utf8bom");
  EXPECT_EQ(encoding_name("CP1252"), "windows1252");
  EXPECT_EQ(encoding_name("Windows-1252"), "windows1252");
  EXPECT_EQ(encoding_name("Latin_1"), "latin1");
  EXPECT_EQ(encoding_name("ISO-8859-1"), "iso88591");
  EXPECT_EQ(encoding_name("iso8859_1"), "iso88591");
  EXPECT_EQ(encoding_name("US-ASCII"), "ascii");
  EXPECT_EQ(encoding_name("UTF-16"), "utf16");
  EXPECT_EQ(encoding_name("utf_32"), "utf32");
  EXPECT_EQ(encoding_name("EBCDIC"), "ebcdic");
}

}  // namespace
}  // namespace windrow
