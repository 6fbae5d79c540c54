// SPDX-License-Identifier: Apache-2.0
#include "truth.h"

#include <algorithm>

#include <fmt/format.h>

namespace windrow::sim {
namespace {

std::string name_of(const Token& token) {
  return fmt::format("mini-batch {} (epoch {}, picked {})", token.batch, token.epoch, token.picked);
}

}  // namespace

void Truth::began(const Token& token) {
  if (!began_.insert(token).second) fail(name_of(token) + " was begun twice");
}

void Truth::check(const Fact& fact) {
  const auto* ended = std::get_if<fact::AttemptEnded>(&fact);
  if (ended == nullptr) return;
  const Token& token = ended->record.token;
  switch (ended->record.status) {
    case AttemptStatus::kRunDone:
      if (!began_.contains(token)) fail(name_of(token) + " is done but was never begun");
      return;
    case AttemptStatus::kRunException:
    case AttemptStatus::kRunWrongType:
    case AttemptStatus::kDataException:
      if (!raised_.contains(token)) fail(name_of(token) + " is charged and raised nothing");
      return;
    case AttemptStatus::kRunTimeout:
    case AttemptStatus::kOverheadTimeout:
    case AttemptStatus::kProcessDied:
      if (!died_.contains(token)) {
        fail(name_of(token) + " is charged and was not inside a worker that ended");
      }
      return;
    case AttemptStatus::kNodeLost:
      return;
    case AttemptStatus::kReturned:
      if (ended->verdict != Verdict::kReturned && ended->verdict != Verdict::kOvertaken) {
        fail(name_of(token) + " is charged for nothing");
      }
      if (is_attempt(ended->record) && !began_.contains(token)) {
        fail(name_of(token) + " counts as an attempt and was never begun");
      }
      return;
  }
}

std::uint32_t Truth::chargeable(BatchId batch) const {
  std::set<Token> tokens;
  const auto of_batch = [batch](const Token& token) { return token.batch == batch; };
  std::copy_if(raised_.begin(), raised_.end(), std::inserter(tokens, tokens.end()), of_batch);
  std::copy_if(died_.begin(), died_.end(), std::inserter(tokens, tokens.end()), of_batch);
  return static_cast<std::uint32_t>(tokens.size());
}

}  // namespace windrow::sim
