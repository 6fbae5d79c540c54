// SPDX-License-Identifier: Apache-2.0
#include "os/run_program.h"

#include <csignal>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "os/process_host_test.h"

namespace windrow {
namespace {

constexpr Duration kLong = std::chrono::hours(1);

Result<ProgramEnd> shell(const std::string& script) {
  return run_to_end({"sh", "-c", script}, kLong, 1000);
}

TEST(RunProgram, OutputAndStatusAreThoseOfTheProgram) {
  const Result<ProgramEnd> end = shell("echo said; exit 3");
  ASSERT_TRUE(end);
  EXPECT_EQ(end->output, "said\n");
  EXPECT_EQ(ended_by(*end), "exit code 3");
}

TEST(RunProgram, OneThatTakesTooLongIsKilled) {
  const auto end = run_to_end({"sh", "-c", "sleep 600"}, std::chrono::milliseconds(50), 1000);
  ASSERT_FALSE(end);
  EXPECT_NE(end.error().message.find("took too long: it was killed"), std::string::npos);
}

// C922
TEST(RunProgram, OneThatSomebodyHasStoppedIsWoken) {
  const Result<ProgramEnd> end = shell("kill -STOP $$; echo said");
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->output, "said\n");
}

// C922
TEST(RunProgram, OneThatStaysStoppedIsKilledWithWhatItHasStarted) {
  const TemporaryFolder folder;
  const Result<ProgramEnd> end =
      shell("sleep 600 & echo $! > " + folder.path() + "/pid; while true; do kill -STOP $$; done");
  ASSERT_FALSE(end);
  EXPECT_NE(end.error().message.find("was stopped (SIGSTOP) and does not continue: it was killed"),
            std::string::npos);
  pid_t child = 0;
  std::ifstream(folder.path() + "/pid") >> child;
  ASSERT_GT(child, 0);
  EXPECT_FALSE(is_alive(child));
}

// C922
TEST(RunProgram, OutputThatSomebodyElseKeepsOpenIsNotWaitedFor) {
  const Result<ProgramEnd> end = shell("echo said; (trap '' HUP; exec sleep 30) &");
  ASSERT_TRUE(end);
  EXPECT_EQ(end->output, "said\n");
}

}  // namespace
}  // namespace windrow
