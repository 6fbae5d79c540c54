// SPDX-License-Identifier: Apache-2.0
#include "master/publish.h"

#include <memory>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "os/fake_file_system.h"

namespace windrow {
namespace {

class PublishTest : public testing::Test {
 protected:
  PublishTest() {
    EXPECT_TRUE(fs_.make_folders("/out"));
    add("/out/rows.txt", "rows\n");
    add("/out/more.txt", "more\n");
  }

  void add(const std::string& path, const std::string& text) {
    Result<std::unique_ptr<File>> file = fs_.create_unnamed("/out", {});
    EXPECT_TRUE(file && (*file)->write_at(0, text));
    open_.push_back(*std::move(file));
    files_.push_back({open_.back().get(), {path, text.size(), crc32c(text)}});
  }

  std::string publish(const std::vector<fact::Publishing>& before = {}) {
    const Status status = publish_together(fs_, files_, before, [this] { return superseded_; });
    return status ? "" : status.error().message;
  }

  // The second link fails, after `meanwhile`.
  void fail_second_link(const std::function<void()>& meanwhile) {
    fs_.watch([meanwhile](FakeFileSystem::Call call, const std::string& path, std::size_t) {
      const bool fails = call == FakeFileSystem::Call::kLink && path == "/out/more.txt";
      if (fails) meanwhile();
      return fails ? std::optional(FakeFileSystem::Fault{}) : std::nullopt;
    });
  }

  FakeFileSystem fs_;
  bool superseded_ = false;
  std::vector<std::unique_ptr<File>> open_;
  std::vector<MergedFile> files_;
};

// C935
TEST_F(PublishTest, LinksNothingWhenAnyTargetIsSomebodyElses) {
  fs_.put("/out/more.txt", "mine\n");
  EXPECT_EQ(publish(),
            "/out/more.txt exists and is not the result of this job; remove it, then run the "
            "command again");
  EXPECT_FALSE(fs_.content("/out/rows.txt"));
  EXPECT_EQ(fs_.content("/out/more.txt"), "mine\n");
}

// C935
TEST_F(PublishTest, TakesBackWhatItLinkedWhenALaterLinkFails) {
  fail_second_link([] {});
  EXPECT_NE(publish(), "");
  EXPECT_FALSE(fs_.content("/out/rows.txt"));
  EXPECT_FALSE(fs_.durable()->content("/out/rows.txt"));
}

// C935
TEST_F(PublishTest, TakesBackOnlyWhatIsStillItsOwnFile) {
  fail_second_link([this] { fs_.put("/out/rows.txt", "of another program\n"); });
  EXPECT_NE(publish(), "");
  EXPECT_EQ(fs_.content("/out/rows.txt"), "of another program\n");
}

// C935
TEST_F(PublishTest, LeavesWhatAnotherMasterMayHaveFinishedWith) {
  superseded_ = true;
  fail_second_link([] {});
  EXPECT_NE(publish(), "");
  EXPECT_EQ(fs_.content("/out/rows.txt"), "rows\n");
}

// C935
TEST_F(PublishTest, LeavesWhatADeadMasterHasLinkedWhenALaterLinkFails) {
  fs_.put("/out/rows.txt", "rows\n");
  fail_second_link([] {});
  EXPECT_NE(publish(), "");
  EXPECT_EQ(fs_.content("/out/rows.txt"), "rows\n");
}

// C936
TEST_F(PublishTest, TakesAFileForItsOwnByWhatADeadMasterJournaled) {
  const std::string other = "the same rows, by another version of the library\n";
  fs_.put("/out/rows.txt", other);
  EXPECT_NE(publish({{"/out/more.txt", other.size(), crc32c(other)}}), "");
  EXPECT_NE(publish({{"/out/rows.txt", other.size(), crc32c("another text")}}), "");
  EXPECT_FALSE(fs_.content("/out/more.txt"));
  EXPECT_EQ(publish({{"/out/rows.txt", other.size(), crc32c(other)}}), "");
  EXPECT_EQ(fs_.content("/out/rows.txt"), other);
  EXPECT_EQ(fs_.content("/out/more.txt"), "more\n");
}

// C935
TEST_F(PublishTest, ReplacesNothingWhenANewFileCannotBeLinked) {
  fs_.put("/out/rows.txt", "old\n");
  fs_.watch([](FakeFileSystem::Call call, const std::string& path, std::size_t) {
    const bool fails = call == FakeFileSystem::Call::kLink && path.starts_with("/out/more.txt");
    return fails ? std::optional(FakeFileSystem::Fault{}) : std::nullopt;
  });
  EXPECT_FALSE(replace_together(fs_, files_));
  EXPECT_EQ(fs_.content("/out/rows.txt"), "old\n");
  EXPECT_EQ(fs_.list("/out")->size(), 1U);
}

}  // namespace
}  // namespace windrow
