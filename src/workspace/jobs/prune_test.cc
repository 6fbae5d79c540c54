// SPDX-License-Identifier: Apache-2.0
#include "workspace/jobs/prune.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "os/posix_file_system.h"

namespace windrow {
namespace {

// The real files, with something that happens just before a rename.
class Meanwhile final : public FileSystem {
 public:
  Result<std::unique_ptr<File>> create(const std::string& path) override {
    return fs_.create(path);
  }
  Result<std::unique_ptr<File>> open(const std::string& path) override { return fs_.open(path); }
  Result<std::unique_ptr<File>> create_unnamed(const std::string& folder,
                                               const HiddenName& hidden) override {
    return fs_.create_unnamed(folder, hidden);
  }
  Status link(File& file, const std::string& path) override { return fs_.link(file, path); }
  Status rename(const std::string& from, const std::string& to) override {
    if (const auto now = std::exchange(before_rename, {})) now();
    return fs_.rename(from, to);
  }
  Status hard_link(const std::string& from, const std::string& to) override {
    return fs_.hard_link(from, to);
  }
  Status remove(const std::string& path) override { return fs_.remove(path); }
  Status make_folders(const std::string& path) override { return fs_.make_folders(path); }
  Status make_casual_folders(const std::string& path) override {
    return fs_.make_casual_folders(path);
  }
  Status sync_folder(const std::string& folder) override { return fs_.sync_folder(folder); }
  Result<std::vector<FolderEntry>> list(const std::string& folder) override {
    return fs_.list(folder);
  }
  Result<FileStat> stat(const std::string& path) override { return fs_.stat(path); }

  std::function<void()> before_rename;

 private:
  PosixFileSystem fs_;
};

class PruneTest : public testing::Test {
 protected:
  PruneTest() {
    std::string name = "/tmp/windrow-prune-XXXXXX";
    home_ = ::mkdtemp(name.data());
    job_ = home_ + "/jobs/one";
    std::filesystem::create_directories(job_ + "/state");
    journal(1);
  }
  ~PruneTest() override { std::filesystem::remove_all(home_); }

  void journal(int epoch) const {
    std::ofstream(job_ + "/state/journal." + std::to_string(epoch)) << "x";
  }
  [[nodiscard]] std::size_t folders() const { return folders_in(home_ + "/jobs").size(); }

  std::string home_;
  std::string job_;
  Meanwhile fs_;
};

// C635
TEST_F(PruneTest, AJobThatGoesOnBeforeItsFolderIsRenamedIsPutBack) {
  Survey survey(fs_, {.home = home_, .folder = "/"});
  ASSERT_EQ(survey.stored().size(), 1U);
  fs_.before_rename = [this] { journal(2); };
  const Status removed = survey.remove(0);
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code, ErrorCode::kConflict);
  EXPECT_TRUE(std::filesystem::exists(job_ + "/state/journal.2"));
  EXPECT_EQ(folders(), 1U);
}

// C635
TEST_F(PruneTest, AJobThatHasGoneOnSinceTheSurveyIsNotTouched) {
  Survey survey(fs_, {.home = home_, .folder = "/"});
  journal(2);
  bool renamed = false;
  fs_.before_rename = [&renamed] { renamed = true; };
  EXPECT_EQ(survey.remove(0).error().message, "it has resumed meanwhile");
  EXPECT_FALSE(renamed);
}

// C635
TEST_F(PruneTest, AnythingElseIsRemoved) {
  Survey survey(fs_, {.home = home_, .folder = "/"});
  ASSERT_TRUE(survey.remove(0));
  EXPECT_EQ(folders(), 0U);
}

}  // namespace
}  // namespace windrow
