// SPDX-License-Identifier: Apache-2.0
#include "os/fake_loop.h"

#include <algorithm>
#include <vector>

namespace windrow {
namespace {

// Some day, so that wall time is not mistaken for steady time.
constexpr std::int64_t kWallStart = 1'700'000'000'000'000'000;

}  // namespace

WallTime VirtualClock::wall_at(TimePoint time) const {
  return {kWallStart + time.time_since_epoch().count()};
}

std::uint64_t VirtualClock::at(TimePoint when, Callback callback) {
  const std::uint64_t id = ++last_;
  const TimePoint time = std::max(when, now_);
  events_.emplace(Key{time, id}, std::move(callback));
  times_.emplace(id, time);
  return id;
}

void VirtualClock::cancel(std::uint64_t id) {
  const auto found = times_.find(id);
  if (found == times_.end()) return;
  events_.erase({found->second, id});
  times_.erase(found);
}

bool VirtualClock::step() {
  if (events_.empty()) return false;
  auto event = events_.extract(events_.begin());
  now_ = event.key().first;
  times_.erase(event.key().second);
  ++steps_;
  event.mapped()();
  return true;
}

void VirtualClock::run_until(TimePoint when) {
  while (!events_.empty() && events_.begin()->first.first <= when) step();
  now_ = std::max(now_, when);
}

FakeLoop::FakeLoop(VirtualClock& clock, Delay delay)
    : clock_(clock),
      delay_(std::move(delay)),
      steady_(clock.now()),
      self_(std::make_shared<FakeLoop*>(this)) {}

TimePoint FakeLoop::now() const { return steady_.from_monotonic(clock_.now()); }

FakeLoop::TimerId FakeLoop::at(TimePoint when, Callback callback) {
  const std::uint64_t id = ++timer_last_;
  timers_.emplace(TimerKey{when, id}, std::move(callback));
  timer_times_.emplace(id, when);
  arm();
  return TimerId{id};
}

void FakeLoop::cancel(TimerId timer) {
  const auto id = static_cast<std::uint64_t>(timer);
  const auto found = timer_times_.find(id);
  if (found == timer_times_.end()) return;
  timers_.erase({found->second, id});
  timer_times_.erase(found);
}

// The work and its end each take their turn; a pause stops the pool too, a kill drops both.
void FakeLoop::blocking(Callback work, Callback done) {
  const auto draw = [this] { return delay_ ? delay_() : Duration::zero(); };
  const Duration later = draw();
  deliver(
      [this, later, todo = std::move(work), then = std::move(done)]() mutable {
        todo();
        deliver(std::move(then), later);
      },
      draw());
}

void FakeLoop::deliver(Callback callback, Duration delay) {
  clock_.after(delay, [self = self_, todo = std::move(callback)]() mutable {
    if (*self == nullptr) return;
    if ((*self)->paused_) {
      (*self)->waiting_.push_back(std::move(todo));
    } else {
      (*self)->run(todo);
    }
  });
}

void FakeLoop::run(Callback& callback) {
  ran_ = true;
  callback();
}

void FakeLoop::pause() {
  if (paused_) return;
  paused_ = true;
  steady_.resume(clock_.now());
}

// What came meanwhile is read first, then timers are judged, as in a turn of the real loop.
void FakeLoop::wake() {
  if (!paused_) return;
  paused_ = false;
  steady_.turn(clock_.now(), Duration::zero());
  while (!waiting_.empty()) {
    deliver(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  if (armed_ != 0) clock_.cancel(std::exchange(armed_, 0));
  arm();
}

void FakeLoop::kill() {
  if (self_ == nullptr) return;
  *self_ = nullptr;
  self_ = std::make_shared<FakeLoop*>(nullptr);
  if (armed_ != 0) clock_.cancel(std::exchange(armed_, 0));
  timers_.clear();
  timer_times_.clear();
  waiting_.clear();
}

void FakeLoop::arm() {
  if (timers_.empty() || paused_ || *self_ == nullptr) return;
  const TimePoint first = timers_.begin()->first.first;
  if (armed_ != 0 && armed_for_ <= first) return;
  if (armed_ != 0) clock_.cancel(armed_);
  armed_for_ = first;
  armed_ = clock_.at(first + steady_.paused(), [self = self_] {
    if (*self != nullptr) (*self)->run_timers();
  });
}

void FakeLoop::run_timers() {
  armed_ = 0;
  if (paused_) return;
  const auto alive = self_;
  std::vector<TimerKey> due;
  for (auto timer = timers_.begin(); timer != timers_.end() && timer->first.first <= now();
       ++timer) {
    due.push_back(timer->first);
  }
  for (const TimerKey& key : due) {
    auto timer = timers_.extract(key);
    if (timer.empty()) continue;  // cancelled by one before it
    timer_times_.erase(key.second);
    run(timer.mapped());
    if (*alive == nullptr) return;
  }
  arm();
}

}  // namespace windrow
