// SPDX-License-Identifier: Apache-2.0
#include "workspace/jobs/job_identity.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/counted.h"
#include "base/hash.h"
#include "base/text.h"
#include "core/spec/identity.h"
#include "core/spec/job_paths.h"
#include "os/machine.h"
#include "workspace/jobs/jobs.h"

namespace windrow {
namespace {

constexpr std::uint64_t kCodeFileMax = 64U << 20;
constexpr std::uint64_t kProgramMax = std::uint64_t{1} << 30;
constexpr std::uint64_t kIdentityMax = 64U << 20;
constexpr std::size_t kHashSize = 64;

std::vector<std::string> modules_in(FileSystem& fs, const std::string& folder) {
  std::vector<std::string> names;
  if (const auto entries = fs.list(folder)) {
    for (const FolderEntry& entry : *entries) {
      if (entry.kind == FileKind::kFile && entry.name.ends_with(".py")) names.push_back(entry.name);
    }
  }
  std::ranges::sort(names);
  return names;
}

// The script is named like a module when it is one.
std::string name_of_script(const JobSpec& spec) {
  const std::string path = script_path(spec);
  const bool below = path.starts_with(spec.code + "/");
  return below ? path.substr(spec.code.size() + 1) : path;
}

// "state/identity", or the newest "state/identity.<epoch>".
std::string newest_path(FileSystem& fs, const JobFolder& folder) {
  constexpr std::string_view kStem = "identity.";
  Epoch newest = 0;
  if (const auto entries = fs.list(folder.state())) {
    for (const FolderEntry& entry : *entries) {
      if (!entry.name.starts_with(kStem)) continue;
      const char* end = entry.name.data() + entry.name.size();
      Epoch epoch = 0;
      const auto [at, error] = std::from_chars(entry.name.data() + kStem.size(), end, epoch);
      if (error == std::errc() && at == end) newest = std::max(newest, epoch);
    }
  }
  return newest == 0 ? folder.identity() : folder.identity_from(newest);
}

// The first file that is not what it was, and how many more there are.
std::string code_difference(const std::string& folder,
                            const std::vector<CodeFile>& before,
                            const std::vector<CodeFile>& now) {
  std::map<std::string, std::pair<std::string, std::string>> hashes;
  for (const CodeFile& file : before) hashes[file.name].first = file.hash;
  for (const CodeFile& file : now) hashes[file.name].second = file.hash;
  std::erase_if(hashes, [](const auto& one) { return one.second.first == one.second.second; });
  if (before.empty() || hashes.empty()) return "in " + path_in_quotes(folder);
  // One that the job had says more than one that came to lie beside it.
  const auto had =
      std::ranges::find_if(hashes, [](const auto& one) { return !one.second.first.empty(); });
  const auto& [name, hash] = had == hashes.end() ? *hashes.begin() : *had;
  const std::size_t more = hashes.size() - 1;
  return fmt::format(
      "'{}' is {}{}{}",
      name.starts_with('/') ? name : escape_bytes(folder) + "/" + name,
      hash.first.empty() ? "additional" : (hash.second.empty() ? "missing" : "changed"),
      more == 0
          ? ""
          : fmt::format(", and {} differ{}", counted(more, "other file"), more == 1 ? "s" : ""),
      hash.first.empty() ? " (all .py files beside the script are its code)" : "");
}

}  // namespace

Result<JobIdentity> identity_now(FileSystem& fs, const JobSpec& spec) {
  JobIdentity out{.job = identity_hash(spec), .code = "", .files = {}};
  Sha256 all;
  if (!spec.command.empty()) {  // a name in PATH belongs to the machine, not to the job
    if (spec.command.find('/') != std::string::npos) {
      ASSIGN_OR_RETURN(const std::string program, read_whole_file(spec.command, kProgramMax));
      out.files.push_back({escape_bytes(name_of_script(spec)), sha256(program)});
      all.update_field(program);
    }
    out.code = all.finish();
    return out;
  }
  ASSIGN_OR_RETURN(const std::string script, read_whole_file(script_path(spec), kCodeFileMax));
  all.update_field(script);
  const std::string script_name = name_of_script(spec);
  bool has_script = false;
  for (const std::string& name : modules_in(fs, spec.code)) {
    all.update_field(name);
    const auto text = read_whole_file(spec.code + "/" + name, kCodeFileMax);
    if (text) all.update_field(*text);
    out.files.push_back({escape_bytes(name), sha256(text ? *text : "")});
    has_script = has_script || name == script_name;
  }
  if (!has_script) out.files.push_back({escape_bytes(script_name), sha256(script)});
  std::ranges::sort(out.files, {}, &CodeFile::name);
  out.code = all.finish();
  return out;
}

std::string identity_text(const JobIdentity& identity) {
  std::string text = identity.job + "\n" + identity.code + "\n";
  for (const CodeFile& file : identity.files) text += file.hash + " " + file.name + "\n";
  return text;
}

Result<JobIdentity> read_identity(FileSystem& fs, const JobFolder& folder) {
  const std::string path = newest_path(fs, folder);
  ASSIGN_OR_RETURN(const std::string text, read_whole_file(path, kIdentityMax));
  std::vector<std::string_view> lines;
  bool whole = true;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    whole = whole && end >= kHashSize && end < rest.size();
    lines.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (!whole || lines.size() < 2) return fail(ErrorCode::kInternal, "{} is damaged", path);
  JobIdentity out{.job = std::string(lines[0]), .code = std::string(lines[1]), .files = {}};
  for (std::size_t i = 2; i < lines.size(); ++i) {
    const std::size_t name = std::min(kHashSize + 1, lines[i].size());
    out.files.push_back(
        {std::string(lines[i].substr(name)), std::string(lines[i].substr(0, kHashSize))});
  }
  return out;
}

Status accept_code(FileSystem& fs, const JobFolder& folder, const JobSpec& spec, Epoch epoch) {
  ASSIGN_OR_RETURN(const JobIdentity identity, identity_now(fs, spec));
  RETURN_IF_ERROR(write_whole_file(folder.identity_from(epoch), identity_text(identity)));
  return fs.sync_folder(folder.state());
}

Status check_code_is_there(FileSystem& fs, const JobFolder& folder, const JobSpec& spec) {
  const bool in_path = !spec.command.empty() && spec.command.find('/') == std::string::npos;
  const std::string path = script_path(spec);
  if (in_path || fs.stat(path)) return {};
  return fail(ErrorCode::kInvalid,
              "job {} began with the {} {}, and it is not there now; put it back, or start a new "
              "job with it where it is",
              base_name(folder.root()),
              spec.command.empty() ? "script" : "program",
              path_in_quotes(path));
}

Result<Change> what_changed(FileSystem& fs, const JobFolder& folder, const JobSpec& spec) {
  const Result<JobIdentity> was = read_identity(fs, folder);
  if (!was && was.error().code == ErrorCode::kNotFound) return Change{};  // died being created
  if (!was) return std::unexpected(was.error());
  RETURN_IF_ERROR(check_code_is_there(fs, folder, spec));
  ASSIGN_OR_RETURN(const JobIdentity is, identity_now(fs, spec));
  if (was->job != is.job) {
    ASSIGN_OR_RETURN(const JobReading before, read_job_folder(folder));
    const std::vector<std::string_view> parts = identity_differences(before.spec, spec);
    if (parts.empty()) return Change{.reason = "another version of windrow began it"};
    return Change{.reason =
                      fmt::format("its {} changed since it began", fmt::join(parts, " and "))};
  }
  if (was->code == is.code) return Change{};
  return Change{.code = true,
                .reason = "the code changed since it began: " +
                          code_difference(spec.code, was->files, is.files)};
}

NextStep next_step_of(FileSystem& fs,
                      const JobFolder& folder,
                      const JobOutline& outline,
                      const JobSpec& spec,
                      const std::string& job) {
  const Result<Change> change = what_changed(fs, folder, spec);
  return next_step(outline, spec, job, change && change->code);
}

}  // namespace windrow
