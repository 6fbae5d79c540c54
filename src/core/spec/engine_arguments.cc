// SPDX-License-Identifier: Apache-2.0
#include "core/spec/engine_arguments.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "core/spec/values.h"

namespace windrow {
namespace {

using Effect = EngineArgument::Effect;

constexpr std::string_view kRowMode = "amlbi_pf_enabled";
constexpr std::string_view kRunMode = "amlbi_pf_run_mode";

// Those that are not settings of the same name. The others are in the table of settings.
constexpr auto kOthers = std::to_array<EngineArgument>({
    {"score_run_timeout", Effect::kSets, "retry_settings.timeout", ""},
    {"append_row_safe_output", Effect::kNothing, "", ""},
    {"cleanup_leaked_queues", Effect::kNothing, "", ""},
    {"amlbi_async_mode",
     Effect::kRefused,
     "",
     "the streaming mode is not supported yet; write run() so that it returns its results"},
    {kRowMode, Effect::kSets, "input_as", ""},
    {"amlbi_file_format", Effect::kSets, "input_as", ""},
    {"amlbi_mini_batch_rows", Effect::kNothing, "", ""},
    {kRunMode, Effect::kSets, "append_row.field", ""},
    {"resume_from",
     Effect::kRefused,
     "",
     "`windrow job resume JOB` resumes a job; leave the argument out"},
});

std::vector<EngineArgument> all_arguments() {
  std::vector<EngineArgument> all(kOthers.begin(), kOthers.end());
  for (const Setting& setting : settings()) {
    if (!setting.argument.empty()) {
      all.push_back({setting.argument, Effect::kSets, setting.key, ""});
    }
  }
  return all;
}

std::string without_quotes(std::string_view text) {
  const bool quoted = text.size() >= 2 && (text.front() == '\'' || text.front() == '"') &&
                      text.back() == text.front();
  return std::string(quoted ? text.substr(1, text.size() - 2) : text);
}

// The known name that was probably meant. Short names are near to too much.
std::optional<std::string_view> nearly(std::string_view name) {
  for (const EngineArgument& argument : engine_arguments()) {
    const std::size_t near = std::min<std::size_t>(2, argument.name.size() / 3);
    if (edit_distance(name, argument.name) <= near) return argument.name;
  }
  return std::nullopt;
}

}  // namespace

std::span<const EngineArgument> engine_arguments() {
  static const std::vector<EngineArgument> kAll = all_arguments();
  return kAll;
}

FoundArguments find_engine_arguments(const std::vector<std::string>& arguments) {
  FoundArguments found;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    if (!word.starts_with("--")) continue;
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string_view name = word.substr(2, equals - 2);
    const auto known = std::ranges::find(engine_arguments(), name, &EngineArgument::name);
    if (known == engine_arguments().end()) {
      if (const auto right = nearly(name)) {
        found.misspelt.push_back(fmt::format("{} is given to the script only; did you mean --{}?",
                                             in_quotes(word.substr(0, equals)),
                                             *right));
      }
      continue;
    }
    FoundArgument one{&*known, std::nullopt};
    if (equals < word.size()) {
      one.value = without_quotes(word.substr(equals + 1));
    } else if (i + 1 < arguments.size() && !arguments[i + 1].starts_with("--")) {
      one.value = without_quotes(arguments[i + 1]);
    }
    std::erase_if(found.known, [&one](const FoundArgument& before) {  // the last one wins
      const bool same_name = before.known->name == one.known->name;
      return same_name || (!one.known->key.empty() && before.known->key == one.known->key);
    });
    found.known.push_back(std::move(one));
  }
  return found;
}

std::string engine_value(const EngineArgument& argument, const std::string& said) {
  if (argument.name == kRowMode) {
    const Result<bool> on = parse_bool(said);
    return !on ? said : (*on ? "jsonl" : "files");
  }
  if (argument.name == kRunMode) return said == "component" ? "output" : "";
  if (argument.key != "error_threshold") return said;
  const Result<double> number = parse_number(said, {-1, static_cast<double>(kIntMax)});
  return number ? fmt::format("{:.0f}", std::ceil(*number) + 0.0) : said;
}

}  // namespace windrow
