// SPDX-License-Identifier: Apache-2.0
//
// Somebody who looks at a job from outside, at any moment of its life: `explain`, `report` and the
// warnings have something right to say of every state that it can be in.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/output/account.h"
#include "core/schedule/job_state.h"

namespace windrow::sim {

class Onlooker {
 public:
  // `closely`: at attempts and times too, which takes long.
  explicit Onlooker(bool closely) : closely_(closely) {}

  // Every fact of the job, in order.
  void take(const Fact& fact);

  // What is wrong with what is said; nothing when all is well.
  std::optional<std::string> check(const JobState& state);

 private:
  [[nodiscard]] std::optional<std::string> check_batches(const JobState& state, bool running) const;
  std::optional<std::string> check_account(const JobState& state);

  Accountant accountant_;
  std::map<BatchId, std::vector<fact::AttemptEnded>> attempts_;
  std::uint64_t ended_ = 0;
  bool closely_;
};

}  // namespace windrow::sim
