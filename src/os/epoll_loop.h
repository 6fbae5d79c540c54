// SPDX-License-Identifier: Apache-2.0
//
// The real loop: epoll, timers, signals, and two threads for work that blocks.
//
// One turn: wait; call the watchers of what is ready; run what was posted before the turn; run the
// timers that are due. When a timer is due, everything readable is read first, in a few rounds at
// most, so that a flood from one descriptor delays timers but cannot stop them.
//
// now() is not plain CLOCK_MONOTONIC: it leaves out pauses of the process (os/clock_steady.h),
// which shifts all deadlines by them. A CLOCK_MONOTONIC value from another process is brought over
// by clock().from_monotonic(). The loop wakes at least every half second, so a pause is measured to
// within that.
//
// Thread: the one that calls run(), except post(). The pool's threads start with the first
// blocking(), so that a process can be forked before. Ownership: watched descriptors stay the
// caller's, who unwatches before closing.
#pragma once

#include <array>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include <sys/epoll.h>

#include "base/result.h"
#include "os/clock_steady.h"
#include "os/descriptor.h"
#include "os/loop.h"

namespace windrow {

class EpollLoop final : public Loop {
 public:
  using Watcher = std::function<void(std::uint32_t events)>;

  static Result<std::unique_ptr<EpollLoop>> create();

  // Work that has not begun is dropped; work that has is waited for.
  ~EpollLoop() override;
  EpollLoop(EpollLoop&&) = delete;
  EpollLoop& operator=(EpollLoop&&) = delete;

  [[nodiscard]] TimePoint now() const override { return clock_.now(); }
  [[nodiscard]] WallTime wall_now() const override { return system_now(); }
  [[nodiscard]] WallTime wall_at(TimePoint monotonic) const override {
    return {system_now().nanoseconds - (monotonic_now() - monotonic).count()};
  }
  TimerId at(TimePoint when, Callback callback) override;
  void cancel(TimerId timer) override;
  void post(Callback callback) override;
  void blocking(Callback work, Callback done) override;

  // Calls `watcher` in every turn in which one of `events` (EPOLLIN, EPOLLOUT; also EPOLLHUP and
  // EPOLLERR) holds for `descriptor`, until unwatch. Watching again replaces. Fails for regular
  // files, which epoll refuses.
  Status watch(int descriptor, std::uint32_t events, Watcher watcher);

  // From here on the watcher is not called, not even for what this turn has seen already.
  void unwatch(int descriptor);

  // The process no longer ends by `signal`; each arrival calls `callback`. REQUIRES: before the
  // first blocking() and any other thread.
  Status on_signal(int signal, Callback callback);

  // Runs turns until stop(), at least one.
  void run();

  // Ends run() after the turn in which it is called; before run(), after its first turn.
  void stop() { stopping_ = true; }

  // Nothing that becomes readable is urgent for so long: the next wait begins with a sleep that it
  // does not end. Many small answers are then read in one turn, and whoever sends them need not
  // wake anybody. Timers, and what was posted before, are as punctual as ever.
  void rest(Duration duration) { rest_ = duration; }

  // The time this process was evidently stopped, all pauses together.
  [[nodiscard]] Duration paused() const { return clock_.paused(); }
  [[nodiscard]] const SteadyClock& clock() const { return clock_; }

 private:
  static constexpr int kEventsMax = 256;
  static constexpr std::size_t kPoolSize = 2;
  using Events = std::array<epoll_event, kEventsMax>;
  using TimerKey = std::pair<TimePoint, std::uint64_t>;

  struct Watch {
    std::uint32_t generation = 0;      // tells events of an earlier watch on the same number
    std::unique_ptr<Watcher> watcher;  // null: not watched
  };

  struct Work {
    Callback work;
    Callback done;
  };

  EpollLoop(Descriptor epoll, Descriptor wake);

  void turn();
  Duration allowed_wait();
  int wait(Duration timeout);
  void dispatch(int ready);
  bool timer_due() const;
  void run_timers();
  void read_signals();
  bool start_pool();
  void pool_thread();

  SteadyClock clock_;
  Descriptor epoll_;
  Descriptor wake_;  // eventfd: something was posted by another thread
  bool pwait2_missing_ = false;
  Duration rest_{};
  bool stopping_ = false;
  Events events_{};
  std::vector<Watch> watches_;                     // by descriptor number
  std::vector<std::unique_ptr<Watcher>> retired_;  // may be running; freed at the end of the turn
  std::uint32_t generation_ = 0;

  std::map<TimerKey, Callback> timers_;
  std::unordered_map<std::uint64_t, TimePoint> timer_times_;
  std::uint64_t timer_last_ = 0;

  Descriptor signals_;  // signalfd
  std::map<int, Callback> signal_callbacks_;

  std::mutex posted_mutex_;  // guards posted_, loop_thread_
  std::vector<Callback> posted_;
  std::thread::id loop_thread_;

  std::mutex work_mutex_;  // guards work_, pool_ending_
  std::condition_variable work_there_;
  std::deque<Work> work_;
  bool pool_ending_ = false;
  std::vector<std::thread> pool_;
};

}  // namespace windrow
