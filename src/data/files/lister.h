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
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "core/plan/glob.h"
#include "data/files/remarks.h"
#include "os/file_system.h"

namespace windrow {

// Which of the files below a folder are wanted.
struct ListingRules {
  std::vector<std::string> without;  // absolute files and folders: the job's own
  IgnoreRules ignore;
  std::optional<Glob> glob;  // of paths relative to the root; none: all
};

class FileLister {
 public:
  // `root` is a folder.
  FileLister(FileSystem& fs, std::string root, ListingRules rules);

  // Up to `max` more names, relative to the root. Fewer only at the end.
  Result<std::vector<std::string>> next(std::size_t max);

  // About what was listed so far.
  [[nodiscard]] const ListingRemarks& remarks() const { return remarks_; }

 private:
  struct Folder {
    std::string prefix;                // relative, ends with a slash unless it is the root
    std::vector<FolderEntry> entries;  // files and folders, names of folders with a slash
    std::vector<std::uint32_t> order;  // of the entries
    std::size_t at = 0;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    Glob::Places places;  // of the glob
    std::string tool;     // name of the tool's folder that this one is, or lies in
  };

  Status enter(std::string prefix, std::string_view name);
  void choose(const std::string& path, Folder& folder);

  FileSystem& fs_;
  std::string root_;
  ListingRules rules_;
  std::vector<Folder> open_;
  ListingRemarks remarks_;
  bool begun_ = false;
};

}  // namespace windrow
