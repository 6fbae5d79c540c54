// SPDX-License-Identifier: Apache-2.0
#include "core/spec/settings_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "core/spec/engine_arguments.h"
#include "core/spec/settings.h"

namespace windrow {
namespace {

// The value without a word from the user, or what it means that there is none.
std::string default_of(const Setting& setting) {
  if (setting.write == nullptr) return std::string(setting.unset);
  const SettingValue value = setting.write(JobSpec{});
  if (value.kind == SettingValue::Kind::kUnset) return std::string(setting.unset);
  return value.text.empty() ? "empty" : value.text;
}

// "--run_invocation_timeout, --score_run_timeout"
std::string arguments_of(const Setting& setting) {
  std::string all;
  const auto add = [&all](std::string_view name) {
    all += fmt::format("{}--{}", all.empty() ? "" : ", ", name);
  };
  if (!setting.argument.empty()) add(setting.argument);
  for (const EngineArgument& argument : engine_arguments()) {
    if (argument.key == setting.key && argument.name != setting.argument) add(argument.name);
  }
  return all;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? "\\|" : std::string(1, c);
  return out;
}

}  // namespace

std::string settings_text() {
  std::string out =
      "Keys of a job file, also for --set KEY=VALUE. Those with an argument can stand among the\n"
      "script's arguments too: the engine uses it and the script sees it.\n";
  for (const Setting& setting : settings()) {
    out += fmt::format(
        "\n{}\n    {}\n    allowed: {}\n", setting.key, setting.meaning, setting.allowed);
    if (const std::string said = default_of(setting); !said.empty()) {
      out += fmt::format("    default: {}\n", said);
    }
    if (const std::string arguments = arguments_of(setting); !arguments.empty()) {
      out += fmt::format("    argument: {}\n", arguments);
    }
  }
  return out;
}

std::string settings_markdown() {
  std::string out =
      "| key | allowed | default | argument | meaning |\n| --- | --- | --- | --- | --- |\n";
  for (const Setting& setting : settings()) {
    const std::string arguments = arguments_of(setting);
    out += fmt::format("| `{}` | {} | {} | {} | {} |\n",
                       setting.key,
                       escaped(setting.allowed),
                       escaped(default_of(setting)),
                       arguments.empty() ? "" : "`" + arguments + "`",
                       escaped(setting.meaning));
  }
  return out;
}

std::string settings_json() {
  JsonWriter json;
  json.begin_array();
  for (const Setting& setting : settings()) {
    json.begin_object()
        .field("key", setting.key)
        .field("allowed", setting.allowed)
        .field("default", default_of(setting))
        .field("argument", arguments_of(setting))
        .field("meaning", setting.meaning)
        .end_object();
  }
  json.end_array();
  return json.text() + "\n";
}

}  // namespace windrow
