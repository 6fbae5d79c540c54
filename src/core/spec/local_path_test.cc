// SPDX-License-Identifier: Apache-2.0
#include "core/spec/local_path.h"

#include <gtest/gtest.h>

namespace windrow {
namespace {

// C960
TEST(LocalPath, AFileUrlIsThePathThatItNames) {
  EXPECT_EQ(local_path("file:///data/in"), "/data/in");
  EXPECT_EQ(local_path("file:///my%20files/50%"), "/my files/50%");
  EXPECT_EQ(local_path("file:///a%2fb%zz%4"), "/a/b%zz%4");
  EXPECT_EQ(local_path("file://host/data"), "file://host/data");
  EXPECT_EQ(local_path("https://x/%20"), "https://x/%20");
  EXPECT_EQ(local_path("a%20b"), "a%20b");
}

// C960
TEST(LocalPath, ATildeIsTheHomeFolder) {
  EXPECT_EQ(with_home("~", "/home/u"), "/home/u");
  EXPECT_EQ(with_home("~/in", "/home/u"), "/home/u/in");
  EXPECT_EQ(with_home("@~/list", "/home/u"), "@/home/u/list");
  EXPECT_EQ(with_home("~other/in", "/home/u"), "~other/in");
  EXPECT_EQ(with_home("./~", "/home/u"), "./~");
  EXPECT_EQ(with_home("~/in", ""), "~/in");
}

}  // namespace
}  // namespace windrow
