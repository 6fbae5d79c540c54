// SPDX-License-Identifier: Apache-2.0
//
// Stacks of any shape, as Python's faulthandler shows them, with anything between their lines.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/supervise/stack_text.h"
#include "random.h"
#include "storm.h"

namespace windrow::sim {
namespace {

class StackStorm {
 public:
  explicit StackStorm(std::uint64_t seed) : random_(seed) {}

  void run() {
    const std::uint32_t threads = random_.between(0, 4);
    noise();
    for (std::uint32_t i = 0; i < threads; ++i) show_thread(i);
    const std::string said = traceback_of(shown_, "TimeoutError: late");
    if (frames_ == 0) {
      EXPECT_EQ(said, "");
      return;
    }
    EXPECT_TRUE(said.ends_with("TimeoutError: late\n")) << said;
    std::uint32_t found = 0;
    for (std::size_t at = 0; (at = said.find("  File \"/user/", at)) != std::string::npos; ++at) {
      ++found;
    }
    EXPECT_EQ(found, frames_) << shown_ << "\n-- gave --\n" << said;
    EXPECT_EQ(said.find("/windrow/worker/"), std::string::npos) << said;
    EXPECT_EQ(said.find("importlib"), std::string::npos) << said;
    EXPECT_EQ(said.find("noise"), std::string::npos) << said;
    EXPECT_EQ(said.find("Traceback (most recent call last)") != std::string::npos, calls_) << said;
  }

 private:
  void line(const std::string& text) { shown_ += text + "\n"; }

  void noise() {
    if (random_.per_mille(300)) line(random_.per_mille(500) ? "noise of the script" : "");
  }

  void show_thread(std::uint32_t number) {
    line(fmt::format("{} 0x{:08x} (most recent call first):",
                     random_.per_mille(300) ? "Current thread" : "Thread",
                     number));
    std::uint32_t here = 0;
    const std::uint32_t frames = random_.between(0, 4);
    for (std::uint32_t i = 0; i < frames; ++i) {
      if (random_.per_mille(150)) {
        line("  File \"<frozen importlib._bootstrap>\", line 9 in _load");
      } else {
        line(fmt::format("  File \"/user/score.py\", line {} in f", i));
        ++here;
      }
      noise();
    }
    if (random_.per_mille(100) && here > 0) line("  ...");
    if (random_.per_mille(400)) {
      line("  File \"/cache/windrow/worker/serve.py\", line 3 in main");
      calls_ = calls_ || here > 0;
    }
    frames_ += here;
  }

  Random random_;
  std::string shown_;
  std::uint32_t frames_ = 0;
  bool calls_ = false;
};

TEST(StackStorm, TheFramesOfTheScriptAndNoOthersAreShown) { play_storms<StackStorm>(); }

}  // namespace
}  // namespace windrow::sim
