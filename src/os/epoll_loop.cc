// SPDX-License-Identifier: Apache-2.0
#include "os/epoll_loop.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <system_error>
#include <utility>

#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/check.h"

namespace windrow {
namespace {

constexpr Duration kWaitMax = std::chrono::milliseconds(500);
constexpr int kRoundsBeforeTimers = 8;

timespec to_timespec(Duration duration) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(duration);
  return {static_cast<time_t>(seconds.count()), static_cast<long>((duration - seconds).count())};
}

// The mask of all signals, kept while a thread is started: signals belong to the loop.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  AllSignalsBlocked(AllSignalsBlocked&&) = delete;
  AllSignalsBlocked& operator=(AllSignalsBlocked&&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

Result<std::unique_ptr<EpollLoop>> EpollLoop::create() {
  Descriptor epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return fail(ErrorCode::kUnavailable, "cannot create an epoll: {}", reason(errno));
  Descriptor wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) return fail(ErrorCode::kUnavailable, "cannot create an eventfd: {}", reason(errno));
  std::unique_ptr<EpollLoop> loop(new EpollLoop(std::move(epoll), std::move(wake)));
  EpollLoop* self = loop.get();
  RETURN_IF_ERROR(self->watch(self->wake_.get(), EPOLLIN, [self](std::uint32_t) {
    eventfd_t count = 0;
    ::eventfd_read(self->wake_.get(), &count);
  }));
  return loop;
}

EpollLoop::EpollLoop(Descriptor epoll, Descriptor wake)
    : clock_(monotonic_now()),
      epoll_(std::move(epoll)),
      wake_(std::move(wake)),
      loop_thread_(std::this_thread::get_id()) {}

EpollLoop::~EpollLoop() {
  {
    const std::scoped_lock lock(work_mutex_);
    pool_ending_ = true;
  }
  work_there_.notify_all();
  for (std::thread& thread : pool_) thread.join();
  sigset_t mine;
  ::sigemptyset(&mine);
  for (const auto& [signal, callback] : signal_callbacks_) ::sigaddset(&mine, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &mine, nullptr);
}

EpollLoop::TimerId EpollLoop::at(TimePoint when, Callback callback) {
  const std::uint64_t id = ++timer_last_;
  timers_.emplace(TimerKey{when, id}, std::move(callback));
  timer_times_.emplace(id, when);
  return TimerId{id};
}

void EpollLoop::cancel(TimerId timer) {
  const auto id = static_cast<std::uint64_t>(timer);
  const auto found = timer_times_.find(id);
  if (found == timer_times_.end()) return;
  timers_.erase({found->second, id});
  timer_times_.erase(found);
}

void EpollLoop::post(Callback callback) {
  bool wake = false;
  {
    const std::scoped_lock lock(posted_mutex_);
    // The loop's own thread looks at the queue before it waits; the others' first post wakes it.
    wake = posted_.empty() && loop_thread_ != std::this_thread::get_id();
    posted_.push_back(std::move(callback));
  }
  if (wake) ::eventfd_write(wake_.get(), 1);
}

void EpollLoop::blocking(Callback work, Callback done) {
  if (!start_pool()) {
    work();
    post(std::move(done));
    return;
  }
  {
    const std::scoped_lock lock(work_mutex_);
    work_.push_back({std::move(work), std::move(done)});
  }
  work_there_.notify_one();
}

// False when there is not even one thread to be had: the caller then does the work itself.
bool EpollLoop::start_pool() {
  if (!pool_.empty()) return true;
  const AllSignalsBlocked blocked;
  try {
    while (pool_.size() < kPoolSize) pool_.emplace_back([this] { pool_thread(); });
  } catch (const std::system_error&) {
    return !pool_.empty();
  }
  return true;
}

void EpollLoop::pool_thread() {
  for (;;) {
    Work next;
    {
      std::unique_lock lock(work_mutex_);
      work_there_.wait(lock, [this] { return pool_ending_ || !work_.empty(); });
      if (pool_ending_) return;
      next = std::move(work_.front());
      work_.pop_front();
    }
    next.work();
    next.work = nullptr;  // what it captured is freed here, where a long free disturbs nobody
    post(std::move(next.done));
  }
}

Status EpollLoop::watch(int descriptor, std::uint32_t events, Watcher watcher) {
  CHECK(descriptor >= 0);
  const auto slot = static_cast<std::size_t>(descriptor);
  if (slot >= watches_.size()) watches_.resize(slot + 1);
  const int operation = watches_[slot].watcher ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
  const std::uint32_t generation = ++generation_;
  epoll_event event{};
  event.events = events;
  event.data.u64 = std::uint64_t{generation} << 32U | slot;
  if (::epoll_ctl(epoll_.get(), operation, descriptor, &event) != 0) {
    return fail(
        ErrorCode::kUnavailable, "cannot watch descriptor {}: {}", descriptor, reason(errno));
  }
  retired_.push_back(std::move(watches_[slot].watcher));
  watches_[slot] = {generation, std::make_unique<Watcher>(std::move(watcher))};
  return {};
}

void EpollLoop::unwatch(int descriptor) {
  const auto slot = static_cast<std::size_t>(descriptor);
  if (descriptor < 0 || slot >= watches_.size() || !watches_[slot].watcher) return;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
  retired_.push_back(std::move(watches_[slot].watcher));
}

Status EpollLoop::on_signal(int signal, Callback callback) {
  signal_callbacks_[signal] = std::move(callback);
  sigset_t mask;
  ::sigemptyset(&mask);
  for (const auto& [number, unused] : signal_callbacks_) ::sigaddset(&mask, number);
  ::pthread_sigmask(SIG_BLOCK, &mask, nullptr);
  const int descriptor = ::signalfd(signals_.get(), &mask, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor < 0) {
    return fail(ErrorCode::kUnavailable, "cannot create a signalfd: {}", reason(errno));
  }
  if (signals_) return {};
  signals_.reset(descriptor);
  return watch(descriptor, EPOLLIN, [this](std::uint32_t) { read_signals(); });
}

void EpollLoop::read_signals() {
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
    const auto found = signal_callbacks_.find(static_cast<int>(info.ssi_signo));
    if (found == signal_callbacks_.end()) continue;
    const Callback callback = found->second;  // a copy: it may set another one for its signal
    callback();
  }
}

void EpollLoop::run() {
  {
    const std::scoped_lock lock(posted_mutex_);
    loop_thread_ = std::this_thread::get_id();
  }
  clock_.resume(monotonic_now());
  do {
    turn();
  } while (!stopping_);
  stopping_ = false;
}

void EpollLoop::turn() {
  const Duration allowed = allowed_wait();
  const Duration rest = std::min(std::exchange(rest_, Duration::zero()), allowed);
  if (rest > Duration::zero()) {
    const timespec time = to_timespec(rest);
    ::nanosleep(&time, nullptr);
  }
  const int ready = wait(allowed - rest);
  clock_.turn(monotonic_now(), allowed);
  std::vector<Callback> posted;
  {
    const std::scoped_lock lock(posted_mutex_);
    posted.swap(posted_);
  }
  dispatch(ready);
  for (int round = 0; timer_due() && round < kRoundsBeforeTimers; ++round) {
    const int more = wait(Duration::zero());
    if (more == 0) break;
    dispatch(more);
  }
  for (Callback& callback : posted) callback();
  run_timers();
  retired_.clear();
}

Duration EpollLoop::allowed_wait() {
  if (stopping_) return Duration::zero();
  {
    const std::scoped_lock lock(posted_mutex_);
    if (!posted_.empty()) return Duration::zero();
  }
  if (timers_.empty()) return kWaitMax;
  // By the clock of this moment: a long turn must not make the next timer late by its length.
  const TimePoint moment = clock_.from_monotonic(monotonic_now());
  return std::clamp(timers_.begin()->first.first - moment, Duration::zero(), kWaitMax);
}

int EpollLoop::wait(Duration timeout) {
  if (!pwait2_missing_) {
    const timespec time = to_timespec(timeout);
    const int ready = ::epoll_pwait2(epoll_.get(), events_.data(), kEventsMax, &time, nullptr);
    if (ready >= 0 || errno == EINTR) return std::max(ready, 0);
    pwait2_missing_ = true;  // kernels before 5.11
  }
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(timeout);
  const int ready = ::epoll_wait(
      epoll_.get(), events_.data(), kEventsMax, static_cast<int>(milliseconds.count()));
  if (ready < 0) CHECK(errno == EINTR);
  return std::max(ready, 0);
}

void EpollLoop::dispatch(int ready) {
  for (int i = 0; i < ready; ++i) {
    const epoll_event event = events_[static_cast<std::size_t>(i)];
    const Watch& watch = watches_[event.data.u64 & 0xffff'ffffU];
    if (!watch.watcher || watch.generation != event.data.u64 >> 32U) continue;
    (*watch.watcher)(event.events);
  }
}

bool EpollLoop::timer_due() const {
  return !timers_.empty() && timers_.begin()->first.first <= now();
}

void EpollLoop::run_timers() {
  // Those due now and no others: a timer that sets itself again at once must not keep the turn.
  std::vector<TimerKey> due;
  for (auto timer = timers_.begin(); timer != timers_.end() && timer->first.first <= now();
       ++timer) {
    due.push_back(timer->first);
  }
  for (const TimerKey& key : due) {
    auto timer = timers_.extract(key);
    if (timer.empty()) continue;  // cancelled by one before it
    timer_times_.erase(key.second);
    timer.mapped()();
  }
}

}  // namespace windrow
