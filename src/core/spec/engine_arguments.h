// SPDX-License-Identifier: Apache-2.0
//
// Settings among the arguments of the script: `--error_threshold 5`, as ParallelRunStep knows them.
// The engine uses them, and the script sees them too.
//
// The list is closed, so that an argument of a script never gets a new meaning: another one would
// have to begin with `--windrow-`.
//
// Thread: any; values in, values out.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec/settings.h"

namespace windrow {

struct EngineArgument {
  enum class Effect {
    kSets,     // the setting `key`
    kNothing,  // accepted: what it asks for is always so, or up to the worker
    kRefused,  // unless its value is false; `why` says the reason
  };
  std::string_view name;  // without dashes
  Effect effect = Effect::kSets;
  std::string_view key;  // of kSets
  std::string_view why;  // of kRefused
};

std::span<const EngineArgument> engine_arguments();

// One that stands among the arguments. The last one wins.
struct FoundArgument {
  const EngineArgument* known = nullptr;
  std::optional<std::string> value;  // quotes around it are gone; none: nothing follows
};

// Those that are known, in order; and for each that is nearly one, a sentence.
struct FoundArguments {
  std::vector<FoundArgument> known;
  std::vector<std::string> misspelt;
};

FoundArguments find_engine_arguments(const std::vector<std::string>& arguments);

// The text for the setting's read(): a threshold with decimals is rounded up.
std::string engine_value(const EngineArgument& argument, const std::string& said);

}  // namespace windrow
