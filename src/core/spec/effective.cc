// SPDX-License-Identifier: Apache-2.0
#include "core/spec/effective.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/hash.h"
#include "base/text.h"
#include "core/spec/program_arguments.h"
#include "core/spec/values.h"
#include "core/spec/yaml.h"

namespace windrow {
namespace {

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

// The lines of a job file, each value with its origin behind it.
class JobFileWriter {
 public:
  explicit JobFileWriter(const Origins& origins) : origins_(origins) {}

  void open(std::string_view key) {
    line(yaml_scalar(key) + ":");
    path_.emplace_back(key);
  }
  void close() { path_.pop_back(); }

  // `literal` is YAML already.
  void put(std::string_view key, std::string_view literal) {
    line(fmt::format("{}: {}  # from {}", yaml_scalar(key), literal, origin(key)));
  }
  void text(std::string_view key, std::string_view value) { put(key, yaml_scalar(value)); }
  void number(std::string_view key, std::int64_t value) { put(key, std::to_string(value)); }

  // A key that stands there for the reader: not set, and what that means.
  void unset(std::string_view key, std::string_view meaning) {
    line(fmt::format("# {}: not set; {}", key, meaning));
  }
  // A value that this version always gives.
  void fixed(std::string_view key, std::string_view literal, std::string_view why) {
    line(fmt::format("{}: {}  # {}", key, literal, why));
  }

  std::string take() { return std::move(out_); }

 private:
  void line(std::string_view content) {
    out_.append(2 * path_.size(), ' ');
    out_ += content;
    out_ += '\n';
  }

  std::string origin(std::string_view key) const {
    std::string path = fmt::format("{}{}{}", fmt::join(path_, "."), path_.empty() ? "" : ".", key);
    auto found = origins_.find(path);
    if (found == origins_.end() && path == "task.program_arguments")
      found = origins_.find("task.args");
    return found == origins_.end() ? "default" : escape_bytes(found->second);
  }

  const Origins& origins_;
  std::vector<std::string> path_;
  std::string out_;
};

void write_text_map(JobFileWriter& out,
                    std::string_view key,
                    const std::map<std::string, std::string>& map) {
  if (map.empty()) return;
  out.open(key);
  for (const auto& [name, value] : map) out.text(name, value);
  out.close();
}

void write_labels(JobFileWriter& out, const JobSpec& spec) {
  const auto text = [&out](std::string_view key, const std::string& value) {
    if (!value.empty()) out.text(key, value);
  };
  out.put("type", "parallel");
  text("name", spec.name);
  text("display_name", spec.labels.display_name);
  text("description", spec.labels.description);
  text("experiment_name", spec.labels.experiment_name);
  write_text_map(out, "tags", spec.labels.tags);
  if (spec.retry_of) out.text("retry_of", *spec.retry_of);
  if (spec.job_folder) out.text("job_dir", *spec.job_folder);
}

void write_data(JobFileWriter& out, const JobSpec& spec) {
  out.open("inputs");
  for (const InputSpec& input : spec.inputs) {
    out.open(input.name);
    out.put("type", "uri_folder");
    out.text("path", input.paths.at(0));
    out.close();
  }
  out.close();
  out.text("input_data", "${{inputs." + spec.input_data.at(0) + "}}");
  out.number("mini_batch_size", spec.mini_batch_size.files);
  if (spec.outputs.empty()) return;
  out.open("outputs");
  for (const OutputSpec& output : spec.outputs) {
    out.open(output.name);
    out.put("type", to_text(output.type));
    if (output.path) {
      out.text("path", *output.path);
    } else {
      out.unset("path", "outputs/" + output.name + "/ in the job folder");
    }
    out.close();
  }
  out.close();
}

void write_task(JobFileWriter& out, const JobSpec& spec) {
  out.open("task");
  out.put("type", "run_function");
  out.text("code", spec.code);
  out.text("entry_script", spec.entry_script);
  if (!spec.arguments.empty()) out.text("program_arguments", join_arguments(spec.arguments));
  if (!spec.append_row_to.empty()) {
    out.text("append_row_to", "${{outputs." + spec.append_row_to[0] + "}}");
  } else {
    out.unset("append_row_to", "summary_only");
  }
  out.close();
}

void write_limits(JobFileWriter& out, const JobSpec& spec) {
  if (spec.python) {
    out.text("python", *spec.python);
  } else {
    out.unset("python", "WINDROW_PYTHON, the active environment or python3");
  }
  write_text_map(out, "environment_variables", spec.environment_variables);
  out.fixed("compute", "local", "this machine");
  out.open("resources");
  out.fixed("instance_count", "1", "this machine");
  out.close();
  if (spec.worker.count) {
    out.number("max_concurrency_per_instance", *spec.worker.count);
  } else {
    out.unset("max_concurrency_per_instance", "as many workers as there are CPUs for them");
  }
  out.open("retry_settings");
  out.number("max_retries", std::int64_t{spec.limits.tries_max} - 1);
  out.put("timeout", seconds_text(spec.limits.run_timeout));
  out.close();
  out.number("error_threshold", spec.limits.error_threshold);
  out.number("mini_batch_error_threshold", spec.limits.mini_batch_error_threshold);
  out.put("logging_level", to_text(spec.record.logging_level));
}

}  // namespace

std::string effective_job_file(const JobSpec& spec, const Origins& origins) {
  JobFileWriter out(origins);
  write_labels(out, spec);
  write_data(out, spec);
  write_task(out, spec);
  write_limits(out, spec);
  return "# The job as it runs: every default filled in, and where each value came from.\n" +
         out.take();
}

std::string identity_hash(const JobSpec& spec) {
  Sha256 hash;
  const auto add_optional = [&hash](const std::optional<std::string>& text) {
    hash.update_field(text ? "set" : "unset");
    hash.update_field(text.value_or(""));
  };
  const auto add_count = [&hash](std::size_t count) { hash.update_field(std::to_string(count)); };
  hash.update_field("windrow job identity 1");
  hash.update_field(formation_hash(spec));
  hash.update_field(spec.code);
  hash.update_field(spec.entry_script);
  add_count(spec.arguments.size());
  for (const std::string& argument : spec.arguments) hash.update_field(argument);
  add_count(spec.environment_variables.size());
  for (const auto& [name, value] : spec.environment_variables) {
    hash.update_field(name);
    hash.update_field(value);
  }
  add_count(spec.inputs.size());
  for (const InputSpec& input : spec.inputs) {
    hash.update_field(input.name);
    add_count(input.paths.size());
    for (const std::string& path : input.paths) hash.update_field(path);
  }
  add_count(spec.outputs.size());
  for (const OutputSpec& output : spec.outputs) {
    hash.update_field(output.name);
    hash.update_field(to_text(output.type));
    add_optional(output.path);
  }
  add_count(spec.append_row_to.size());
  for (const std::string& name : spec.append_row_to) hash.update_field(name);
  add_optional(spec.retry_of);
  return hash.finish();
}

std::string formation_hash(const JobSpec& spec) {
  Sha256 hash;
  hash.update_field("windrow formation 1");
  for (const std::string& name : spec.input_data) {
    const auto data = std::ranges::find(spec.inputs, name, &InputSpec::name);
    if (data == spec.inputs.end()) continue;
    hash.update_field(std::to_string(data->paths.size()));
    for (const std::string& path : data->paths) hash.update_field(path);
  }
  hash.update_field("files");
  hash.update_field(std::to_string(spec.mini_batch_size.files));
  return hash.finish();
}

}  // namespace windrow
