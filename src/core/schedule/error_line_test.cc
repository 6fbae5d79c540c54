// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/error_line.h"

#include <gtest/gtest.h>

namespace windrow {
namespace {

// C530
TEST(ErrorLine, HoldsTypeAndFirstLineOfTheMessage) {
  EXPECT_EQ(error_line("ValueError", "bad file\nat row 3\n"), "ValueError: bad file");
  EXPECT_EQ(error_line("ValueError", "\n  bad file"), "ValueError: bad file");
  EXPECT_EQ(error_line("KeyError", ""), "KeyError");
}

// C530
TEST(ErrorLine, TheDeathOfAProcessIsItsOwnSentence) {
  EXPECT_EQ(error_line("ProcessDied", "process003 was killed by SIGABRT in run()"),
            "process003 was killed by SIGABRT in run()");
}

}  // namespace
}  // namespace windrow
