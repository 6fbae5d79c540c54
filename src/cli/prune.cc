// SPDX-License-Identifier: Apache-2.0
//
// windrow prune
#include "workspace/jobs/prune.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/counted.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/voice.h"
#include "core/spec/age.h"
#include "core/spec/values.h"
#include "os/machine.h"
#include "os/posix_file_system.h"

namespace windrow {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  windrow prune                              what is older than 30 days\n"
    "  windrow prune --older-than 8w --yes\n"
    "  windrow prune --keep 20 --state failed\n"
    "  windrow prune --quota 50GB --unfinished -o json\n\n"
    "Without --yes nothing is removed. With several rules --keep is always kept, and\n"
    "--quota removes the oldest of what is left. Results that lie outside of\n"
    "$WINDROW_HOME stay, and so does what runs or what a kept job needs.\n";

std::optional<StoredState> state_of(const std::string& word) {
  for (const StoredState state : {StoredState::kCompleted,
                                  StoredState::kFailed,
                                  StoredState::kCanceled,
                                  StoredState::kUnfinished}) {
    if (to_text(state) == word) return state;
  }
  return std::nullopt;
}

const char* kind_word(StoredKind kind) {
  switch (kind) {
    case StoredKind::kJob:
      return "job";
    case StoredKind::kTrial:
      return "trial";
    case StoredKind::kEnvironment:
      return "environment";
    case StoredKind::kCache:
      return "cache";
    case StoredKind::kLeftover:
      return "leftover";
  }
  return "";
}

class Prune final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description("Show what old jobs and caches take up, and remove them");
    app.footer(kFooter);
    app.add_option("--older-than", older_than_, "What ended longer ago: hours, days, weeks (30d)")
        ->type_name("AGE");
    app.add_option("--keep", keep_, "The newest N of each kind stay")->type_name("N");
    app.add_option("--quota", quota_, "Remove the oldest until the rest fits, as in 50GB")
        ->type_name("SIZE");
    add_choice(app,
               "--state",
               state_,
               {"completed", "failed", "canceled", "unfinished"},
               "Only jobs that ended in this state");
    app.add_flag("--unfinished", unfinished_, "Also jobs that could resume");
    app.add_flag("--yes", yes_, "Remove them");
    voice_.declare(app, Voice::For::kAnswer);
  }

  int run(const Caller& caller) override {
    const Result<PruneRules> rules = read_rules();
    if (!rules) return voice_.report(rules.error());
    PosixFileSystem fs;
    Survey survey(fs, caller);
    PrunePlan plan = plan_prune(survey.stored(), *rules);
    int code = kExitCompleted;
    if (yes_) code = remove(survey, plan);
    if (voice_.json()) {
      write_out(1, as_json(survey, plan, code));
    } else {
      write_out(1, (voice_.quiet() ? "" : table(survey, plan)) + summary(survey, plan));
    }
    return code;
  }

 private:
  [[nodiscard]] Result<PruneRules> read_rules() const {
    PruneRules rules{.state = state_of(state_), .unfinished = unfinished_};
    // Who names them means them.
    if (rules.state == StoredState::kUnfinished || rules.state == StoredState::kCanceled) {
      rules.unfinished = true;
    }
    const auto refused = [](const char* flag, const Error& error) {
      return fail(ErrorCode::kInvalid, "{}: {}", flag, error.message);
    };
    if (older_than_) {
      const auto age = parse_age(*older_than_);
      if (!age) return refused("--older-than", age.error());
      rules.older_than = *age;
    }
    if (keep_) {
      const auto count = parse_integer(*keep_, {});
      if (!count) return refused("--keep", count.error());
      rules.keep = static_cast<std::uint64_t>(*count);
    }
    if (quota_) {
      const auto bytes = parse_bytes(*quota_);
      if (!bytes) return refused("--quota", bytes.error());
      rules.quota = *bytes;
    }
    return rules;
  }

  // What could not be removed is told, and counts as what stays.
  static int remove(Survey& survey, PrunePlan& plan) {
    int code = kExitCompleted;
    for (std::size_t i = 0; i < plan.verdicts.size(); ++i) {
      PruneVerdict& verdict = plan.verdicts[i];
      if (!verdict.goes) continue;
      const Status removed = survey.remove(i);
      if (removed) continue;
      const Stored& stored = survey.stored()[i];
      const bool used = removed.error().code == ErrorCode::kConflict;
      if (!used) code = kExitFailed;
      report({removed.error().code,
              fmt::format("{} was not removed: {}", stored.name, removed.error().message)});
      verdict = {.why = removed.error().message};
      plan.freed -= stored.bytes;
      plan.rest += stored.bytes;
    }
    return code;
  }

  [[nodiscard]] static std::string table(const Survey& survey, const PrunePlan& plan) {
    std::size_t width = 4;
    for (std::size_t i = 0; i < plan.verdicts.size(); ++i) {
      if (plan.verdicts[i].goes) width = std::max(width, survey.stored()[i].name.size());
    }
    const auto line = [width](const auto& name, auto state, auto age, auto size, const auto& why) {
      return fmt::format("{:<{}}  {:<10}  {:>10}  {:>8}  {}\n", name, width, state, age, size, why);
    };
    std::string out;
    for (std::size_t i = 0; i < plan.verdicts.size(); ++i) {
      if (!plan.verdicts[i].goes) continue;
      const Stored& one = survey.stored()[i];
      if (out.empty()) out = line("job", "state", "age", "size", "why");
      out += line(escape_bytes(one.name),
                  to_text(one.state),
                  human_duration(one.age),
                  human_bytes(one.bytes),
                  plan.verdicts[i].why);
    }
    return out;
  }

  [[nodiscard]] std::string summary(const Survey& survey, const PrunePlan& plan) const {
    const auto goes = [](const PruneVerdict& verdict) { return verdict.goes; };
    const auto count = static_cast<std::size_t>(std::ranges::count_if(plan.verdicts, goes));
    const auto resumable =
        std::ranges::count_if(plan.verdicts, [](const auto& one) { return one.resumable; });
    const std::string rest = fmt::format("{} {} with {}",
                                         plan.verdicts.size() - count,
                                         plan.verdicts.size() - count == 1 ? "stays" : "stay",
                                         human_bytes(plan.rest));
    std::string out;
    if (count == 0) {
      out = fmt::format("Nothing to remove in {}: {}.\n", survey.home(), rest);
    } else if (yes_) {
      out = fmt::format("Removed {}, which frees {}; {}.\n", count, human_bytes(plan.freed), rest);
    } else {
      out = fmt::format("{} would go and free {}; {}.\n", count, human_bytes(plan.freed), rest);
    }
    if (resumable > 0) {
      out += fmt::format("{} could resume and {}: --unfinished removes such jobs too.\n",
                         resumable,
                         resumable == 1 ? "stays" : "stay");
    }
    if (count > 0 && !yes_) {
      out += fmt::format("Nothing was removed; `{} --yes` does it.\n", same_command());
    }
    return out;
  }

  [[nodiscard]] std::string as_json(const Survey& survey, const PrunePlan& plan, int code) const {
    JsonWriter json;
    json.begin_object().field("exit_code", code).field("removed", yes_);
    json.field("bytes_freed", plan.freed).field("bytes_kept", plan.rest);
    json.key("entries").begin_array();
    for (std::size_t i = 0; i < plan.verdicts.size(); ++i) {
      const Stored& one = survey.stored()[i];
      json.begin_object().field("name", one.name).field("kind", kind_word(one.kind));
      json.key("state");
      if (one.state == StoredState::kNone) {
        json.null();
      } else {
        json.value(to_text(one.state));
      }
      json.field("age_seconds", std::chrono::duration<double>(one.age).count());
      json.field("bytes", one.bytes).field("goes", plan.verdicts[i].goes);
      json.field("why", plan.verdicts[i].why).end_object();
    }
    json.end_array().end_object();
    return json.text() + "\n";
  }

  // The command that was given, without --yes.
  [[nodiscard]] std::string same_command() const {
    std::string out = "windrow prune";
    const auto add = [&out](const char* flag, const std::optional<std::string>& value) {
      if (value) out += fmt::format(" {} {}", flag, *value);
    };
    add("--older-than", older_than_);
    add("--keep", keep_);
    add("--quota", quota_);
    if (!state_.empty()) add("--state", state_);
    if (unfinished_) out += " --unfinished";
    return out;
  }

  std::optional<std::string> older_than_;
  std::optional<std::string> keep_;
  std::optional<std::string> quota_;
  std::string state_;
  bool unfinished_ = false;
  bool yes_ = false;
  Voice voice_;
};

}  // namespace

std::unique_ptr<Command> make_prune_command() { return std::make_unique<Prune>(); }

}  // namespace windrow
