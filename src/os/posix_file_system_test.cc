// SPDX-License-Identifier: Apache-2.0
#include "os/posix_file_system.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/clock_steady.h"

namespace windrow {
namespace {

const HiddenName kHidden{"job", 3};

// Every test runs with unnamed files and with the hidden names that stand in for them.
class PosixFileSystemTest : public testing::TestWithParam<PosixFileSystem::UnnamedFiles> {
 public:
  PosixFileSystemTest() {
    std::string name = "/tmp/windrow-files-XXXXXX";
    folder = ::mkdtemp(name.data());
  }
  ~PosixFileSystemTest() override { std::filesystem::remove_all(folder); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder + "/" + name; }

  void write(const std::string& name, std::string_view bytes) {
    const auto file = *files.create(path(name));
    ASSERT_TRUE(file->write_at(0, bytes));
  }

  std::string read(const std::string& name) {
    auto file = files.open(path(name));
    if (!file) return "error: " + file.error().message;
    std::string text(100, '\0');
    text.resize(*(*file)->read_at(0, text));
    return text;
  }

  std::map<std::string, FileKind> listed(const std::string& of) {
    std::map<std::string, FileKind> entries;
    auto found = files.list(of);
    EXPECT_TRUE(found) << found.error().message;
    for (const FolderEntry& entry : *found) entries[entry.name] = entry.kind;
    EXPECT_EQ(entries.size(), found->size());
    return entries;
  }

  PosixFileSystem files{GetParam()};
  std::string folder;
};

INSTANTIATE_TEST_SUITE_P(Unnamed,
                         PosixFileSystemTest,
                         testing::Values(PosixFileSystem::UnnamedFiles::kWherePossible,
                                         PosixFileSystem::UnnamedFiles::kNever));

TEST_P(PosixFileSystemTest, WritesAtOffsetsAreReadBack) {
  const auto file = *files.create(path("a"));
  ASSERT_TRUE(file->write_at(3, "def"));
  ASSERT_TRUE(file->write_at(0, "abc"));
  ASSERT_TRUE(file->write_at(6, ""));
  ASSERT_TRUE(file->sync());
  EXPECT_EQ(*file->size(), 6U);
  std::string into(4, '\0');
  EXPECT_EQ(*file->read_at(4, into), 2U);
  EXPECT_EQ(into.substr(0, 2), "ef");
  EXPECT_EQ(*file->read_at(6, into), 0U);
  EXPECT_EQ(read("a"), "abcdef");
}

TEST_P(PosixFileSystemTest, CreateNeverTouchesAnExistingFile) {
  write("a", "old");
  const auto again = files.create(path("a"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kConflict);
  EXPECT_EQ(again.error().message, "cannot create " + path("a") + ": File exists");
  EXPECT_EQ(read("a"), "old");
}

TEST_P(PosixFileSystemTest, WhatIsNotThereIsNotFound) {
  EXPECT_EQ(files.open(path("a")).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(files.stat(path("a")).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(files.list(path("a")).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(files.remove(path("a")).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(files.create(path("a/b")).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(files.create_unnamed(path("a"), kHidden).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(files.sync_folder(path("a")).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(files.open(path("a")).error().message,
            "cannot open " + path("a") + ": No such file or directory");
}

TEST_P(PosixFileSystemTest, UnnamedFileVanishesWithItsFile) {
  {
    const auto file = *files.create_unnamed(folder, kHidden);
    ASSERT_TRUE(file->write_at(0, "abc"));
    const bool hidden = GetParam() == PosixFileSystem::UnnamedFiles::kNever;
    const auto entries = listed(folder);
    EXPECT_EQ(entries.size(), hidden ? 1U : 0U);
    if (hidden) {
      EXPECT_TRUE(entries.begin()->first.starts_with(".windrow-job.3."));
    }
  }
  EXPECT_TRUE(listed(folder).empty());
}

TEST_P(PosixFileSystemTest, HiddenFileOfADeadOwnerIsRemovedAndNobodyElses) {
  if (GetParam() != PosixFileSystem::UnnamedFiles::kNever) return;
  const std::set<std::string> others = {".windrow-job.4.abcdefghijkl",   // of a successor
                                        ".windrow-job2.1.abcdefghijkl",  // of another job
                                        ".windrow-job.1.abcdefghijklm",
                                        ".windrow-job.1x.abcdefghijkl",
                                        ".windrow-job.1",
                                        ".windrow-job",
                                        "windrow-job.1.abcdefghijkl"};
  for (const std::string& name : others) write(name, "");
  write(".windrow-job.1.abcdefghijkl", "");
  write(".windrow-job.3.abcdefghijkl", "");
  const auto file = *files.create_unnamed(folder, kHidden);
  ASSERT_TRUE(files.link(*file, path("result")));
  std::set<std::string> left;
  for (const auto& [name, kind] : listed(folder)) left.insert(name);
  EXPECT_TRUE(left.erase("result"));
  EXPECT_EQ(left, others);
}

TEST_P(PosixFileSystemTest, LinkedFileStaysUnderItsNameAlone) {
  {
    const auto file = *files.create_unnamed(folder, kHidden);
    ASSERT_TRUE(file->write_at(0, "abc"));
    ASSERT_TRUE(files.link(*file, path("result")));
    ASSERT_TRUE(file->write_at(3, "d"));
    ASSERT_TRUE(files.sync_folder(folder));
  }
  EXPECT_EQ(listed(folder), (std::map<std::string, FileKind>{{"result", FileKind::kFile}}));
  EXPECT_EQ(read("result"), "abcd");
  struct stat status{};
  ASSERT_EQ(::stat(path("result").c_str(), &status), 0);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  EXPECT_EQ(status.st_mode & 0777U, 0666U & ~mask);
}

TEST_P(PosixFileSystemTest, LinkNeverReplacesAndMayBeTriedAgain) {
  write("result", "old");
  const auto file = *files.create_unnamed(folder, kHidden);
  ASSERT_TRUE(file->write_at(0, "new"));
  const Status linked = files.link(*file, path("result"));
  ASSERT_FALSE(linked);
  EXPECT_EQ(linked.error().code, ErrorCode::kConflict);
  EXPECT_EQ(linked.error().message, "cannot create " + path("result") + ": File exists");
  EXPECT_EQ(read("result"), "old");
  EXPECT_TRUE(files.link(*file, path("result2")));
  EXPECT_EQ(read("result2"), "new");
}

TEST_P(PosixFileSystemTest, RenameReplacesHardLinkDoesNot) {
  write("a", "A");
  write("b", "B");
  EXPECT_EQ(files.hard_link(path("a"), path("b")).error().code, ErrorCode::kConflict);
  ASSERT_TRUE(files.hard_link(path("a"), path("c")));
  ASSERT_TRUE(files.rename(path("a"), path("b")));
  EXPECT_EQ(read("b"), "A");
  EXPECT_EQ(read("c"), "A");
  EXPECT_EQ(files.stat(path("a")).error().code, ErrorCode::kNotFound);
  ASSERT_TRUE(files.remove(path("c")));
  EXPECT_EQ(listed(folder).size(), 1U);
}

TEST_P(PosixFileSystemTest, FoldersAreMadeWithTheirParentsAndAgain) {
  ASSERT_TRUE(files.make_folders(path("a/b/c")));
  ASSERT_TRUE(files.make_folders(path("a/b/c")));
  ASSERT_TRUE(files.make_folders(path("a/b/d/")));
  ASSERT_TRUE(files.make_folders("/"));
  EXPECT_EQ(files.stat(path("a/b/d"))->kind, FileKind::kFolder);
  write("a/file", "");
  const Status made = files.make_folders(path("a/file"));
  EXPECT_EQ(made.error().code, ErrorCode::kConflict);
  EXPECT_FALSE(files.make_folders(path("a/file/below")));
  EXPECT_FALSE(files.make_folders(""));
}

TEST_P(PosixFileSystemTest, ListTellsKindsThroughLinks) {
  write("file", "x");
  ASSERT_TRUE(files.make_folders(path("folder")));
  ASSERT_EQ(::symlink("file", path("to-file").c_str()), 0);
  ASSERT_EQ(::symlink("folder", path("to-folder").c_str()), 0);
  ASSERT_EQ(::symlink("nowhere", path("to-nowhere").c_str()), 0);
  ASSERT_EQ(::symlink("to-itself", path("to-itself").c_str()), 0);
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const std::map<std::string, FileKind> expected = {{"file", FileKind::kFile},
                                                    {"folder", FileKind::kFolder},
                                                    {"to-file", FileKind::kFile},
                                                    {"to-folder", FileKind::kFolder},
                                                    {"to-nowhere", FileKind::kOther},
                                                    {"to-itself", FileKind::kOther},
                                                    {"pipe", FileKind::kOther}};
  EXPECT_EQ(listed(folder), expected);
}

TEST_P(PosixFileSystemTest, NamesAreBytes) {
  const std::string strange = "caf\xe9 \n\"\x01\xff";
  write(strange, "x");
  EXPECT_EQ(listed(folder).begin()->first, strange);
  EXPECT_EQ(read(strange), "x");
}

TEST_P(PosixFileSystemTest, StatTellsKindSizeAndTheLaterTime) {
  write("a", "12345");
  const std::array<timespec, 2> old{{{1000, 0}, {1000, 0}}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path("a").c_str(), old.data(), 0), 0);
  const FileStat found = *files.stat(path("a"));
  EXPECT_EQ(found.kind, FileKind::kFile);
  EXPECT_EQ(found.size, 5U);
  const std::int64_t age = system_now().nanoseconds - found.changed.nanoseconds;
  EXPECT_LT(std::abs(age), 60'000'000'000) << "mtime was set back, but not ctime";
  EXPECT_EQ(files.stat(folder)->kind, FileKind::kFolder);
}

TEST_P(PosixFileSystemTest, ManyEntriesAreAllListed) {
  for (int i = 0; i < 3000; ++i) write("entry-with-a-long-name-" + std::to_string(i), "");
  EXPECT_EQ(listed(folder).size(), 3000U);
}

TEST_P(PosixFileSystemTest, FullDiskIsNamedWithItsReason) {
  // A limit on the size of files stands in for a full disk: the write is cut, the rest refused.
  const auto file = *files.create(path("a"));
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{1000, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const Status written = file->write_at(0, std::string(5000, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, SIG_DFL);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, "cannot write " + path("a") + ": File too large");
  EXPECT_EQ(written.error().code, ErrorCode::kUnavailable);
}

TEST_P(PosixFileSystemTest, SyncThatFailedFailsForEver) {
  // A pipe takes writes but cannot be synced.
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const int writer = ::open(path("pipe").c_str(), O_RDWR | O_CLOEXEC);
  const auto file = *files.open(path("pipe"));
  ::close(writer);
  const Status first = file->sync();
  ASSERT_FALSE(first);
  const Status second = file->sync();
  ASSERT_FALSE(second);
  EXPECT_EQ(first.error().message, second.error().message);
}

TEST_P(PosixFileSystemTest, NoDescriptorIsInheritedByPrograms) {
  const auto named = *files.create(path("a"));
  const auto unnamed = *files.create_unnamed(folder, kHidden);
  const auto opened = *files.open(path("a"));
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const auto target = std::filesystem::read_symlink(entry.path(), gone);
    if (!target.string().starts_with(folder)) continue;
    const int flags = ::fcntl(std::stoi(entry.path().filename()), F_GETFD);
    EXPECT_TRUE((flags & FD_CLOEXEC) != 0) << target;
  }
}

}  // namespace
}  // namespace windrow
