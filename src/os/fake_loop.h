// SPDX-License-Identifier: Apache-2.0
//
// Virtual time: one clock for a whole simulated world, and a Loop on it for each of its processes.
//
// Nothing happens by itself: VirtualClock::step() jumps to the next event and runs it. A FakeLoop
// can be paused, as by SIGSTOP, and woken (its own time then leaves the pause out, as the real
// loop's does), and killed, which drops everything that it would still have done.
//
// Thread: one. Ownership: the clock outlives its loops; callbacks live until they ran or their loop
// was killed. Failure: none.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "os/clock_steady.h"
#include "os/loop.h"

namespace windrow {

class VirtualClock {
 public:
  using Callback = std::function<void()>;

  [[nodiscard]] TimePoint now() const { return now_; }
  [[nodiscard]] WallTime wall_at(TimePoint time) const;

  // Runs `callback` at `when`, or now if that is past; callbacks of one time in order of the calls.
  std::uint64_t at(TimePoint when, Callback callback);
  std::uint64_t after(Duration delay, Callback callback) {
    return at(now_ + delay, std::move(callback));
  }
  void cancel(std::uint64_t id);

  // Runs the next event. False when there is none.
  bool step();

  // Runs everything up to `when`, which then is now.
  void run_until(TimePoint when);
  void run_for(Duration duration) { run_until(now_ + duration); }

  // The number of the event that runs; rises by one with each.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  using Key = std::pair<TimePoint, std::uint64_t>;

  // Not zero: a page of zeros means that nothing was written.
  TimePoint now_ = TimePoint(std::chrono::seconds(1000));
  std::uint64_t last_ = 0;
  std::uint64_t steps_ = 0;
  std::map<Key, Callback> events_;
  std::unordered_map<std::uint64_t, TimePoint> times_;
};

class FakeLoop final : public Loop {
 public:
  // How long blocking work takes, and how long until its end is noticed. None: no time.
  using Delay = std::function<Duration()>;

  explicit FakeLoop(VirtualClock& clock, Delay delay = nullptr);
  ~FakeLoop() override { kill(); }
  FakeLoop(FakeLoop&&) = delete;
  FakeLoop& operator=(FakeLoop&&) = delete;

  [[nodiscard]] TimePoint now() const override;
  [[nodiscard]] WallTime wall_now() const override { return clock_.wall_at(clock_.now()); }
  [[nodiscard]] WallTime wall_at(TimePoint monotonic) const override {
    return clock_.wall_at(monotonic);
  }
  TimerId at(TimePoint when, Callback callback) override;
  void cancel(TimerId timer) override;
  void post(Callback callback) override { deliver(std::move(callback)); }
  void blocking(Callback work, Callback done) override;

  // Something from outside is there to be read after `delay`: runs in a turn of its own, when the
  // process runs.
  void deliver(Callback callback, Duration delay = Duration::zero());

  void pause();
  void wake();
  void kill();
  [[nodiscard]] bool paused() const { return paused_; }

  // The time of this loop at a time of the clock.
  [[nodiscard]] TimePoint from_monotonic(TimePoint time) const {
    return steady_.from_monotonic(time);
  }

  // Whether anything ran since the last call.
  bool take_ran() { return std::exchange(ran_, false); }

 private:
  using TimerKey = std::pair<TimePoint, std::uint64_t>;  // by the time of this loop

  void run(Callback& callback);
  void arm();
  void run_timers();

  VirtualClock& clock_;
  Delay delay_;
  SteadyClock steady_;
  std::map<TimerKey, Callback> timers_;
  std::unordered_map<std::uint64_t, TimePoint> timer_times_;
  std::uint64_t timer_last_ = 0;
  std::uint64_t armed_ = 0;  // the clock's event for the first timer; 0: none
  TimePoint armed_for_;
  bool paused_ = false;
  bool ran_ = false;
  std::deque<Callback> waiting_;  // what came while paused
  std::shared_ptr<FakeLoop*> self_;
};

}  // namespace windrow
