// SPDX-License-Identifier: Apache-2.0
#include "data/files/lister.h"

#include <algorithm>

namespace windrow {

FileLister::FileLister(FileSystem& fs, std::string root, std::vector<std::string> without)
    : fs_(fs), root_(std::move(root)), without_(std::move(without)) {}

Result<std::vector<std::string>> FileLister::next(std::size_t max) {
  std::vector<std::string> names;
  if (!begun_) {
    begun_ = true;
    RETURN_IF_ERROR(enter("", false));
  }
  while (!open_.empty() && names.size() < max) {
    Folder& folder = open_.back();
    if (folder.at == folder.entries.size()) {
      open_.pop_back();
      continue;
    }
    auto& [name, is_folder] = folder.entries[folder.at++];
    if (is_folder) {
      std::string prefix = folder.prefix + name;
      RETURN_IF_ERROR(enter(std::move(prefix), true));
    } else {
      names.push_back(folder.prefix + name);
    }
  }
  return names;
}

Status FileLister::enter(std::string prefix, bool below_root) {
  std::string path = root_ + "/" + prefix;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (std::find(without_.begin(), without_.end(), path) != without_.end()) return {};
  Folder folder{.prefix = std::move(prefix), .entries = {}};
  if (below_root) {
    ASSIGN_OR_RETURN(const FileStat stat, fs_.stat(path));
    folder.device = stat.device;
    folder.inode = stat.inode;
    const bool loop = std::any_of(open_.begin(), open_.end(), [&](const Folder& above) {
      return above.inode == stat.inode && above.device == stat.device && stat.inode != 0;
    });
    if (loop) return {};
  } else if (const auto stat = fs_.stat(path)) {
    folder.device = stat->device;
    folder.inode = stat->inode;
  }
  ASSIGN_OR_RETURN(std::vector<FolderEntry> entries, fs_.list(path));
  folder.entries.reserve(entries.size());
  for (FolderEntry& entry : entries) {
    if (entry.kind == FileKind::kOther) continue;
    const bool is_folder = entry.kind == FileKind::kFolder;
    if (is_folder) entry.name.push_back('/');
    folder.entries.emplace_back(std::move(entry.name), is_folder);
  }
  std::sort(folder.entries.begin(), folder.entries.end());
  open_.push_back(std::move(folder));
  return {};
}

}  // namespace windrow
