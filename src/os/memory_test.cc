// SPDX-License-Identifier: Apache-2.0
#include "os/memory.h"

#include <cstring>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "os/machine.h"
#include "os/process_host_test.h"

namespace windrow {
namespace {

TEST(Memory, NumbersAreFoundInLinesOfBothKinds) {
  EXPECT_EQ(number_after("low 0\noom 3\noom_kill 7\n", "oom_kill"), 7U);
  EXPECT_EQ(number_after("VmHWM:\t  1234 kB\n", "VmHWM"), 1234U);
  EXPECT_EQ(number_after("oom_kill_disable 0\nunder_oom 0\n", "oom_kill"), std::nullopt);
  EXPECT_EQ(number_after("", "oom_kill"), std::nullopt);
  EXPECT_EQ(number_after("oom_kill x", "oom_kill"), std::nullopt);
}

TEST(Memory, OwnMemoryIsThereAndThatOfNobodyIsNot) {
  const WorkerMemory own = memory_of(::getpid());
  EXPECT_GT(own.rss, 1U << 20U);
  EXPECT_GE(own.peak, own.rss);
  EXPECT_EQ(memory_of(-1).rss, 0U);
}

// C692
TEST(Memory, WhatAProcessHoldsGrowsWithWhatItTouches) {
  const std::uint64_t before = held_memory(::getpid());
  // From the system: the heap may have room that other tests have touched.
  constexpr std::size_t kMuch = 64U << 20U;
  void* const much =
      ::mmap(nullptr, kMuch, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(much, MAP_FAILED);
  std::memset(much, 'x', kMuch);
  EXPECT_GT(held_memory(::getpid()), before + (60U << 20U));
  ::munmap(much, kMuch);
}

// C253
TEST(OomKills, EachKillOfTheKernelIsBlamedOnOneDeathOnly) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/memory.events";
  ASSERT_TRUE(write_whole_file(path, "oom 1\noom_kill 4\n"));
  OomKills kills({folder.path() + "/not there", path});
  EXPECT_EQ(kills.take(), false);
  ASSERT_TRUE(write_whole_file(path, "oom 1\noom_kill 6\n"));
  EXPECT_EQ(kills.take(), true);
  EXPECT_EQ(kills.take(), true);
  EXPECT_EQ(kills.take(), false);
}

// C253
TEST(OomKills, NobodyKnowsWhereNothingIsCounted) {
  OomKills kills({"/not/there"});
  EXPECT_EQ(kills.take(), std::nullopt);
}

}  // namespace
}  // namespace windrow
