// SPDX-License-Identifier: Apache-2.0
#include "os/posix_file_system.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "os/descriptor.h"

namespace windrow {
namespace {

constexpr mode_t kFileMode = 0666;  // less the umask
constexpr mode_t kFolderMode = 0777;

ErrorCode code_of(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return ErrorCode::kNotFound;
    case EEXIST:
      return ErrorCode::kConflict;
    case EINVAL:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
    case EXDEV:
      return ErrorCode::kInvalid;
    default:
      return ErrorCode::kUnavailable;
  }
}

// "cannot create /a/b: No space left on device"
std::unexpected<Error> cannot(std::string_view what, const std::string& path, int error) {
  return fail(code_of(error), "cannot {} {}: {}", what, path, reason(error));
}

// Repeats a call that a signal interrupted.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// The files that PosixFileSystem hands out; `link` relies on there being no other kind.
class PosixFile final : public File {
 public:
  PosixFile(Descriptor descriptor, std::string path)
      : descriptor_(std::move(descriptor)), path_(std::move(path)) {}

  ~PosixFile() override {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
  }
  PosixFile(PosixFile&&) = delete;
  PosixFile& operator=(PosixFile&&) = delete;

  Status write_at(std::uint64_t offset, std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t written = uninterrupted([&] {
        return ::pwrite(descriptor_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
      });
      if (written <= 0) return cannot("write", path_, written < 0 ? errno : EIO);
      offset += static_cast<std::uint64_t>(written);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
  }

  Result<std::size_t> read_at(std::uint64_t offset, std::span<char> into) override {
    std::size_t done = 0;
    while (done < into.size()) {
      const ssize_t got = uninterrupted([&] {
        return ::pread(descriptor_.get(),
                       into.data() + done,
                       into.size() - done,
                       static_cast<off_t>(offset + done));
      });
      if (got < 0) return cannot("read", path_, errno);
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

  Result<std::uint64_t> size() override {
    struct stat status{};
    if (::fstat(descriptor_.get(), &status) != 0) return cannot("look at", path_, errno);
    return static_cast<std::uint64_t>(status.st_size);
  }

  Status sync() override {
    // The kernel tells of lost pages once. A second fdatasync would succeed and mean nothing.
    if (const int error = sync_error_.load()) return cannot("sync", path_, error);
    if (uninterrupted([&] { return ::fdatasync(descriptor_.get()); }) == 0) return {};
    sync_error_ = errno;
    return cannot("sync", path_, sync_error_.load());
  }

  [[nodiscard]] std::string open_path() const override {
    return fmt::format("/proc/{}/fd/{}", ::getpid(), descriptor_.get());
  }

  [[nodiscard]] int number() const { return descriptor_.get(); }

  // The hidden name that stands in for "no name"; empty when there is none.
  [[nodiscard]] const std::string& temporary() const { return temporary_; }
  void set_temporary(std::string path) { temporary_ = std::move(path); }
  void set_path(std::string path) { path_ = std::move(path); }

 private:
  Descriptor descriptor_;
  std::string path_;
  std::string temporary_;
  std::atomic<int> sync_error_ = 0;
};

std::string parent_of(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return std::string(path.substr(0, std::max<std::size_t>(slash, 1)));
}

constexpr std::size_t kHiddenLetters = 12;

std::string hidden_prefix(const HiddenName& hidden) {
  return fmt::format(".windrow-{}.", hidden.owner);
}

std::string hidden_name(const std::string& folder, const HiddenName& hidden) {
  static constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz012345";
  std::array<unsigned char, kHiddenLetters> random{};
  // At start-up of the machine it may fall short; the name is then poor but O_EXCL still guards it.
  [[maybe_unused]] const ssize_t got = ::getrandom(random.data(), random.size(), GRND_NONBLOCK);
  std::string name = fmt::format("{}/{}{}.", folder, hidden_prefix(hidden), hidden.number);
  for (const unsigned char byte : random) name += kLetters[byte % kLetters.size()];
  return name;
}

// The number in a hidden name of this owner.
std::optional<std::uint64_t> hidden_number(std::string_view name, const HiddenName& hidden) {
  const std::string prefix = hidden_prefix(hidden);
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const std::string_view rest = name.substr(static_cast<std::size_t>(end - name.data()));
  const bool ours =
      error == std::errc() && rest.starts_with('.') && rest.size() == kHiddenLetters + 1;
  return ours ? std::optional(number) : std::nullopt;
}

// What cannot be listed or removed stays: it is untidy and harms nothing.
void remove_leftovers(PosixFileSystem& files, const std::string& folder, const HiddenName& hidden) {
  const auto entries = files.list(folder);
  if (!entries) return;
  for (const FolderEntry& entry : *entries) {
    const auto number = hidden_number(entry.name, hidden);
    if (entry.kind == FileKind::kFile && number && *number <= hidden.number) {
      static_cast<void>(files.remove(folder + "/" + entry.name));
    }
  }
}

Result<std::unique_ptr<File>> create_hidden(PosixFileSystem& files,
                                            const std::string& folder,
                                            const HiddenName& hidden) {
  remove_leftovers(files, folder, hidden);
  constexpr int kAttempts = 16;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string name = hidden_name(folder, hidden);
    Descriptor file(uninterrupted(
        [&] { return ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kFileMode); }));
    if (file) {
      auto made = std::make_unique<PosixFile>(std::move(file), name);
      made->set_temporary(std::move(name));
      return made;
    }
    if (errno != EEXIST) break;
  }
  return cannot("create a file in", folder, errno);
}

bool link_is_unknown(int error) {
  return error == EPERM || error == EOPNOTSUPP || error == ENOSYS || error == EMLINK;
}

FileKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::kFile;
  return S_ISDIR(mode) ? FileKind::kFolder : FileKind::kOther;
}

// The kind behind a name that readdir could not tell. A link to nowhere is kOther; what cannot be
// looked at is an error, because leaving an input out without a word would be worse.
Result<FileKind> look_up_kind(int folder, const std::string& path, const char* name) {
  struct stat status{};
  if (::fstatat(folder, name, &status, 0) == 0) return kind_of(status.st_mode);
  if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP) return FileKind::kOther;
  return cannot("look at", path + "/" + name, errno);
}

Result<FileKind> entry_kind(int folder, const std::string& path, const dirent& entry) {
  switch (entry.d_type) {
    case DT_REG:
      return FileKind::kFile;
    case DT_DIR:
      return FileKind::kFolder;
    case DT_LNK:
    case DT_UNKNOWN:
      return look_up_kind(folder, path, entry.d_name);
    default:
      return FileKind::kOther;
  }
}

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

Result<std::unique_ptr<File>> PosixFileSystem::create(const std::string& path) {
  Descriptor file(uninterrupted(
      [&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kFileMode); }));
  if (!file) return cannot("create", path, errno);
  return std::make_unique<PosixFile>(std::move(file), path);
}

Result<std::unique_ptr<File>> PosixFileSystem::open(const std::string& path) {
  Descriptor file(uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }));
  if (!file) return cannot("open", path, errno);
  return std::make_unique<PosixFile>(std::move(file), path);
}

Result<std::unique_ptr<File>> PosixFileSystem::create_unnamed(const std::string& folder,
                                                              const HiddenName& hidden) {
  if (unnamed_ == UnnamedFiles::kNever) return create_hidden(*this, folder, hidden);
  Descriptor file(uninterrupted(
      [&] { return ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kFileMode); }));
  if (file) return std::make_unique<PosixFile>(std::move(file), "a file in " + folder);
  // Without O_TMPFILE the file system says EOPNOTSUPP, an old kernel EISDIR.
  if (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL) {
    return create_hidden(*this, folder, hidden);
  }
  return cannot("create a file in", folder, errno);
}

Status PosixFileSystem::link(File& file, const std::string& path) {
  auto* const ours = dynamic_cast<PosixFile*>(&file);
  CHECK(ours != nullptr);
  const std::string& hidden = ours->temporary();
  const std::string source =
      hidden.empty() ? fmt::format("/proc/self/fd/{}", ours->number()) : hidden;
  int failed = ::linkat(AT_FDCWD, source.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW);
  if (failed != 0 && !hidden.empty() && link_is_unknown(errno)) {
    // No hard links here (FAT, some network shares): a rename that refuses to replace.
    failed = ::renameat2(AT_FDCWD, source.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE);
  }
  if (failed != 0) return cannot("create", path, errno);
  if (!hidden.empty() && (::unlink(hidden.c_str()) == 0 || errno == ENOENT)) {
    ours->set_temporary("");  // else the destructor tries again
  }
  ours->set_path(path);
  return {};
}

Status PosixFileSystem::rename(const std::string& from, const std::string& to) {
  if (::renameat(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str()) == 0) return {};
  return cannot("rename", from + " to " + to, errno);
}

Status PosixFileSystem::hard_link(const std::string& from, const std::string& to) {
  if (::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), 0) == 0) return {};
  return cannot("link", from + " to " + to, errno);
}

Status PosixFileSystem::remove(const std::string& path) {
  // An empty folder as well.
  if (::remove(path.c_str()) == 0) return {};
  return cannot("remove", path, errno);
}

Status PosixFileSystem::make_folders(const std::string& path, bool durable) {
  const auto sync = [&](const std::string& folder) {
    return durable ? sync_folder(folder) : Status();
  };
  if (::mkdir(path.c_str(), kFolderMode) == 0) return sync(parent_of(path));
  const int error = errno;
  // Whatever mkdir says (EEXIST, on some mounts EACCES or EROFS): what counts is that it is there.
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0) {
    if (!S_ISDIR(status.st_mode)) return cannot("create the folder", path, EEXIST);
    // Its maker may have died before the name was durable. It may be anybody's, so no error.
    static_cast<void>(sync(parent_of(path)));
    return {};
  }
  const std::string parent = parent_of(path);
  if (error != ENOENT || parent == path || parent == ".") {
    return cannot("create the folder", path, error);
  }
  RETURN_IF_ERROR(make_folders(parent, durable));
  if (::mkdir(path.c_str(), kFolderMode) == 0) return sync(parent);
  // Another process may have made it meanwhile.
  if (errno == EEXIST && ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return {};
  return cannot("create the folder", path, errno);
}

Status PosixFileSystem::sync_folder(const std::string& folder) {
  const Descriptor opened(
      uninterrupted([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!opened) return cannot("open the folder", folder, errno);
  if (uninterrupted([&] { return ::fsync(opened.get()); }) == 0) return {};
  // A file system that knows no sync of folders (some FUSE and network ones) writes names at once.
  if (errno == EINVAL || errno == EOPNOTSUPP) return {};
  return cannot("sync the folder", folder, errno);
}

Result<std::vector<FolderEntry>> PosixFileSystem::list(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(folder.c_str()), ::closedir);
  if (!opened) return cannot("list", folder, errno);
  const int number = ::dirfd(opened.get());
  std::vector<FolderEntry> entries;
  for (;;) {
    errno = 0;
    // NOLINTNEXTLINE(concurrency-mt-unsafe): only one thread reads this stream
    const dirent* entry = ::readdir(opened.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    ASSIGN_OR_RETURN(const FileKind kind, entry_kind(number, folder, *entry));
    entries.push_back({std::string(name), kind});
  }
  if (errno != 0) return cannot("list", folder, errno);
  return entries;
}

Result<FileStat> PosixFileSystem::stat(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return cannot("look at", path, errno);
  return FileStat{
      .kind = kind_of(status.st_mode),
      .size = static_cast<std::uint64_t>(status.st_size),
      .modified = {nanoseconds(status.st_mtim)},
      .changed = {std::max(nanoseconds(status.st_mtim), nanoseconds(status.st_ctim))},
      .device = status.st_dev,
      .inode = status.st_ino,
  };
}

}  // namespace windrow
