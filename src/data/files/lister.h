// SPDX-License-Identifier: Apache-2.0
//
// Lists the files below a folder, in bytewise order of their paths, a page at a time.
//
// Lazy: a folder is read whole and sorted when the listing comes to it, a sub-folder sorting as its
// name and a slash, so that depth-first order is path order. Only regular files count; links count
// as what they point to, and a link back to a folder above is not followed.
//
// Thread: one at a time. Failure: Error naming the folder; the lister is of no use afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "os/file_system.h"

namespace windrow {

class FileLister {
 public:
  // `root` is a folder. Folders in `without` (absolute) are left out: the job's own, when they lie
  // inside the input.
  FileLister(FileSystem& fs, std::string root, std::vector<std::string> without);

  // Up to `max` more names, relative to the root. Fewer only at the end.
  Result<std::vector<std::string>> next(std::size_t max);

 private:
  struct Folder {
    std::string prefix;                // relative, ends with a slash unless it is the root
    std::vector<FolderEntry> entries;  // files and folders, names of folders with a slash
    std::vector<std::uint32_t> order;  // of the entries
    std::size_t at = 0;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
  };

  Status enter(std::string prefix, bool below_root);

  FileSystem& fs_;
  std::string root_;
  std::vector<std::string> without_;
  std::vector<Folder> open_;
  bool begun_ = false;
};

}  // namespace windrow
