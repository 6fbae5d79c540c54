// SPDX-License-Identifier: Apache-2.0
#include "workspace/prepare/staged_folders.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "os/machine.h"

namespace windrow {
namespace {

bool is_in_or_same(const std::string& path, const std::string& folder) {
  return path == folder || folder == "/" || path.starts_with(folder + "/");
}

Status check_two(const StagedOutput& one, const StagedOutput& other) {
  const std::string a = settled_path(one.folder);
  const std::string b = settled_path(other.folder);
  if (!is_in_or_same(a, b) && !is_in_or_same(b, a)) return {};
  return fail(ErrorCode::kInvalid,
              "with staged_outputs each output needs a folder of its own, outside of the others: "
              "give {} ({}) or {} ({}) another path",
              one.name,
              path_in_quotes(one.folder),
              other.name,
              path_in_quotes(other.folder));
}

}  // namespace

std::string settled_path(const std::string& path) {
  std::string at = "/";
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = std::string_view(path).substr(begin, end - begin);
    begin = end + 1;
    const std::string next = part == ".." ? parent_folder(at) : join_path(at, part);
    at = real_path(next).value_or(next);
  }
  return at;
}

Status check_staged_folders(const std::vector<StagedOutput>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) RETURN_IF_ERROR(check_two(outputs[j], outputs[i]));
  }
  return {};
}

}  // namespace windrow
