// SPDX-License-Identifier: Apache-2.0
#include "data/files/inputs.h"

#include <gtest/gtest.h>

#include "os/fake_file_system.h"

namespace windrow {
namespace {

using Names = std::vector<std::string>;

class InputsTest : public testing::Test {
 protected:
  InputsTest() {
    for (const char* name : {"a/1", "a/2", "a/x/3", "b/1", "c[1]/4", ".hidden/5"}) {
      fs_.put(std::string("/data/") + name, "");
    }
  }

  Result<InputFiles> resolve(Names paths, Names ignore = {}) {
    const RealPath real = [this](const std::string& path) -> Result<std::string> {
      if (path == "/link") return std::string("/data/a");
      const Result<FileStat> stat = fs_.stat(path);
      if (!stat) return std::unexpected(stat.error());
      return path;
    };
    return resolve_input(fs_,
                         {.name = "images", .paths = std::move(paths), .ignore = std::move(ignore)},
                         real,
                         "/job/list");
  }

  // The files of an input, or why it is refused.
  Names list(Names paths, Names ignore = {}, std::size_t page = 2) {
    const Result<InputFiles> input = resolve(std::move(paths), std::move(ignore));
    if (!input) return {input.error().message};
    if (const Status right = check_input(fs_, *input); !right) return {right.error().message};
    root_ = input->root;
    InputLister lister(fs_, *input, {});
    Names all;
    for (;;) {
      const Result<Names> names = lister.next(page);
      if (!names) return {names.error().message};
      all.insert(all.end(), names->begin(), names->end());
      if (names->size() < page) return all;
    }
  }

  FakeFileSystem fs_;
  std::string root_;
};

// C151 C164
TEST_F(InputsTest, TakesFoldersFilesAndGlobsInTheOrderGiven) {
  const Names expected = {"b/1", "a/x/3", "a/1", "a/2", "a/x/3", "a/x/3"};
  for (const std::size_t page : {1U, 2U, 3U, 100U}) {
    EXPECT_EQ(list({"/data/b", "/data/a/x/3", "/data/a", "/data/**/3"}, {}, page), expected);
  }
  EXPECT_EQ(root_, "/data");
  EXPECT_EQ(list({"/data/a/x"}), Names{"3"});
  EXPECT_EQ(root_, "/data/a/x");
}

TEST_F(InputsTest, HasTheRootOfTheFileSystemWhenThePathsShareNothing) {
  fs_.put("/else/6", "");
  EXPECT_EQ(list({"/else", "/data/b/1"}), (Names{"else/6", "data/b/1"}));
  EXPECT_EQ(root_, "/");
}

// C152
TEST_F(InputsTest, TakesAPathThatExistsAsItStandsWhateverItsCharacters) {
  EXPECT_EQ(list({"/data/c[1]"}), Names{"4"});
  EXPECT_EQ(list({"/data/c[1]/*"}),
            Names{"the glob '/data/c[1]/*' matches no file (a folder is "
                  "matched by what is in it: end with /** to take all of "
                  "it)"});
  EXPECT_EQ(list({"/data/c[[]1]/*"}), Names{"c[1]/4"});
}

// C153
TEST_F(InputsTest, RefusesAGlobThatMatchesNothingAndNamesIt) {
  EXPECT_EQ(list({"/data/a", "/data/*"}).at(0).substr(0, 36),
            "the glob '/data/*' matches no file (");
  EXPECT_EQ(list({"/nowhere/*"}),
            Names{"the glob '/nowhere/*' matches no file: there is no folder '/nowhere'"});
  EXPECT_EQ(list({"/data/.h*/**"}), Names{".hidden/5"});
}

// C42
TEST_F(InputsTest, RefusesWhatIsNotThere) {
  EXPECT_EQ(list({"/data/a", "/data/nowhere"}), Names{"there is no input '/data/nowhere'"});
}

// C154
TEST_F(InputsTest, TakesAListInItsOrderRelativeToItsFolder) {
  fs_.put("/data/list", "b/1\n/data/a/2\n\n./a/1\n/data/a/2");
  EXPECT_EQ(list({"@/data/list"}), (Names{"b/1", "a/2", "a/1", "a/2"}));
  fs_.put("/data/a/list", "1\n/data/b/1\n../b/1\n-x\n");
  fs_.put("/data/a/-x", "");
  fs_.put("/data/a/../b/1", "");  // the fake one knows no way up
  EXPECT_EQ(list({"@/data/a/list"}), (Names{"1", "/data/b/1", "../b/1", "-x"}));
}

// C154
TEST_F(InputsTest, ReadsAListWithNulBytesAsOneWithoutLines) {
  fs_.put("/data/a/two\nlines", "");
  fs_.put("/data/list", std::string("a/two\nlines\0a/1\0", 16));
  EXPECT_EQ(list({"@/data/list"}), (Names{"a/two\nlines", "a/1"}));
}

// C154
TEST_F(InputsTest, RefusesAListWithPathsThatAreNotThere) {
  std::string text = "a/1\n";
  for (int i = 0; i < 7; ++i) text += "gone" + std::to_string(i) + "\n";
  fs_.put("/data/list", text);
  EXPECT_EQ(list({"@/data/list"}),
            Names{"7 of the 8 paths in /data/list are not there: 'gone0', 'gone1', 'gone2', "
                  "'gone3', 'gone4', ...; a list names files, relative ones below '/data'"});
  fs_.put("/data/list", "a\n");
  EXPECT_EQ(
      list({"@/data/list"}),
      Names{"1 of the 1 paths in /data/list are not files: 'a' (a folder or a device); a list "
            "names files"});
  EXPECT_EQ(list({"@/nowhere"}).at(0).substr(0, 38), "there is no list of paths '/nowhere' (");
}

// C154
TEST_F(InputsTest, RefusesAListThatIsNone) {
  fs_.put("/data/list", std::string(40000, 'x'));
  EXPECT_EQ(list({"@/data/list"}),
            Names{"/data/list: entry 1 is longer than a path can be; a list holds one path to a "
                  "line, or paths separated by NUL bytes"});
}

// C155
TEST_F(InputsTest, TakesTheListOfStandardInputFromTheJob) {
  fs_.put("/job/list", std::string("/data/b/1\0/data/a/1\0", 20));
  EXPECT_EQ(list({"-", "/data/a"}),
            (Names{"data/b/1", "data/a/1", "data/a/1", "data/a/2", "data/a/x/3"}));
}

// C156
TEST_F(InputsTest, LeavesOutWhatIsIgnoredHoweverItCameIn) {
  fs_.put("/data/list", "a/1\na/x/3\nb/1\n");
  EXPECT_EQ(list({"@/data/list", "/data/a/1", "/data/a", "/data/b/*"}, {"1", "x"}), Names{"a/2"});
}

TEST_F(InputsTest, FollowsALinkToAFolder) {
  fs_.put("/link/1", "");
  EXPECT_EQ(list({"/link"}), (Names{"1", "2", "x/3"}));
  EXPECT_EQ(root_, "/data/a");
}

}  // namespace
}  // namespace windrow
