// SPDX-License-Identifier: Apache-2.0
#include "core/progress/metrics.h"

#include <gtest/gtest.h>

namespace windrow {
namespace {

// C302
TEST(Metrics, SayWhatRemainsOnlyWhenEverythingIsPlanned) {
  JobState state;
  state.apply(fact::EpochBegan{.epoch = 1, .plan = 1});
  state.apply(fact::Planned{.runs = {{2, 5}}, .plan_bytes = 10});
  EXPECT_EQ(metrics_json(state, ""),
            "{\"Total Mini Batches\": 2, \"Processed Mini Batches\": 0, "
            "\"Failed Mini Batches\": 0, \"Total Items\": 10, \"Processed Items\": 0, \"Failed "
            "Items\": 0, \"Attempts\": 0}\n");
  state.apply(fact::ListingEnded{});
  const std::string all = metrics_json(state, "score ");
  EXPECT_NE(all.find("\"score Remaining Mini Batches\": 2"), std::string::npos) << all;
  EXPECT_NE(all.find("\"score Remaining Items\": 10"), std::string::npos) << all;
}

// C302
TEST(Metrics, TellMiniBatchesFromAttempts) {
  JobState state;
  state.apply(fact::EpochBegan{.epoch = 1, .plan = 1});
  state.apply(fact::Planned{.runs = {{1, 5}}, .plan_bytes = 10});
  fact::AttemptEnded ended{.verdict = Verdict::kRetry};
  ended.record.status = AttemptStatus::kRunException;
  for (const std::uint32_t picked : {1U, 2U}) {
    ended.record.token = Token{1, 0, picked};
    state.apply(ended);
  }
  ended.verdict = Verdict::kFailed;
  ended.record.token = Token{1, 0, 3};
  state.apply(ended);
  const std::string all = metrics_json(state, "");
  EXPECT_NE(all.find("\"Attempts\": 3"), std::string::npos) << all;
  EXPECT_NE(all.find("\"Failed Mini Batches\": 1"), std::string::npos) << all;
  EXPECT_NE(all.find("\"Failed Items\": 5"), std::string::npos) << all;
}

}  // namespace
}  // namespace windrow
