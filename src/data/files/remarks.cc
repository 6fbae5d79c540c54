// SPDX-License-Identifier: Apache-2.0
#include "data/files/remarks.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/counted.h"
#include "base/text.h"

namespace windrow {
namespace {

constexpr auto kToolFolders =
    std::to_array<std::string_view>({".git", ".hg", ".svn", "__pycache__", ".ipynb_checkpoints"});

}  // namespace

void ListingRemarks::add(const ListingRemarks& other) {
  skipped += other.skipped;
  tool_folders.insert(other.tool_folders.begin(), other.tool_folders.end());
}

bool is_tool_folder(std::string_view name) {
  return std::ranges::find(kToolFolders, name) != kToolFolders.end();
}

std::vector<std::string> remark_lines(const ListingRemarks& remarks) {
  std::vector<std::string> lines;
  if (remarks.skipped > 0) {
    lines.push_back(
        fmt::format("{} in the input {} left out (pipes, sockets, devices, links to nothing)",
                    remarks.skipped == 1 ? "1 entry" : human_count(remarks.skipped) + " entries",
                    is_or_are(remarks.skipped)));
  }
  if (!remarks.tool_folders.empty()) {
    const std::string names = fmt::format("{}", fmt::join(remarks.tool_folders, ", "));
    lines.push_back(fmt::format(
        "files in folders named {} are items too; `--set inputs.data.ignore='[\"{}\"]'` leaves "
        "them out, or ignore of the input in a job file",
        names,
        fmt::join(remarks.tool_folders, "\",\"")));
  }
  return lines;
}

}  // namespace windrow
