// SPDX-License-Identifier: Apache-2.0
#include "os/fake_file_system.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/check.h"

namespace windrow {
namespace {

// "/a/b" to "/a" and "b".
std::pair<std::string, std::string> split(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  CHECK(slash != std::string::npos);
  return {path.substr(0, slash), path.substr(slash + 1)};
}

std::unexpected<Error> broken(const char* what, const std::string& path) {
  return fail(ErrorCode::kUnavailable, "cannot {} {}: Input/output error", what, path);
}

void write_into(std::string& data, std::uint64_t offset, std::string_view bytes) {
  if (data.size() < offset + bytes.size()) data.resize(offset + bytes.size());
  std::memcpy(data.data() + offset, bytes.data(), bytes.size());
}

}  // namespace

struct FakeFileSystem::Inode {
  struct Write {
    std::uint64_t offset = 0;
    std::string bytes;
  };
  std::uint64_t number = 0;
  std::string data;            // what readers see
  std::string durable;         // what a power cut leaves
  std::vector<Write> pending;  // between the two
  WallTime changed;

  void sync() {
    for (const Write& write : pending) write_into(durable, write.offset, write.bytes);
    pending.clear();
  }
};

struct FakeFileSystem::Folder {
  using Names = std::map<std::string, InodePtr>;
  using Change = std::vector<std::pair<std::string, InodePtr>>;  // null: removed; all or nothing

  std::uint64_t number = 0;
  Names names;
  Names durable;
  std::vector<Change> pending;

  static void apply(Names& to, const Change& change) {
    for (const auto& [name, inode] : change) {
      if (inode) {
        to[name] = inode;
      } else {
        to.erase(name);
      }
    }
  }

  void add(Change change) {
    apply(names, change);
    pending.push_back(std::move(change));
  }

  void sync() {
    for (const Change& change : pending) apply(durable, change);
    pending.clear();
  }
};

class FakeFile final : public File {
 public:
  FakeFile(FakeFileSystem& fs, FakeFileSystem::InodePtr inode, std::string path, bool writable)
      : fs_(fs), inode_(std::move(inode)), path_(std::move(path)), writable_(writable) {}

  Status write_at(std::uint64_t offset, std::string_view bytes) override {
    if (!writable_) return broken("write", path_);
    const auto fault = fs_.ask(FakeFileSystem::Call::kWrite, path_, bytes.size());
    if (fault) bytes = bytes.substr(0, fault->written);
    write_into(inode_->data, offset, bytes);
    inode_->pending.push_back({offset, std::string(bytes)});
    inode_->changed = fs_.time();
    return fault ? Status(broken("write", path_)) : Status();
  }

  Result<std::size_t> read_at(std::uint64_t offset, std::span<char> into) override {
    if (fs_.ask(FakeFileSystem::Call::kRead, path_)) return broken("read", path_);
    if (offset >= inode_->data.size()) return 0;
    const std::size_t size = std::min<std::size_t>(into.size(), inode_->data.size() - offset);
    std::memcpy(into.data(), inode_->data.data() + offset, size);
    return size;
  }

  Result<std::uint64_t> size() override { return inode_->data.size(); }

  // A failure is final for this File; who opens the file again may have more luck.
  Status sync() override {
    if (sync_failed_) return broken("sync", path_);
    if (fs_.ask(FakeFileSystem::Call::kSync, path_)) {
      sync_failed_ = true;
      return broken("sync", path_);
    }
    inode_->sync();
    return {};
  }

  [[nodiscard]] std::string open_path() const override { return path_; }

  [[nodiscard]] const FakeFileSystem::InodePtr& inode() const { return inode_; }
  void set_path(std::string path) { path_ = std::move(path); }

 private:
  FakeFileSystem& fs_;
  FakeFileSystem::InodePtr inode_;
  std::string path_;
  bool writable_;
  bool sync_failed_ = false;
};

FakeFileSystem::FakeFileSystem(Clock clock) : clock_(std::move(clock)) { folders_[""].number = 1; }

FakeFileSystem::~FakeFileSystem() = default;

std::optional<FakeFileSystem::Fault> FakeFileSystem::ask(Call call,
                                                         const std::string& path,
                                                         std::size_t size) const {
  return watch_ ? watch_(call, path, size) : std::nullopt;
}

FakeFileSystem::InodePtr FakeFileSystem::new_inode() {
  auto inode = std::make_shared<Inode>();
  inode->number = ++inode_last_;
  inode->changed = time();
  return inode;
}

FakeFileSystem::Folder* FakeFileSystem::find_folder(const std::string& path) {
  const auto found = folders_.find(path);
  return found == folders_.end() ? nullptr : &found->second;
}

FakeFileSystem::InodePtr FakeFileSystem::find(const std::string& path) const {
  const auto [folder, name] = split(path);
  const auto found = folders_.find(folder);
  if (found == folders_.end()) return nullptr;
  const auto entry = found->second.names.find(name);
  return entry == found->second.names.end() ? nullptr : entry->second;
}

Status FakeFileSystem::add_name(const std::string& path, InodePtr inode, Call call) {
  if (ask(call, path)) return broken("create", path);
  const auto [folder, name] = split(path);
  Folder* const parent = find_folder(folder);
  if (parent == nullptr) {
    return fail(ErrorCode::kNotFound, "cannot create {}: No such file or directory", path);
  }
  if (parent->names.contains(name) || folders_.contains(path)) {
    return fail(ErrorCode::kConflict, "cannot create {}: File exists", path);
  }
  parent->add({{name, std::move(inode)}});
  return {};
}

Result<std::unique_ptr<File>> FakeFileSystem::create(const std::string& path) {
  InodePtr inode = new_inode();
  RETURN_IF_ERROR(add_name(path, inode, Call::kCreate));
  return std::make_unique<FakeFile>(*this, std::move(inode), path, true);
}

Result<std::unique_ptr<File>> FakeFileSystem::open(const std::string& path) {
  if (ask(Call::kOpen, path)) return broken("open", path);
  InodePtr inode = find(path);
  if (!inode) {
    return fail(ErrorCode::kNotFound, "cannot open {}: No such file or directory", path);
  }
  return std::make_unique<FakeFile>(*this, std::move(inode), path, false);
}

Result<std::unique_ptr<File>> FakeFileSystem::create_unnamed(const std::string& folder,
                                                             const HiddenName& /*hidden*/) {
  const std::string path = folder + "/(unnamed)";
  if (ask(Call::kCreate, path)) return broken("create a file in", folder);
  if (find_folder(folder) == nullptr) {
    return fail(ErrorCode::kNotFound, "cannot create a file in {}: no such folder", folder);
  }
  return std::make_unique<FakeFile>(*this, new_inode(), path, true);
}

Status FakeFileSystem::link(File& file, const std::string& path) {
  auto* const ours = dynamic_cast<FakeFile*>(&file);
  CHECK(ours != nullptr);
  RETURN_IF_ERROR(add_name(path, ours->inode(), Call::kLink));
  ours->set_path(path);
  return {};
}

Status FakeFileSystem::rename(const std::string& from, const std::string& to) {
  if (ask(Call::kRename, to)) return broken("rename", from);
  std::vector<std::string> below;  // a folder with everything in it; durable, as folders are here
  for (const auto& [path, folder] : folders_) {
    if (path == from || path.starts_with(from + "/")) below.push_back(path);
  }
  for (const std::string& path : below) {
    auto node = folders_.extract(path);
    node.key() = to + path.substr(from.size());
    folders_.insert(std::move(node));
  }
  if (!below.empty()) return {};
  InodePtr inode = find(from);
  if (!inode) return fail(ErrorCode::kNotFound, "cannot rename {}: no such file", from);
  const auto [from_folder, from_name] = split(from);
  const auto [to_folder, to_name] = split(to);
  CHECK(from_folder == to_folder);  // nothing of ours renames across folders
  folders_[to_folder].add({{from_name, nullptr}, {to_name, std::move(inode)}});
  return {};
}

Status FakeFileSystem::hard_link(const std::string& from, const std::string& to) {
  InodePtr inode = find(from);
  if (!inode) return fail(ErrorCode::kNotFound, "cannot link {}: no such file", from);
  return add_name(to, std::move(inode), Call::kLink);
}

Status FakeFileSystem::remove(const std::string& path) {
  if (ask(Call::kRemove, path)) return broken("remove", path);
  if (folders_.contains(path)) {
    if (!list(path)->empty()) return fail(ErrorCode::kUnavailable, "{} is not empty", path);
    folders_.erase(path);
    return {};
  }
  if (!find(path)) return fail(ErrorCode::kNotFound, "cannot remove {}: no such file", path);
  const auto [folder, name] = split(path);
  folders_[folder].add({{name, nullptr}});
  return {};
}

Status FakeFileSystem::make_folders(const std::string& path) {
  if (folders_.contains(path)) return {};
  if (ask(Call::kMakeFolder, path)) return broken("create the folder", path);
  if (find(path)) return fail(ErrorCode::kConflict, "cannot create the folder {}: a file", path);
  RETURN_IF_ERROR(make_folders(split(path).first));
  folders_[path].number = ++inode_last_;
  return {};
}

Status FakeFileSystem::sync_folder(const std::string& folder) {
  if (ask(Call::kSyncFolder, folder)) return broken("sync the folder", folder);
  Folder* const found = find_folder(folder);
  if (found == nullptr) return fail(ErrorCode::kNotFound, "there is no folder {}", folder);
  found->sync();
  return {};
}

Result<std::vector<FolderEntry>> FakeFileSystem::list(const std::string& folder) {
  if (ask(Call::kList, folder)) return broken("list", folder);
  const Folder* const found = find_folder(folder);
  if (found == nullptr) return fail(ErrorCode::kNotFound, "cannot list {}: no such folder", folder);
  std::vector<FolderEntry> entries;
  for (const auto& [name, inode] : found->names) entries.push_back({name, FileKind::kFile});
  const std::string prefix = folder + "/";
  for (auto it = folders_.lower_bound(prefix); it != folders_.end(); ++it) {
    if (!it->first.starts_with(prefix)) break;
    const std::string_view name = std::string_view(it->first).substr(prefix.size());
    if (!name.empty() && name.find('/') == std::string_view::npos) {
      entries.push_back({std::string(name), FileKind::kFolder});
    }
  }
  return entries;
}

Result<FileStat> FakeFileSystem::stat(const std::string& path) {
  if (ask(Call::kStat, path)) return broken("look at", path);
  if (const Folder* const folder = find_folder(path)) {
    return FileStat{.kind = FileKind::kFolder, .device = 1, .inode = folder->number};
  }
  const InodePtr inode = find(path);
  if (!inode) return fail(ErrorCode::kNotFound, "cannot look at {}: no such file", path);
  return FileStat{.kind = FileKind::kFile,
                  .size = inode->data.size(),
                  .modified = inode->changed,
                  .changed = inode->changed,
                  .device = 1,
                  .inode = inode->number};
}

// Of what was not synced: nothing, everything, or any part; of a write also its beginning alone.
void FakeFileSystem::power_cut(const Draw& draw) {
  for (auto& [path, folder] : folders_) {
    if (!folder.pending.empty()) cut_folder(folder, draw);
  }
  for (auto& [path, folder] : folders_) {
    for (auto& [name, inode] : folder.names) {
      if (inode->data == inode->durable && inode->pending.empty()) continue;
      cut_file(*inode, draw);
    }
  }
}

void FakeFileSystem::cut_folder(Folder& folder, const Draw& draw) {
  const std::uint64_t mode = draw(3);
  const std::uint64_t cut = draw(folder.pending.size() + 1);
  for (std::size_t i = 0; i < folder.pending.size(); ++i) {
    const bool there = mode == 0 ? false : mode == 1 ? i < cut : draw(2) == 0;
    if (there) Folder::apply(folder.durable, folder.pending[i]);
  }
  folder.pending.clear();
  folder.names = folder.durable;
}

void FakeFileSystem::cut_file(Inode& inode, const Draw& draw) {
  const std::uint64_t mode = draw(4);
  for (const Inode::Write& write : inode.pending) {
    const std::uint64_t what = mode < 2 ? mode : draw(4);
    if (what == 0) continue;
    const std::size_t size = what == 1 ? write.bytes.size() : draw(write.bytes.size() + 1);
    write_into(inode.durable, write.offset, std::string_view(write.bytes).substr(0, size));
    // The length may have got further than the bytes.
    const std::size_t end = write.offset + write.bytes.size();
    if (what == 3 && inode.durable.size() < end) inode.durable.resize(end);
  }
  inode.pending.clear();
  inode.data = inode.durable;
}

std::unique_ptr<FakeFileSystem> FakeFileSystem::durable() const {
  auto copy = std::make_unique<FakeFileSystem>(clock_);
  for (const auto& [path, folder] : folders_) {
    Folder& to = copy->folders_[path];
    to.number = folder.number;
    for (const auto& [name, inode] : folder.durable) {
      auto kept = std::make_shared<Inode>();
      kept->number = inode->number;
      kept->changed = inode->changed;
      kept->data = kept->durable = inode->durable;
      to.names[name] = to.durable[name] = std::move(kept);
    }
  }
  return copy;
}

void FakeFileSystem::put(const std::string& path, std::string bytes) {
  const auto [folder, name] = split(path);
  CHECK(make_folders(folder));
  InodePtr inode = new_inode();
  inode->data = inode->durable = std::move(bytes);
  Folder& parent = folders_[folder];
  parent.names[name] = parent.durable[name] = std::move(inode);
}

std::optional<std::string> FakeFileSystem::content(const std::string& path) const {
  const InodePtr inode = find(path);
  return inode ? std::optional(inode->data) : std::nullopt;
}

std::vector<std::string> FakeFileSystem::files() const {
  std::vector<std::string> out;
  for (const auto& [path, folder] : folders_) {
    for (const auto& [name, inode] : folder.names) out.push_back(fmt::format("{}/{}", path, name));
  }
  return out;
}

}  // namespace windrow
