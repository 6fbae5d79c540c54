// SPDX-License-Identifier: Apache-2.0
#include "data/files/row_lister.h"

#include <gtest/gtest.h>

#include "os/fake_file_system.h"

namespace windrow {
namespace {

class RowListerTest : public testing::Test {
 protected:
  std::vector<std::string> names(const std::string& content, std::size_t page = 100) {
    FakeFileSystem fs;
    fs.put("/in/a.jsonl", content);
    auto lister = RowLister::open(fs, "/in/a.jsonl", "a.jsonl", 5);
    EXPECT_TRUE(lister);
    std::vector<std::string> all;
    for (bool more = true; more;) {
      const std::size_t before = all.size();
      const auto next = lister->next(page, all);
      EXPECT_TRUE(next);
      more = next && *next;
      EXPECT_LE(all.size(), before + page);
    }
    return all;
  }
};

using Names = std::vector<std::string>;

TEST_F(RowListerTest, EveryLineIsARow) {  // C660
  const Names expected = {"a.jsonl:1@0+2#5", "a.jsonl:2@3+3#6", "a.jsonl:3@7+1#7"};
  EXPECT_EQ(names("{}\nabc\nx\n"), expected);
  EXPECT_EQ(names("{}\nabc\nx"), expected);
  EXPECT_EQ(names("{}\nabc\nx", 1), expected);
}

TEST_F(RowListerTest, BlankLinesAreNoRows) {  // C660
  EXPECT_EQ(names("\n \r\n{} \r\n\n\t\nx\r\n\n"), (Names{"a.jsonl:3@4+2#5", "a.jsonl:6@12+1#6"}));
  EXPECT_EQ(names(""), Names());
  EXPECT_EQ(names("\n\n"), Names());
}

TEST_F(RowListerTest, ALineMayBeLongerThanWhatIsReadAtOnce) {  // C660
  const std::string line(3'000'000, 'x');
  EXPECT_EQ(names(line + "\n" + line),
            (Names{"a.jsonl:1@0+3000000#5", "a.jsonl:2@3000001+3000000#6"}));
}

}  // namespace
}  // namespace windrow
