// SPDX-License-Identifier: Apache-2.0
#include "base/counted.h"

#include <gtest/gtest.h>

namespace windrow {
namespace {

TEST(Counted, OneIsSingularAndEverythingElsePlural) {
  EXPECT_EQ(counted(0, "item"), "0 items");
  EXPECT_EQ(counted(1, "item"), "1 item");
  EXPECT_EQ(counted(2, "item"), "2 items");
  EXPECT_EQ(counted(1200, "item"), "1,200 items");
}

TEST(Counted, AMiniBatchBecomesMiniBatches) {
  EXPECT_EQ(counted(1, "failed mini-batch"), "1 failed mini-batch");
  EXPECT_EQ(counted(3, "failed mini-batch"), "3 failed mini-batches");
}

}  // namespace
}  // namespace windrow
