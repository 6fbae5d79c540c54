// SPDX-License-Identifier: Apache-2.0
#include "core/spec/job_name.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"

namespace windrow {
namespace {

constexpr std::size_t kNameMax = 255;
constexpr std::size_t kStemMax = 64;

// Short, kind and easy to tell apart on the phone.
constexpr std::array<std::string_view, 64> kAdjectives = {
    "able",   "amber",  "apt",     "azure",  "bold",   "brave",  "brief",  "bright",
    "brisk",  "calm",   "candid",  "civil",  "clear",  "clever", "cosy",   "crisp",
    "deft",   "eager",  "early",   "even",   "fair",   "fancy",  "fleet",  "fond",
    "frank",  "fresh",  "gentle",  "glad",   "golden", "grand",  "green",  "happy",
    "hardy",  "honest", "humble",  "ivory",  "jolly",  "keen",   "kind",   "lively",
    "loyal",  "lucid",  "lucky",   "mellow", "merry",  "mild",   "modest", "neat",
    "nimble", "noble",  "patient", "plain",  "proud",  "quick",  "quiet",  "ready",
    "robust", "royal",  "sharp",   "silent", "steady", "sunny",  "swift",  "witty"};

constexpr std::array<std::string_view, 64> kAnimals = {
    "adder", "badger", "bat",   "bear",   "beaver", "bee",    "bison", "boar",  "buck",  "camel",
    "carp",  "cat",    "cobra", "cod",    "crab",   "crane",  "crow",  "deer",  "dove",  "duck",
    "eagle", "eel",    "egret", "elk",    "falcon", "ferret", "finch", "fox",   "frog",  "gecko",
    "goose", "hare",   "hawk",  "hen",    "heron",  "horse",  "ibis",  "jay",   "kite",  "lark",
    "lemur", "lion",   "lynx",  "magpie", "marten", "mole",   "moose", "moth",  "mouse", "newt",
    "otter", "owl",    "panda", "perch",  "pike",   "quail",  "raven", "robin", "seal",  "stork",
    "swan",  "tern",   "trout", "wren"};

bool is_name_character(char c) { return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.'; }

// "/a/My Score.py" -> "my_score"; letters that a name cannot hold become '_'.
std::string stem_of(std::string_view script) {
  if (const std::size_t slash = script.rfind('/'); slash != std::string_view::npos) {
    script.remove_prefix(slash + 1);
  }
  for (const std::string_view ending : {".py", ".yml", ".yaml"}) {
    if (script.ends_with(ending)) script.remove_suffix(ending.size());
  }
  std::string stem = lower_case(script.substr(0, kStemMax));
  std::ranges::replace_if(stem, [](char c) { return !is_name_character(c); }, '_');
  stem.erase(0, std::min(stem.find_first_not_of("._-"), stem.size()));
  stem.erase(stem.find_last_not_of("._-") + 1);
  return stem.empty() ? "job" : stem;
}

}  // namespace

std::string generate_job_name(std::string_view script,
                              std::string_view date,
                              std::uint64_t random) {
  return fmt::format("{}-{}-{}-{}",
                     stem_of(script),
                     date,
                     kAdjectives[random % kAdjectives.size()],
                     kAnimals[random / kAdjectives.size() % kAnimals.size()]);
}

Status check_job_name(std::string_view name) {
  const bool valid = !name.empty() && name.size() <= kNameMax && name.front() != '.' &&
                     name.front() != '-' && std::ranges::all_of(name, is_name_character);
  if (valid) return {};
  return fail(ErrorCode::kInvalid,
              "{} is not a job name; allowed are 1 to {} letters, digits, '-', '_' and '.', not "
              "starting with '-' or '.'",
              in_quotes(name),
              kNameMax);
}

}  // namespace windrow
