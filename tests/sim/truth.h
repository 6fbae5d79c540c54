// SPDX-License-Identifier: Apache-2.0
//
// What really happened inside the workers, as only the simulation can know it, and the rules that
// the engine's facts are held to.
//
// Thread: one. Failure: the first broken rule is kept, and ends the run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "core/schedule/facts.h"

namespace windrow::sim {

class Truth {
 public:
  // A rule was broken. Only the first one counts.
  void fail(std::string what) {
    if (!failure_) failure_ = std::move(what);
  }
  [[nodiscard]] const std::optional<std::string>& failure() const { return failure_; }

  // A worker begins with this hand-out.
  void began(const Token& token);
  // The script, or the worker itself, was at fault.
  void raised(const Token& token) { raised_.insert(token); }
  // The worker ended while this hand-out was inside it.
  void died_with(const Token& token) { died_.insert(token); }

  // Checks a fact of a master that is alive.
  void check(const Fact& fact);

  // How often this mini-batch had a fault that may be charged.
  [[nodiscard]] std::uint32_t chargeable(BatchId batch) const;

 private:
  std::set<Token> began_;
  std::set<Token> raised_;
  std::set<Token> died_;
  std::optional<std::string> failure_;
};

}  // namespace windrow::sim
