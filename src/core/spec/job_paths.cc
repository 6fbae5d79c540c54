// SPDX-License-Identifier: Apache-2.0
#include "core/spec/job_paths.h"

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "core/spec/program_arguments.h"

namespace windrow {
namespace {

std::string output_path(const OutputSpec& output, std::string_view job_folder) {
  if (output.path) return *output.path;
  const std::string folder = join_path(join_path(job_folder, "outputs"), output.name);
  return output.type == OutputType::kFile ? join_path(folder, kDefaultRowFile) : folder;
}

// The one behind EntryScript().output_dir.
const OutputSpec* main_output(const JobSpec& spec) {
  const OutputSpec* main = spec.outputs.empty() ? nullptr : &spec.outputs.front();
  for (const OutputSpec& output : spec.outputs) {
    if (!spec.append_row_to.empty() && spec.append_row_to[0] == output.name) main = &output;
  }
  return main;
}

std::string folder_of(const OutputSpec& output, const std::string& path) {
  return output.type == OutputType::kFile ? parent_folder(path) : path;
}

void resolve_arguments(const JobSpec& spec, JobPaths& paths) {
  paths.arguments.clear();
  for (const std::string& argument : spec.arguments) {
    paths.arguments.push_back(replace_references(argument, [&paths](const Reference& reference) {
      const bool input = reference.kind == Reference::Kind::kInput;
      return (input ? paths.inputs : paths.outputs)[reference.name];
    }));
  }
}

// Of the output that stands in for none.
constexpr std::string_view kUndeclared = "outputs";

}  // namespace

std::string join_path(std::string_view folder, std::string_view path) {
  std::string whole(path);
  if (!path.starts_with('/') && !folder.empty()) {
    whole = std::string(folder) + "/" + whole;
  }
  std::string out = whole.starts_with('/') ? "/" : "";
  for (std::size_t at = 0; at < whole.size();) {
    const std::size_t end = std::min(whole.find('/', at), whole.size());
    const std::string_view part = std::string_view(whole).substr(at, end - at);
    at = end + 1;
    if (part.empty() || part == ".") continue;
    if (!out.empty() && out.back() != '/') out += '/';
    out += part;
  }
  return out.empty() ? "." : out;
}

std::string parent_folder(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return std::string(path.substr(0, std::max<std::size_t>(slash, 1)));
}

std::string base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

bool is_remote_path(std::string_view path) {
  const std::size_t colons = path.find("://");
  const std::string_view scheme = path.substr(0, colons);
  const bool url = colons != std::string_view::npos && !scheme.empty() &&
                   std::ranges::all_of(scheme, [](char c) {
                     return is_letter_or_digit(c) || c == '+' || c == '.' || c == '-';
                   });
  return url || path.starts_with("azureml:");
}

std::string script_module(const JobSpec& spec) {
  const std::string& script = spec.entry_script;
  const bool is_path = script.find('/') != std::string::npos || script.ends_with(".py");
  return is_path ? "" : script;
}

std::string script_path(const JobSpec& spec) {
  if (!spec.command.empty()) return spec.command;
  std::string script = spec.entry_script;
  if (!script_module(spec).empty()) {
    std::ranges::replace(script, '.', '/');
    script += ".py";
  }
  return join_path(spec.code, script);
}

JobPaths resolve_job_paths(const JobSpec& spec, std::string_view job_folder) {
  JobPaths paths;
  for (const InputSpec& input : spec.inputs) {
    const std::string& first = input.paths.at(0);
    const bool list = input.type != InputType::kLiteral && first.starts_with('@');
    paths.inputs[input.name] = list ? first.substr(1) : first;
  }
  for (const OutputSpec& output : spec.outputs) {
    paths.outputs[output.name] = output_path(output, job_folder);
    paths.folders.push_back(folder_of(output, paths.outputs[output.name]));
  }
  const OutputSpec* main = main_output(spec);
  paths.output_folder = main == nullptr ? join_path(job_folder, "outputs")
                                        : folder_of(*main, paths.outputs[main->name]);
  if (main == nullptr) paths.folders.push_back(paths.output_folder);
  for (const std::string& name : spec.append_row_to) {
    const auto output = std::ranges::find(spec.outputs, name, &OutputSpec::name);
    CHECK(output != spec.outputs.end());
    const std::string& path = paths.outputs[name];
    const bool file = output->type == OutputType::kFile;
    paths.targets.push_back(file ? path : join_path(path, kDefaultRowFile));
  }
  resolve_arguments(spec, paths);
  return paths;
}

std::vector<StagedOutput> staged_outputs(const JobSpec& spec, const JobPaths& paths) {
  std::vector<StagedOutput> out;
  if (!spec.staged_outputs) return out;
  for (const OutputSpec& output : spec.outputs) {
    out.push_back({output.name, folder_of(output, paths.outputs.at(output.name))});
  }
  if (out.empty()) out.push_back({std::string(kUndeclared), paths.output_folder});
  return out;
}

JobPaths staged_paths(const JobSpec& spec, const JobPaths& paths, std::string_view folder) {
  JobPaths out = paths;
  for (const OutputSpec& output : spec.outputs) {
    std::string& path = out.outputs[output.name];
    const std::string below = join_path(folder, output.name);
    path = output.type == OutputType::kFile ? join_path(below, base_name(path)) : below;
  }
  const OutputSpec* main = main_output(spec);
  out.output_folder = join_path(folder, main == nullptr ? kUndeclared : main->name);
  resolve_arguments(spec, out);
  return out;
}

}  // namespace windrow
