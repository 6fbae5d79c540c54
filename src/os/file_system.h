// SPDX-License-Identifier: Apache-2.0
//
// Files as the engine uses them: created once, written at known offsets, synced, linked into place.
//
// A name or content is durable only after the matching sync: `File::sync` for content,
// `sync_folder` for names in a folder. A `sync` that failed is final: the caller gives the file up.
//
// Thread: a FileSystem may be used from any thread; one File by one thread at a time, except that
// `sync` and `read_at` may run beside `write_at`. Failure: Error names the path and the reason.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace windrow {

class File {
 public:
  virtual ~File() = default;

  // Writes all of `bytes` or fails; after a failure any part may have been written.
  virtual Status write_at(std::uint64_t offset, std::string_view bytes) = 0;

  // Reads up to into.size() bytes; fewer only at the end of the file.
  virtual Result<std::size_t> read_at(std::uint64_t offset, std::span<char> into) = 0;

  virtual Result<std::uint64_t> size() = 0;

  // Makes everything written before the call durable.
  virtual Status sync() = 0;

  // A path by which other programs of this machine can open it, for as long as it is open here.
  [[nodiscard]] virtual std::string open_path() const = 0;
};

enum class FileKind : std::uint8_t { kFile, kFolder, kOther };

struct FolderEntry {
  std::string name;  // bytes, no slash
  FileKind kind = FileKind::kOther;
};

struct FileStat {
  FileKind kind = FileKind::kOther;
  std::uint64_t size = 0;
  WallTime modified;         // mtime: the time that the content claims
  WallTime changed;          // the later of it and of the last change of anything (ctime)
  std::uint64_t device = 0;  // device and inode together are the same for the same file only
  std::uint64_t inode = 0;
};

// What a file without a name is called where the file system has no such thing: nobody else's
// leftovers may be taken for ours.
struct HiddenName {
  std::string owner;         // letters and digits, the same for everybody who may remove it
  std::uint64_t number = 0;  // rises with each successor
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // A new file for reading and writing. kConflict when the name is taken.
  virtual Result<std::unique_ptr<File>> create(const std::string& path) = 0;

  // An existing file for reading. kNotFound when there is none.
  virtual Result<std::unique_ptr<File>> open(const std::string& path) = 0;

  // A file without a name in `folder`, to be given one by `link`. It vanishes with its File. Where
  // it has to have a hidden name, those that a dead owner left in the folder, with a number not
  // above this one, are removed first.
  virtual Result<std::unique_ptr<File>> create_unnamed(const std::string& folder,
                                                       const HiddenName& hidden) = 0;

  // Gives a file of create_unnamed its name. kConflict when the name is taken; never replaces.
  virtual Status link(File& file, const std::string& path) = 0;

  // Replaces `to` by `from` in one step.
  virtual Status rename(const std::string& from, const std::string& to) = 0;

  // Hard link: `to` is the same file as `from`. kConflict when `to` is taken.
  virtual Status hard_link(const std::string& from, const std::string& to) = 0;

  virtual Status remove(const std::string& path) = 0;

  // Creates the folder and its parents; fine when it is there already. Synced with its parent.
  virtual Status make_folders(const std::string& path) = 0;

  // The same without a sync, for what may vanish with the power: logs and working folders.
  virtual Status make_casual_folders(const std::string& path) = 0;

  // Makes the names in `folder` durable.
  virtual Status sync_folder(const std::string& folder) = 0;

  // All entries but "." and "..", in no order. Symbolic links count as what they point to.
  virtual Result<std::vector<FolderEntry>> list(const std::string& folder) = 0;

  // Follows symbolic links. kNotFound when there is nothing.
  virtual Result<FileStat> stat(const std::string& path) = 0;
};

}  // namespace windrow
