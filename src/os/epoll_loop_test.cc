// SPDX-License-Identifier: Apache-2.0
#include "os/epoll_loop.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace windrow {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class EpollLoopTest : public testing::Test {
 public:
  EpollLoopTest() : loop(*EpollLoop::create()) {
    loop->at(loop->now() + seconds(20), [this] {
      ADD_FAILURE() << "the loop was not stopped";
      loop->stop();
    });
  }

  auto say(const std::string& word) {
    return [this, word] { said += word + " "; };
  }

  std::unique_ptr<EpollLoop> loop;
  std::string said;
};

class Event {
 public:
  explicit Event(unsigned count = 0) : descriptor_(::eventfd(count, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  [[nodiscard]] int get() const { return descriptor_.get(); }
  void raise() const { ::eventfd_write(get(), 1); }

 private:
  Descriptor descriptor_;
};

TEST_F(EpollLoopTest, TimersOfOneTurnRunInOrderOfTimeThenOfSetting) {
  const TimePoint past = loop->now() - seconds(10);
  loop->at(past + seconds(2), say("c"));
  loop->at(past + seconds(1), say("a"));
  loop->at(past + seconds(2), say("d"));
  loop->at(past + seconds(1), say("b"));
  loop->at(past + seconds(3), [this] { loop->stop(); });
  loop->run();
  EXPECT_EQ(said, "a b c d ");
}

TEST_F(EpollLoopTest, TimerDoesNotRunBeforeItsTime) {
  const TimePoint when = loop->now() + milliseconds(30);
  loop->at(when, [&] {
    EXPECT_GE(loop->now(), when);
    EXPECT_GE(loop->clock().from_monotonic(monotonic_now()), when);
    loop->stop();
  });
  loop->run();
}

TEST_F(EpollLoopTest, CancelledTimerDoesNotRunEvenInTheTurnInWhichItIsDue) {
  const TimePoint past = loop->now() - seconds(1);
  EpollLoop::TimerId second{};
  const auto first = loop->at(past, [&] {
    said += "first ";
    loop->cancel(second);
  });
  second = loop->at(past, say("second"));
  loop->at(past, [&] {
    loop->cancel(first);
    loop->stop();
  });
  loop->run();
  EXPECT_EQ(said, "first ");
}

TEST_F(EpollLoopTest, TimerThatSetsItselfAtOnceRunsOncePerTurn) {
  int runs = 0;
  std::function<void()> again = [&] {
    if (++runs == 3) return loop->stop();
    loop->post(say("turn"));
    loop->at(loop->now(), again);
  };
  loop->at(loop->now(), again);
  loop->run();
  EXPECT_EQ(said, "turn turn ");
}

TEST_F(EpollLoopTest, ReadableDescriptorsComeBeforePostedCallbacksBeforeTimers) {
  const Event event(1);
  loop->at(loop->now(), [this] {
    said += "timer ";
    loop->stop();
  });
  loop->post(say("posted"));
  ASSERT_TRUE(loop->watch(event.get(), EPOLLIN, [&](std::uint32_t) {
    said += "readable ";
    loop->unwatch(event.get());
  }));
  loop->run();
  EXPECT_EQ(said, "readable posted timer ");
}

TEST_F(EpollLoopTest, EverythingReadableIsReadBeforeATimer) {
  const Event event(3);
  const Event late;
  ASSERT_TRUE(loop->watch(late.get(), EPOLLIN, [&](std::uint32_t) {
    said += "late ";
    loop->unwatch(late.get());
  }));
  ASSERT_TRUE(loop->watch(event.get(), EPOLLIN, [&](std::uint32_t) {
    said += "early ";
    late.raise();
    loop->unwatch(event.get());
  }));
  loop->at(loop->now(), [this] {
    said += "timer ";
    loop->stop();
  });
  loop->run();
  EXPECT_EQ(said, "early late timer ");
}

TEST_F(EpollLoopTest, DescriptorThatIsAlwaysReadableDoesNotHoldUpTimers) {
  const Event event(1);
  ASSERT_TRUE(loop->watch(event.get(), EPOLLIN, [](std::uint32_t) {}));
  loop->at(loop->now() + milliseconds(1), [this] { loop->stop(); });
  loop->run();
}

TEST_F(EpollLoopTest, LoopThatRestsReadsOnlyAfterwards) {
  const Event event(1);
  const TimePoint start = loop->clock().from_monotonic(monotonic_now());
  ASSERT_TRUE(loop->watch(event.get(), EPOLLIN, [&](std::uint32_t) { loop->stop(); }));
  loop->rest(milliseconds(20));
  loop->run();
  EXPECT_GE(loop->clock().from_monotonic(monotonic_now()) - start, milliseconds(20));
}

TEST_F(EpollLoopTest, RestEndsInTimeForPostedCallbacksAndTimers) {
  loop->post(say("posted"));
  loop->at(loop->now() + milliseconds(5), [this] { loop->stop(); });
  loop->rest(seconds(60));  // longer than the test may take
  loop->run();
  EXPECT_EQ(said, "posted ");
  loop->at(loop->now() + milliseconds(5), [this] { loop->stop(); });
  loop->rest(seconds(60));
  loop->run();
}

TEST_F(EpollLoopTest, PostedWhileRunningWaitsForTheNextTurn) {
  loop->post([this] {
    loop->post([this] {
      said += "second ";
      loop->stop();
    });
    loop->at(loop->now(), say("between"));
  });
  loop->run();
  EXPECT_EQ(said, "between second ");
}

TEST_F(EpollLoopTest, PostFromAnotherThreadWakesTheLoopAtOnce) {
  constexpr int kPosts = 1000;
  const TimePoint began = monotonic_now();
  std::vector<int> seen;
  std::thread other([&] {
    for (int i = 0; i < kPosts; ++i) {
      loop->post([&, i] {
        seen.push_back(i);
        if (i == kPosts - 1) loop->stop();
      });
    }
  });
  loop->run();
  other.join();
  ASSERT_EQ(seen.size(), static_cast<std::size_t>(kPosts));
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  EXPECT_LT(monotonic_now() - began, seconds(5));
}

TEST_F(EpollLoopTest, BlockingWorkRunsElsewhereAndIsDoneOnTheLoop) {
  const auto loop_thread = std::this_thread::get_id();
  std::atomic<bool> elsewhere = false;
  int done = 0;
  for (int i = 0; i < 10; ++i) {
    loop->blocking([&] { elsewhere = std::this_thread::get_id() != loop_thread; },
                   [&] {
                     EXPECT_EQ(std::this_thread::get_id(), loop_thread);
                     if (++done == 10) loop->stop();
                   });
  }
  loop->run();
  EXPECT_EQ(done, 10);
  EXPECT_TRUE(elsewhere);
}

TEST_F(EpollLoopTest, LoopThatEndsWaitsForTheWorkThatRuns) {
  std::atomic<bool> began = false;
  std::atomic<bool> ended = false;
  loop->blocking(
      [&] {
        began = true;
        const TimePoint until = monotonic_now() + milliseconds(20);
        while (monotonic_now() < until) std::this_thread::yield();
        ended = true;
      },
      [] { ADD_FAILURE() << "done although the loop ran no more"; });
  while (!began) std::this_thread::yield();
  loop.reset();
  EXPECT_TRUE(ended);
}

TEST_F(EpollLoopTest, UnwatchedDescriptorIsNotReportedEvenIfTheTurnHasSeenIt) {
  const Event one(1);
  const Event other(1);
  int calls = 0;
  const auto unwatch_both = [&](std::uint32_t) {
    ++calls;
    loop->unwatch(one.get());
    loop->unwatch(other.get());
    loop->stop();
  };
  ASSERT_TRUE(loop->watch(one.get(), EPOLLIN, unwatch_both));
  ASSERT_TRUE(loop->watch(other.get(), EPOLLIN, unwatch_both));
  loop->run();
  EXPECT_EQ(calls, 1);
}

TEST_F(EpollLoopTest, EventOfAClosedDescriptorIsNotGivenToTheNextOneOfThatNumber) {
  const Event early(1);
  auto closed = std::make_unique<Event>(1U);
  Descriptor reused;
  ASSERT_TRUE(loop->watch(early.get(), EPOLLIN, [&](std::uint32_t) {
    loop->unwatch(early.get());
    const int number = closed->get();
    loop->unwatch(number);
    closed.reset();
    reused.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    EXPECT_EQ(reused.get(), number);
    ASSERT_TRUE(loop->watch(
        number, EPOLLIN, [](std::uint32_t) { ADD_FAILURE() << "nothing was written to it"; }));
    loop->post([this] { loop->stop(); });
  }));
  ASSERT_TRUE(loop->watch(closed->get(), EPOLLIN, [](std::uint32_t) {}));
  loop->run();
}

TEST_F(EpollLoopTest, WatchingARegularFileIsRefusedInWords) {
  const Descriptor file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  const Status watched = loop->watch(file.get(), EPOLLIN, [](std::uint32_t) {});
  ASSERT_FALSE(watched);
  EXPECT_EQ(watched.error().message,
            fmt::format("cannot watch descriptor {}: Operation not permitted", file.get()));
}

TEST_F(EpollLoopTest, SignalsCallTheirCallbacks) {
  ASSERT_TRUE(loop->on_signal(SIGUSR1, say("one")));
  ASSERT_TRUE(loop->on_signal(SIGUSR2, [this] {
    said += "two ";
    loop->stop();
  }));
  ::raise(SIGUSR1);
  ::raise(SIGUSR2);
  loop->run();
  EXPECT_EQ(said, "one two ");
}

TEST_F(EpollLoopTest, StopBeforeRunEndsItAfterOneTurn) {
  loop->post(say("posted"));
  loop->stop();
  loop->run();
  EXPECT_EQ(said, "posted ");
}

// A loop in a process of its own is stopped for longer than its timer was to wait.
TEST(EpollLoopPauseTest, StoppedProcessDoesNotLoseTheTimeItWasStopped) {
  std::array<int, 2> pipe{-1, -1};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::unique_ptr<EpollLoop> loop = *EpollLoop::create();
    const TimePoint began = monotonic_now();
    loop->at(loop->now() + seconds(1), [&] {
      const bool shifted = monotonic_now() - began >= seconds(1) + loop->paused();
      ::_exit(shifted && loop->paused() > seconds(1) ? 7 : 8);
    });
    loop->post([&] { [[maybe_unused]] const ssize_t sent = ::write(pipe[1], "r", 1); });
    loop->run();
  }
  char running = 0;
  ASSERT_EQ(::read(pipe[0], &running, 1), 1);
  ::kill(child, SIGSTOP);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
  const TimePoint stopped = monotonic_now();
  while (monotonic_now() - stopped < milliseconds(1800)) ::sched_yield();
  ::kill(child, SIGCONT);
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  ::close(pipe[0]);
  ::close(pipe[1]);
}

}  // namespace
}  // namespace windrow
