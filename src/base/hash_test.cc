// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <string>

#include <gtest/gtest.h>

namespace windrow {
namespace {

TEST(Sha256, GivesThePublishedValues) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnHowTheBytesArrive) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i);
  for (std::size_t length = 0; length <= text.size(); ++length) {
    const std::string_view whole = std::string_view(text).substr(0, length);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{63}, std::size_t{64}}) {
      Sha256 hash;
      for (std::size_t at = 0; at < length; at += piece) hash.update(whole.substr(at, piece));
      ASSERT_EQ(hash.finish(), sha256(whole)) << length << " bytes in pieces of " << piece;
    }
  }
}

TEST(Sha256, FieldsDoNotRunIntoEachOther) {
  Sha256 a;
  a.update_field("ab");
  a.update_field("c");
  Sha256 b;
  b.update_field("a");
  b.update_field("bc");
  EXPECT_NE(a.finish(), b.finish());
}

}  // namespace
}  // namespace windrow
