// SPDX-License-Identifier: Apache-2.0
#include "core/prune/prune_plan.h"

#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "base/text.h"

namespace windrow {
namespace {

bool can_go_on(const Stored& one) {
  return one.state == StoredState::kUnfinished || one.state == StoredState::kCanceled;
}

class Pruner {
 public:
  Pruner(const std::vector<Stored>& all, const PruneRules& rules)
      : all_(all), rules_(rules), eldest_first_(all.size()), needed_by_(all.size()) {
    plan_.verdicts.resize(all.size());
    for (const Stored& one : all_) plan_.rest += one.bytes;
    for (std::size_t i = 0; i < all_.size(); ++i) eldest_first_[i] = i;
    std::ranges::stable_sort(eldest_first_, std::greater<>(), [&](auto i) { return all_[i].age; });
    for (std::size_t i = 0; i < all_.size(); ++i) {
      for (const std::size_t needed : all_[i].needs) needed_by_[needed].push_back(i);
    }
  }

  PrunePlan plan() {
    const bool has_rule = rules_.older_than || rules_.keep || rules_.quota;
    if (!has_rule) rules_.older_than = kPruneAge;
    judge_each();
    remove_while([] { return true; }, [this](std::size_t i) { return by_age(i); });
    if (rules_.quota) {
      remove_while([this] { return plan_.rest > *rules_.quota; },
                   [this](std::size_t) {
                     return fmt::format("more than {} are kept", human_bytes(*rules_.quota));
                   });
    }
    say_why_needed();
    return std::move(plan_);
  }

 private:
  // Fills in why each stays, those that may go left empty.
  void judge_each() {
    std::map<StoredKind, std::uint64_t> kept;
    for (auto at = eldest_first_.rbegin(); at != eldest_first_.rend(); ++at) {
      const Stored& one = all_[*at];
      PruneVerdict& verdict = plan_.verdicts[*at];
      const bool newest = rules_.keep && kept[one.kind] < *rules_.keep;
      ++kept[one.kind];
      if (!one.in_use.empty()) {
        verdict.why = one.in_use;
      } else if (one.kind == StoredKind::kLeftover) {
        continue;
      } else if (rules_.state && one.state != *rules_.state) {
        verdict.why = fmt::format("not {}", to_text(*rules_.state));
      } else if (newest) {
        verdict.why = fmt::format("among the newest {}", *rules_.keep);
      } else if (can_go_on(one) && !rules_.unfinished) {
        verdict.why = "it can resume";
        verdict.resumable = true;
      }
    }
  }

  // Why age and number let it go; empty when they do not.
  [[nodiscard]] std::string by_age(std::size_t i) const {
    if (all_[i].kind == StoredKind::kLeftover) return "left by a prune that was stopped";
    if (rules_.older_than) {
      if (all_[i].age <= *rules_.older_than) return "";
      return fmt::format("older than {}", age_text(*rules_.older_than));
    }
    return rules_.keep ? fmt::format("not among the newest {}", *rules_.keep) : "";
  }

  static std::string age_text(Duration age) {
    const auto hours = std::chrono::duration_cast<std::chrono::hours>(age).count();
    return hours % 24 == 0 ? fmt::format("{} d", hours / 24) : fmt::format("{} h", hours);
  }

  [[nodiscard]] bool may_go(std::size_t i) const {
    const PruneVerdict& verdict = plan_.verdicts[i];
    return !verdict.goes && verdict.why.empty() &&
           std::ranges::all_of(needed_by_[i],
                               [this](std::size_t by) { return plan_.verdicts[by].goes; });
  }

  // The oldest first; from the start again when an older one was kept only for one that goes.
  void remove_while(const std::function<bool()>& wanted,
                    const std::function<std::string(std::size_t)>& why_of) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const std::size_t i : eldest_first_) {
        if (!wanted()) return;
        if (!may_go(i)) continue;
        std::string why = why_of(i);
        if (why.empty()) continue;
        if (all_[i].results) why += "; its result goes too";
        plan_.verdicts[i] = {.goes = true, .why = std::move(why)};
        plan_.freed += all_[i].bytes;
        plan_.rest -= all_[i].bytes;
        changed = !all_[i].needs.empty();
        if (changed) break;
      }
    }
  }

  void say_why_needed() {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      PruneVerdict& verdict = plan_.verdicts[i];
      if (verdict.goes || !verdict.why.empty()) continue;
      const auto by = std::ranges::find_if(
          needed_by_[i], [this](std::size_t other) { return !plan_.verdicts[other].goes; });
      const bool needed = by != needed_by_[i].end();
      verdict.why = needed ? fmt::format("{} needs it", all_[*by].name) : "the rules keep it";
    }
  }

  const std::vector<Stored>& all_;
  PruneRules rules_;
  std::vector<std::size_t> eldest_first_;
  std::vector<std::vector<std::size_t>> needed_by_;
  PrunePlan plan_;
};

}  // namespace

std::string_view to_text(StoredState state) {
  switch (state) {
    case StoredState::kNone:
      return "-";
    case StoredState::kCompleted:
      return "completed";
    case StoredState::kFailed:
      return "failed";
    case StoredState::kCanceled:
      return "canceled";
    case StoredState::kUnfinished:
      return "unfinished";
  }
  return "";
}

PrunePlan plan_prune(const std::vector<Stored>& all, const PruneRules& rules) {
  return Pruner(all, rules).plan();
}

}  // namespace windrow
