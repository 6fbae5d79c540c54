// SPDX-License-Identifier: Apache-2.0
#include "core/output/first_failed.h"

#include <gtest/gtest.h>

namespace windrow {
namespace {

// C974
TEST(FirstFailedTest, SaysItemAndError) {
  EXPECT_EQ(failed_item_text(R"({"mini_batch":3,"item":"/in/a","error_type":"ValueError",)"
                             R"("error_message":"no good\nat all"})"),
            "'/in/a': ValueError: no good");
}

// C974
TEST(FirstFailedTest, WithoutANameSaysTheMiniBatch) {
  EXPECT_EQ(failed_item_text(R"({"mini_batch":3,"item":null,"missing":2,)"
                             R"("error_type":"ShortReturn","error_message":"1 for 2"})"),
            "an item of mini-batch 3: ShortReturn: 1 for 2");
}

TEST(FirstFailedTest, WhatIsNotSuchALineSaysNothing) {
  EXPECT_EQ(failed_item_text(""), "");
  EXPECT_EQ(failed_item_text("{}"), "");
  EXPECT_EQ(failed_item_text("{\"mini_batch\":"), "");
}

}  // namespace
}  // namespace windrow
