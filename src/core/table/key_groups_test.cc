// SPDX-License-Identifier: Apache-2.0
#include "core/table/key_groups.h"

#include <gtest/gtest.h>

namespace windrow {
namespace {

using Groups = std::vector<std::vector<std::string>>;

Groups groups_of(const KeyRules& rules, const std::vector<std::string>& names) {
  Result<KeyGroups> groups = KeyGroups::of(rules);
  if (!groups) return {{groups.error().message}};
  for (const std::string& name : names) {
    if (const Status added = groups->add("/in/" + name, name); !added) {
      return {{added.error().message}};
    }
  }
  return groups->take();
}

// C680
TEST(KeyGroups, FilesWithTheSameValuesBelongTogether) {
  const std::vector<std::string> files = {"b/x/4.bin", "a/x/1.bin", "a/y/3.bin", "a/x/2.bin"};
  EXPECT_EQ(groups_of({"{p}/{q}/{f}.bin", {"p", "q"}}, files),
            (Groups{{"a/x/1.bin", "a/x/2.bin"}, {"a/y/3.bin"}, {"b/x/4.bin"}}));
  EXPECT_EQ(groups_of({"{p}/{q}/{f}.bin", {"p"}}, files),
            (Groups{{"a/x/1.bin", "a/y/3.bin", "a/x/2.bin"}, {"b/x/4.bin"}}));
  EXPECT_EQ(groups_of({"{p}/{q}/{f}.bin", {"q", "p"}}, files),
            (Groups{{"a/x/1.bin", "a/x/2.bin"}, {"b/x/4.bin"}, {"a/y/3.bin"}}));
}

// C681
TEST(KeyGroups, FoldersMayNameTheirKeys) {
  EXPECT_EQ(groups_of({"", {"y"}}, {"y=2/x=1/a", "y=1/b", "y=2/x=2/c", "z=1/y=2/d"}),
            (Groups{{"y=1/b"}, {"y=2/x=1/a", "y=2/x=2/c", "z=1/y=2/d"}}));
  EXPECT_EQ(groups_of({"", {"y"}}, {"y=a%20b/1", "y=a b/2"}), (Groups{{"y=a%20b/1", "y=a b/2"}}));
}

// C682
TEST(KeyGroups, WhatCannotBeIsTold) {
  EXPECT_EQ(groups_of({"{p}/{q}.bin", {"r"}}, {})[0][0],
            "there is no partition key 'r'; there are p, q");
  EXPECT_EQ(groups_of({"", {"r"}}, {"p=1/a"})[0][0],
            "'/in/p=1/a': there is no partition key 'r'; there are p (keys are folders called "
            "r=VALUE, or stand in a partition_format)");
  EXPECT_NE(groups_of({"{p}/{q}.bin", {"p"}}, {"a.txt"})[0][0].find("{p}/{q}.bin"),
            std::string::npos);
}

}  // namespace
}  // namespace windrow
