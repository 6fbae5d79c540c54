// SPDX-License-Identifier: Apache-2.0
#include "seeds.h"

#include <cstdlib>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/plant.h"
#include "world.h"

namespace windrow::sim {
namespace {

TEST(Simulation, OneSeed) {
  if (std::getenv("WINDROW_SIM_SEED") == nullptr) GTEST_SKIP() << "set WINDROW_SIM_SEED";
#if defined(WINDROW_PLANTS)
  planted_fault = static_cast<Fault>(number_from("WINDROW_SIM_PLANT", 0));
#endif
  const WorldEnd end = World(number_from("WINDROW_SIM_SEED", 0), true).run();
  fmt::print(stderr,
             "hash {:016x}, {} events, {} s\n",
             end.hash,
             end.steps,
             std::chrono::duration<double>(end.took).count());
  EXPECT_EQ(end.failure.value_or(""), "");
}

TEST(Simulation, EveryJobEndsByItselfWithTheRightBytes) {
  EXPECT_TRUE(run_seeds_on_two_cores(number_from("WINDROW_SIM_SEEDS", 10'000)));
}

TEST(Simulation, TheSameSeedHappensTheSameWayTwice) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(World(seed, false).run().hash, World(seed, false).run().hash) << seed;
  }
}

}  // namespace
}  // namespace windrow::sim
