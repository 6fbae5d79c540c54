// SPDX-License-Identifier: Apache-2.0
//
// The real files.
//
// A file without a name is an O_TMPFILE where the file system knows that, else a hidden file
// `.windrow-<owner>.<number>.XXXXXXXXXXXX` in the folder, which is removed with its File and left
// behind only by a crash, until the next one of that owner. Every call goes through the C library's
// wrapper of the same name, so that a preloaded library can make any of them fail.
//
// Thread, failure: as FileSystem says.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "os/file_system.h"

namespace windrow {

class PosixFileSystem final : public FileSystem {
 public:
  // kNever: as on a file system without O_TMPFILE.
  enum class UnnamedFiles { kWherePossible, kNever };

  explicit PosixFileSystem(UnnamedFiles unnamed = UnnamedFiles::kWherePossible)
      : unnamed_(unnamed) {}

  Result<std::unique_ptr<File>> create(const std::string& path) override;
  Result<std::unique_ptr<File>> open(const std::string& path) override;
  Result<std::unique_ptr<File>> create_unnamed(const std::string& folder,
                                               const HiddenName& hidden) override;
  Status link(File& file, const std::string& path) override;
  Status rename(const std::string& from, const std::string& to) override;
  Status hard_link(const std::string& from, const std::string& to) override;
  Status remove(const std::string& path) override;
  Status make_folders(const std::string& path) override { return make_folders(path, true); }
  Status make_casual_folders(const std::string& path) override { return make_folders(path, false); }
  Status sync_folder(const std::string& folder) override;
  Result<std::vector<FolderEntry>> list(const std::string& folder) override;
  Result<FileStat> stat(const std::string& path) override;

 private:
  Status make_folders(const std::string& path, bool durable);

  UnnamedFiles unnamed_;
};

}  // namespace windrow
