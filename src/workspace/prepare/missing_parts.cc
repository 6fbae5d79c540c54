// SPDX-License-Identifier: Apache-2.0
#include "workspace/prepare/missing_parts.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "core/spec/job_paths.h"
#include "core/spec/script_text.h"
#include "core/spec/values.h"
#include "os/machine.h"

namespace windrow {
namespace {

constexpr std::uint64_t kScriptMax = 4U << 20U;  // of what is looked at

// "; did you mean score.py?", when there is such a file beside the one that is missing.
std::string near_file(FileSystem& fs, const std::string& path) {
  const auto entries = fs.list(parent_folder(path));
  if (!entries) return "";
  std::vector<std::string_view> names;
  for (const FolderEntry& entry : *entries) names.emplace_back(entry.name);
  const auto near = nearest_name(base_name(path), names);
  return near ? fmt::format("; did you mean {}?", escape_bytes(*near)) : "";
}

Status check_script(FileSystem& fs, const std::string& script) {
  const Result<FileStat> stat = fs.stat(script);
  if (!stat) {
    return fail(ErrorCode::kInvalid,
                "there is no script {}{}",
                path_in_quotes(script),
                near_file(fs, script));
  }
  if (stat->kind != FileKind::kFile) {
    return fail(ErrorCode::kInvalid,
                "the script {} is not a file; name the one with run(mini_batch)",
                path_in_quotes(script));
  }
  const Result<std::string> text = read_whole_file(script, kScriptMax);
  if (!text || !lacks_run(*text)) return {};
  return fail(
      ErrorCode::kInvalid, "the script {} has no function run(mini_batch)", path_in_quotes(script));
}

Status check_program(FileSystem& fs, const JobSpec& spec) {
  if (find_program(spec.command)) return {};
  constexpr const char* kKinds =
      "a job begins with a Python file (.py), a job file (.yml, .yaml) or a program";
  const std::string path = join_path(spec.code, spec.command);
  const Result<FileStat> there = fs.stat(path);
  if (there && there->kind == FileKind::kFolder) {
    return fail(ErrorCode::kInvalid, "{} is a folder; {}", path_in_quotes(path), kKinds);
  }
  if (spec.command.find('/') == std::string::npos) {
    return fail(ErrorCode::kInvalid,
                "there is no program {} in PATH; {}{}",
                path_in_quotes(spec.command),
                kKinds,
                there ? fmt::format("; did you mean ./{}?", escape_bytes(spec.command)) : "");
  }
  if (!there) {
    return fail(ErrorCode::kInvalid, "there is no program {}; {}", path_in_quotes(path), kKinds);
  }
  return fail(ErrorCode::kInvalid,
              "{} cannot be executed; {}, and `chmod +x` makes one of a file",
              path_in_quotes(path),
              kKinds);
}

bool is_cut(const JobSpec& spec, const InputSpec& input) {
  return std::ranges::find(spec.input_data, input.name) != spec.input_data.end();
}

Status check_there(FileSystem& fs, const InputSpec& input) {
  if (input.type == InputType::kLiteral || input.type == InputType::kSql) return {};
  for (const std::string& said : input.paths) {
    const bool glob = said.find_first_of("*?[") != std::string::npos;
    const std::string path = said.starts_with('@') ? said.substr(1) : said;
    if (said == "-" || glob || fs.stat(path)) continue;
    return fail(ErrorCode::kInvalid,
                "the input {} is not there: no file or folder {}",
                input.name,
                path_in_quotes(path));
  }
  return {};
}

std::string origin_of(const JobReading& reading, const std::string& key) {
  const auto found = reading.origins.find(key);
  return found == reading.origins.end() ? key : found->second;
}

}  // namespace

Status check_task(FileSystem& fs, const JobSpec& spec) {
  return spec.command.empty() ? check_script(fs, script_path(spec)) : check_program(fs, spec);
}

Status check_side_inputs(FileSystem& fs, const JobSpec& spec) {
  for (const InputSpec& input : spec.inputs) {
    if (!is_cut(spec, input)) RETURN_IF_ERROR(check_there(fs, input));
  }
  return {};
}

std::vector<Problem> task_problems(FileSystem& fs, const JobReading& reading) {
  const JobSpec& spec = reading.spec;
  const bool known = !spec.code.empty() && !(spec.entry_script.empty() && spec.command.empty());
  if (!known) return {};
  const Status done = check_task(fs, spec);
  if (done) return {};
  const char* key = spec.command.empty() ? "task.entry_script" : "task.command";
  return {{origin_of(reading, key), done.error().message}};
}

std::vector<Problem> input_problems(FileSystem& fs, const JobReading& reading) {
  std::vector<Problem> problems;
  for (const InputSpec& input : reading.spec.inputs) {
    if (const Status there = check_there(fs, input); !there) {
      problems.push_back(
          {origin_of(reading, "inputs." + input.name + ".path"), there.error().message});
    }
  }
  return problems;
}

}  // namespace windrow
