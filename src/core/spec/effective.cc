// SPDX-License-Identifier: Apache-2.0
#include "core/spec/effective.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.h"
#include "base/text.h"
#include "core/spec/program_arguments.h"
#include "core/spec/settings.h"
#include "core/spec/values.h"
#include "core/spec/yaml.h"

namespace windrow {
namespace {

using Kind = SettingValue::Kind;

// Words that YAML readers take for something other than text.
bool is_reserved(std::string_view text) {
  const std::string word = lower_case(text);
  for (const std::string_view reserved :
       {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}) {
    if (word == reserved) return true;
  }
  return false;
}

// A text that YAML reads as the same bytes.
std::string yaml_scalar(std::string_view text) {
  if (find_invalid_utf8(text) != std::string_view::npos) {
    return "!!binary \"" + to_base64(text) + "\"";
  }
  const bool plain = !text.empty() && !is_reserved(text) && text.front() != '-' &&
                     text.front() != '.' && std::ranges::all_of(text, [](char c) {
                       return is_letter_or_digit(c) || c == '/' || c == '.' || c == '_' || c == '-';
                     });
  if (plain) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string yaml_value(const SettingValue& value) {
  if (value.kind == Kind::kBare) return value.text;
  if (value.kind == Kind::kText) return yaml_scalar(value.text);
  std::vector<std::string> items;
  for (const std::string& item : value.items) items.push_back(yaml_scalar(item));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

SettingValue bare(std::string text) { return {Kind::kBare, std::move(text), {}}; }
SettingValue text(std::string text) { return {Kind::kText, std::move(text), {}}; }
SettingValue list(std::vector<std::string> items) { return {Kind::kList, "", std::move(items)}; }

// One value alone, several as a list.
SettingValue one_or_many(std::vector<std::string> items) {
  return items.size() == 1 ? text(std::move(items[0])) : list(std::move(items));
}

// Collects the values of a job, each with its origin.
class Values {
 public:
  explicit Values(const Origins& origins) : origins_(origins) {}

  void add(std::vector<std::string> path, SettingValue value) {
    std::string origin = origin_of(path);
    all_.push_back({std::move(path), std::move(value), std::move(origin)});
  }
  // A key that stands there for the reader: not set, and what that means.
  void unset(std::vector<std::string> path, std::string meaning) {
    all_.push_back({std::move(path), {}, std::move(meaning)});
  }
  // A value that this version always gives.
  void always(std::vector<std::string> path, SettingValue value, std::string why) {
    all_.push_back({std::move(path), std::move(value), std::move(why)});
  }
  std::vector<EffectiveValue> take() { return std::move(all_); }

 private:
  std::string origin_of(const std::vector<std::string>& path) const {
    const std::string key = fmt::format("{}", fmt::join(path, "."));
    auto found = origins_.find(key);
    if (found == origins_.end() && key == "task.program_arguments")
      found = origins_.find("task.args");
    return found == origins_.end() ? "default" : found->second;
  }

  const Origins& origins_;
  std::vector<EffectiveValue> all_;
};

void add_map(Values& values,
             const std::string& key,
             const std::map<std::string, std::string>& map) {
  for (const auto& [name, value] : map) values.add({key, name}, text(value));
}

void add_labels(Values& values, const JobSpec& spec) {
  const auto add = [&values](const char* key, const std::string& value) {
    if (!value.empty()) values.add({key}, text(value));
  };
  values.add({"type"}, bare("parallel"));
  add("name", spec.name);
  add("display_name", spec.labels.display_name);
  add("description", spec.labels.description);
  add("experiment_name", spec.labels.experiment_name);
  add_map(values, "tags", spec.labels.tags);
  add("retry_of", spec.retry_of.value_or(""));
  add("job_dir", spec.job_folder.value_or(""));
}

std::vector<std::string> references(const char* kind, const std::vector<std::string>& names) {
  std::vector<std::string> all;
  for (const std::string& name : names) all.push_back(fmt::format("${{{{{}.{}}}}}", kind, name));
  return all;
}

void add_data(Values& values, const JobSpec& spec) {
  for (const InputSpec& input : spec.inputs) {
    if (input.type == InputType::kLiteral) {
      values.add({"inputs", input.name}, text(input.paths.front()));
      continue;
    }
    values.add({"inputs", input.name, "type"}, bare(std::string(to_text(input.type))));
    if (input.type == InputType::kSql) {
      values.add({"inputs", input.name, "connection"}, text(input.paths.front()));
      values.add({"inputs", input.name, "query"}, text(input.query));
      continue;
    }
    values.add({"inputs", input.name, "path"}, one_or_many(input.paths));
    if (input.as_files) values.add({"inputs", input.name, "mode"}, bare("eval_mount"));
    if (!input.partition_format.empty()) {
      values.add({"inputs", input.name, "partition_format"}, text(input.partition_format));
    }
    if (!input.ignore.empty()) values.add({"inputs", input.name, "ignore"}, list(input.ignore));
  }
  if (!spec.input_data.empty()) {
    values.add({"input_data"}, one_or_many(references("inputs", spec.input_data)));
  }
  for (const OutputSpec& output : spec.outputs) {
    values.add({"outputs", output.name, "type"}, bare(std::string(to_text(output.type))));
    if (output.path) {
      values.add({"outputs", output.name, "path"}, text(*output.path));
    } else {
      values.unset({"outputs", output.name, "path"},
                   "outputs/" + output.name + "/ in the job folder");
    }
  }
}

void add_task(Values& values, const JobSpec& spec) {
  values.add({"task", "type"}, bare("run_function"));
  values.add({"task", "code"}, text(spec.code));
  if (spec.command.empty()) {
    values.add({"task", "entry_script"}, text(spec.entry_script));
  } else {
    values.add({"task", "command"}, text(join_arguments({spec.command})));
    values.add({"task", "command_mode"}, bare(std::string(to_text(spec.command_mode))));
  }
  if (!spec.arguments.empty()) {
    values.add({"task", "program_arguments"}, text(join_arguments(spec.arguments)));
  }
  if (!spec.append_row_to.empty()) {
    values.add({"task", "append_row_to"}, one_or_many(references("outputs", spec.append_row_to)));
  } else {
    values.unset({"task", "append_row_to"}, "summary_only");
  }
}

// "retry_settings.timeout" -> retry_settings, timeout
std::vector<std::string> parts_of(std::string_view key) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= key.size(); at += parts.back().size() + 1) {
    parts.emplace_back(key.substr(at, key.find('.', at) - at));
  }
  return parts;
}

void add_settings(Values& values, const JobSpec& spec) {
  if (!spec.command.empty()) {
    values.unset({"python"}, "a program of its own does the work");
  } else if (spec.python) {
    values.add({"python"}, text(*spec.python));
  } else {
    values.unset({"python"}, "WINDROW_PYTHON, the active environment or python3");
  }
  add_map(values, "environment_variables", spec.environment_variables);
  values.always({"compute"}, bare("local"), "this machine");
  const bool shows_table = spec.input_as == InputAs::kTable || spec.table != TableSpec{};
  for (const Setting& setting : settings()) {
    if (!shows_table && group_of(setting) == "table") continue;
    if (setting.write == nullptr) continue;
    std::vector<std::string> path = parts_of(setting.key);
    SettingValue value = setting.write(spec);
    if (value.kind == Kind::kUnset) {
      values.unset(std::move(path), std::string(setting.unset));
    } else {
      values.add(std::move(path), std::move(value));
    }
  }
}

constexpr auto kMainSettings = std::to_array<std::string_view>({
    "task.command_mode",
    "task.program_arguments",
    "mini_batch_size",
    "output_exists",
    "staged_outputs",
    "retry_settings.max_retries",
    "retry_settings.timeout",
    "error_threshold",
    "mini_batch_error_threshold",
});

// No settings: what the job works on, and what this version always gives.
constexpr auto kNoSettings = std::to_array<std::string_view>(
    {"type", "name", "job_dir", "inputs", "input_data", "outputs", "task", "compute"});

// A number or true or false as JSON knows it; anything else is text.
void add_json(JsonWriter& json, const SettingValue& value) {
  const Result<Json> parsed = parse_json(value.kind == Kind::kBare ? value.text : "{}");
  if (value.kind == Kind::kUnset) {
    json.null();
  } else if (value.kind == Kind::kList) {
    json.begin_array();
    for (const std::string& item : value.items) json.value(item);
    json.end_array();
  } else if (parsed && parsed->get<bool>() != nullptr) {
    json.value(*parsed->get<bool>());
  } else if (parsed && parsed->get<std::int64_t>() != nullptr) {
    json.value(*parsed->get<std::int64_t>());
  } else if (parsed && parsed->get<double>() != nullptr) {
    json.value(*parsed->get<double>());
  } else {
    json.value(value.text);
  }
}

// Values with the same keys above them, `depth` of those. A map is written once, where the first of
// its values stands.
void write_map(std::vector<EffectiveValue> values, std::size_t depth, std::string& out) {
  while (!values.empty()) {
    const std::string key = values.front().path.at(depth);
    const auto rest = std::stable_partition(values.begin(), values.end(), [&](const auto& value) {
      return value.path.at(depth) == key;
    });
    out.append(2 * depth, ' ');
    if (values.front().path.size() == depth + 1) {
      out += effective_line(values.front()) + "\n";
    } else {
      out += yaml_scalar(key) + ":\n";
      write_map({values.begin(), rest}, depth + 1, out);
    }
    values.erase(values.begin(), rest);
  }
}

}  // namespace

std::vector<EffectiveValue> effective_values(const JobSpec& spec, const Origins& origins) {
  Values values(origins);
  add_labels(values, spec);
  add_data(values, spec);
  add_task(values, spec);
  add_settings(values, spec);
  return values.take();
}

std::string effective_line(const EffectiveValue& value) {
  const std::string key = yaml_scalar(value.path.back());
  if (value.value.kind == Kind::kUnset) {
    return fmt::format("# {}: not set; {}", key, escape_bytes(value.origin));
  }
  return fmt::format("{}: {}  # from {}", key, yaml_value(value.value), escape_bytes(value.origin));
}

std::string effective_job_file(const JobSpec& spec, const Origins& origins) {
  std::string out(kEffectiveHead);
  write_map(effective_values(spec, origins), 0, out);
  return out;
}

std::string main_settings(const JobSpec& spec, const Origins& origins) {
  std::string out;
  for (const EffectiveValue& value : effective_values(spec, origins)) {
    if (value.value.kind == Kind::kUnset) continue;
    const std::string key = fmt::format("{}", fmt::join(value.path, "."));
    const bool setting = std::ranges::find(kNoSettings, value.path.front()) == kNoSettings.end();
    const bool said = setting && value.origin != "default";
    if (!said && std::ranges::find(kMainSettings, key) == kMainSettings.end()) continue;
    out += effective_line({{key}, value.value, value.origin}) + "\n";
  }
  return out;
}

std::string effective_config_json(const JobSpec& spec, const Origins& origins) {
  JsonWriter json;
  json.begin_object();
  for (const EffectiveValue& value : effective_values(spec, origins)) {
    json.key(fmt::format("{}", fmt::join(value.path, "."))).begin_object();
    json.key("value");
    add_json(json, value.value);
    const bool set = value.value.kind != Kind::kUnset;
    json.field("origin", set ? value.origin : "default");
    if (!set) json.field("meaning", value.origin);
    json.end_object();
  }
  json.end_object();
  return json.text() + "\n";
}

}  // namespace windrow
