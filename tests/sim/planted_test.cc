// SPDX-License-Identifier: Apache-2.0
//
// The simulation would find these mistakes: each is made on purpose, and some seed must notice.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/plant.h"
#include "seeds.h"

namespace windrow::sim {
namespace {

constexpr std::uint64_t kSeedsMax = 2000;

#if defined(WINDROW_PLANTS)

class PlantedFault : public testing::TestWithParam<int> {};

TEST_P(PlantedFault, IsFoundWithinTwoThousandSeeds) {
  const int child = run_child([] {
    // What a broken engine says of itself is of no interest.
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nowhere, STDERR_FILENO);
    planted_fault = static_cast<Fault>(GetParam());
    return run_seeds(0, kSeedsMax, 1, true);
  });
  EXPECT_FALSE(ended_well(child));
}

INSTANTIATE_TEST_SUITE_P(All, PlantedFault, testing::Range(1, static_cast<int>(Fault::kLast) + 1));

#else

TEST(PlantedFault, IsCompiledInByTheDevPresetOnly) { GTEST_SKIP() << kSeedsMax; }

#endif

}  // namespace
}  // namespace windrow::sim
