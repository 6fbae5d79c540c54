// SPDX-License-Identifier: Apache-2.0
#include "workspace/logs/dead_letters.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "os/fake_loop.h"

namespace windrow {
namespace {

using std::chrono::seconds;

class DeadLettersTest : public testing::Test {
 protected:
  // A row whose mark is its name.
  MarkOfRow mark() {
    return [this](const std::string& path) {
      EXPECT_FALSE(on_the_loop_) << "a file is opened on the loop's thread";
      return path.substr(path.rfind('/') + 1);
    };
  }

  static fact::AttemptEnded ended(BatchId id, Verdict verdict) {
    fact::AttemptEnded fact;
    fact.record.token = {1, id, 1};
    fact.verdict = verdict;
    return fact;
  }

  void add(DeadLetters& letters, const fact::AttemptEnded& fact, std::uint32_t items) {
    on_the_loop_ = true;
    const std::string names = items == 1 ? "a" : std::string("a\0b", 3);
    letters.add(fact, {items, "/in", names}, 1);
    on_the_loop_ = false;
  }

  // Mini-batch and mark of each line so far; "-" for a line without one.
  std::string marks() {
    std::string out;
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = text_.find('\n', at);
      const Result<Json> line = parse_json(text_.substr(at, end - at));
      const Json* const mark = line ? line->find("custom_id") : nullptr;
      const Json* const batch = line ? line->find("mini_batch") : nullptr;
      out += batch == nullptr ? "?" : std::to_string(*batch->get<std::int64_t>());
      out += mark == nullptr ? "- " : *mark->get<std::string>() + " ";
      at = end + 1;
    }
    return out;
  }

  VirtualClock clock_;
  FakeLoop loop_{clock_};
  std::string text_;
  bool on_the_loop_ = false;
};

// C943
TEST_F(DeadLettersTest, MarksAreReadOnThePoolAndLinesKeepTheirOrder) {
  DeadLetters letters(loop_, mark(), "", [this](std::string_view text) { text_ += text; });
  add(letters, ended(4, Verdict::kFailed), 2);
  EXPECT_TRUE(letters.busy());
  EXPECT_EQ(marks(), "");
  add(letters, ended(2, Verdict::kDone), 1);  // one item, none returned
  add(letters, ended(3, Verdict::kRetry), 1);
  add(letters, ended(0, Verdict::kFailed), 1);
  clock_.run_for(seconds(1));
  EXPECT_FALSE(letters.busy());
  EXPECT_EQ(marks(), "4a 4b 2- 0a ");
}

// C943
TEST_F(DeadLettersTest, WithoutMarksLinesAreWrittenAtOnce) {
  DeadLetters letters(loop_, nullptr, "", [this](std::string_view text) { text_ += text; });
  add(letters, ended(1, Verdict::kFailed), 1);
  EXPECT_EQ(marks(), "1- ");
  EXPECT_FALSE(letters.busy());
}

}  // namespace
}  // namespace windrow
