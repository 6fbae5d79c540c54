// SPDX-License-Identifier: Apache-2.0
//
// A disk in memory that forgets what was not synced.
//
// Every process sees what was written (the page cache), whoever wrote it and whether or not it
// still lives. power_cut() goes back to what is durable: content by File::sync, names by
// sync_folder; of the rest, any part may be there. A watch sees every call first and can make it
// fail, a write also after some of its bytes.
//
// Thread: one. Ownership: Files keep their content alive, not the file system. Failure: as
// FileSystem says, plus what the watch asks for.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "os/file_system.h"

namespace windrow {

class FakeFileSystem final : public FileSystem {
 public:
  enum class Call : std::uint8_t {
    kCreate,
    kOpen,
    kRead,
    kWrite,
    kSync,
    kLink,
    kRename,
    kRemove,
    kMakeFolder,
    kSyncFolder,
    kList,
    kStat,
  };
  struct Fault {
    std::size_t written = 0;  // of a write: so many bytes get through before the error
  };
  // `size`: bytes of a write.
  using Watch =
      std::function<std::optional<Fault>(Call, const std::string& path, std::size_t size)>;
  using Clock = std::function<WallTime()>;
  // A number below its argument.
  using Draw = std::function<std::uint64_t(std::uint64_t below)>;

  explicit FakeFileSystem(Clock clock = nullptr);
  ~FakeFileSystem() override;

  void watch(Watch watch) { watch_ = std::move(watch); }

  Result<std::unique_ptr<File>> create(const std::string& path) override;
  Result<std::unique_ptr<File>> open(const std::string& path) override;
  Result<std::unique_ptr<File>> create_unnamed(const std::string& folder,
                                               const HiddenName& hidden) override;
  Status link(File& file, const std::string& path) override;
  Status rename(const std::string& from, const std::string& to) override;
  Status hard_link(const std::string& from, const std::string& to) override;
  Status remove(const std::string& path) override;
  Status make_folders(const std::string& path) override;
  Status make_casual_folders(const std::string& path) override { return make_folders(path); }
  Status sync_folder(const std::string& folder) override;
  Result<std::vector<FolderEntry>> list(const std::string& folder) override;
  Result<FileStat> stat(const std::string& path) override;

  // The power fails and comes back. REQUIRES: nobody uses a File from before.
  void power_cut(const Draw& draw);

  // What the harshest power cut would leave.
  [[nodiscard]] std::unique_ptr<FakeFileSystem> durable() const;

  // For tests: a durable file, replacing what is there; what a file holds; all paths in order.
  void put(const std::string& path, std::string bytes);
  [[nodiscard]] std::optional<std::string> content(const std::string& path) const;
  [[nodiscard]] std::vector<std::string> files() const;

 private:
  friend class FakeFile;
  struct Inode;
  struct Folder;
  using InodePtr = std::shared_ptr<Inode>;

  std::optional<Fault> ask(Call call, const std::string& path, std::size_t size = 0) const;
  InodePtr new_inode();
  Folder* find_folder(const std::string& path);
  [[nodiscard]] InodePtr find(const std::string& path) const;
  Status add_name(const std::string& path, InodePtr inode, Call call);
  static void cut_folder(Folder& folder, const Draw& draw);
  static void cut_file(Inode& inode, const Draw& draw);
  [[nodiscard]] WallTime time() const { return clock_ ? clock_() : WallTime{1}; }

  Clock clock_;
  Watch watch_;
  std::map<std::string, Folder> folders_;  // by path without a slash at the end; "" is the root
  std::uint64_t inode_last_ = 1;
};

}  // namespace windrow
