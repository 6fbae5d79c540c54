// SPDX-License-Identifier: Apache-2.0
#include "workspace/prepare/check_targets.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/text.h"
#include "core/spec/job_paths.h"
#include "master/publish.h"
#include "workspace/prepare/staged_folders.h"

namespace windrow {
namespace {

constexpr std::size_t kNameMax = 255;  // bytes, on every file system of Linux that people use

// What the engine has in a job folder. Rows may be in "outputs", or have a name of their own.
constexpr std::array<std::string_view, 7> kOwnNames = {
    "job.yml", "azureml-logs", "user_logs", "logs", "work", "staged", "state"};

bool is_below(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

// Whether the engine itself makes a file or folder of this name.
bool is_of_engine(const std::string& name, const JobFolder& folder) {
  if (folder.root().empty()) return false;  // nothing will be run
  const std::string target = settled_path(name);
  const std::string root = settled_path(folder.root());
  if (target == root || target == root + "/outputs" || is_below(root, target)) return true;
  if (!is_below(target, root)) return false;
  const std::string_view rest = std::string_view(target).substr(root.size() + 1);
  return std::ranges::find(kOwnNames, rest.substr(0, rest.find('/'))) != kOwnNames.end();
}

Status check_name(FileSystem& fs, const PreparedJob& run, const std::string& target) {
  if (is_of_engine(target, run.folder)) {
    return fail(ErrorCode::kInvalid,
                "the rows cannot go to {}: the job folder {} needs that name; choose another file "
                "with --append-row-to",
                path_in_quotes(target),
                path_in_quotes(run.folder.root()));
  }
  const std::size_t longest =
      kNameMax - (run.replace_targets ? std::string_view(kNewSuffix).size() : 0);
  const std::size_t length = base_name(target).size();
  if (length > longest) {
    return fail(ErrorCode::kInvalid,
                "the name of the output file {} has {} bytes, and {} is the most{}; choose a "
                "shorter one with --append-row-to",
                path_in_quotes(target),
                length,
                longest,
                run.replace_targets ? " for a file that may be replaced" : "");
  }
  const Result<FileStat> there = fs.stat(target);
  if (there && there->kind == FileKind::kFolder) {
    return fail(ErrorCode::kInvalid,
                "the rows cannot go to {}: it is a folder; name a file with --append-row-to",
                path_in_quotes(target));
  }
  if (there || there.error().code != ErrorCode::kInvalid) return {};
  return fail(ErrorCode::kInvalid,
              "the rows cannot go to {}: {}; choose another file with --append-row-to",
              path_in_quotes(target),
              there.error().message);
}

Status refuse_existing(const PreparedJob& run, const std::string& target) {
  const char* const instead =
      run.spec.retry_of
          ? "put the new result in the place of the old one with --replace"
          : "replace it with --set output_exists=overwrite (output_exists: overwrite in a job "
            "file)";
  return fail(ErrorCode::kConflict,
              "the output file {} exists; remove it, choose another with --append-row-to, or {}",
              path_in_quotes(target),
              instead);
}

// A job that died while it published has its own result there. The checksum is compared when the
// rows are published again.
Status check_own(const std::string& target, const FileStat& there, const JobState& before) {
  const auto own = std::ranges::find(before.publishing(), target, &fact::Publishing::path);
  const bool named = own != before.publishing().end();
  if (!before.publishing().empty() && (!named || own->length == there.size)) return {};
  if (named) {
    return fail(ErrorCode::kConflict,
                "{} exists and is not the result of this job: it has {} bytes instead of {}; move "
                "it away, then run the command again",
                path_in_quotes(target),
                there.size,
                own->length);
  }
  return fail(ErrorCode::kConflict,
              "the output file {} exists (`windrow job merge` may have made it); move it away, "
              "then run the command again",
              path_in_quotes(target));
}

}  // namespace

Status check_targets(FileSystem& fs,
                     const PreparedJob& run,
                     const std::vector<std::string>& targets,
                     const JobState* before) {
  std::set<std::string> seen;
  for (const std::string& target : targets) {
    if (!seen.insert(target).second) {
      return fail(ErrorCode::kInvalid,
                  "two outputs in append_row_to have the same file {}; give each its own path",
                  path_in_quotes(target));
    }
    RETURN_IF_ERROR(check_name(fs, run, target));
    const Result<FileStat> there = fs.stat(target);
    if (run.replace_targets || !there) continue;
    RETURN_IF_ERROR(before == nullptr ? refuse_existing(run, target)
                                      : check_own(target, *there, *before));
  }
  return {};
}

}  // namespace windrow
