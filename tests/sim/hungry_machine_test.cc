// SPDX-License-Identifier: Apache-2.0
//
// The supervisor on a machine with too little memory for all of its workers: each mini-batch needs
// some, more from moment to moment, and what is ended gives it back a little later. Together they
// need more than there is, one alone fits.
//
// Whatever the sizes: the job ends, nobody is charged, the oldest is never ended, and the memory is
// never used up, unless that goes too fast or others eat it all.
#include <deque>
#include <map>
#include <memory>
#include <optional>

#include <gtest/gtest.h>

#include "core/supervise/supervisor.h"
#include "random.h"
#include "storm.h"

namespace windrow::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kStep = milliseconds(20);
constexpr std::uint32_t kStepsPerSecond = 50;
constexpr std::uint64_t kMachines = 100;
constexpr std::uint32_t kTotal = 100'000;

class HungryMachine {
 public:
  explicit HungryMachine(std::uint64_t seed) : random_(seed) {
    SuperviseLimits limits;
    limits.slots = random_.between(2, 8);
    limits.run_timeout = minutes(10);
    if (random_.per_mille(200)) limits.wear.batches_max = random_.between(1, 5);
    batches_ = random_.between(4, 12);
    draw_speed(limits.slots);
    own_ = random_.between(0, kTotal / 4 / limits.slots);
    if (random_.per_mille(300)) others_ = kTotal;
    supervisor_ = std::make_unique<Supervisor>(limits);
    supervisor_->begin(now_, orders_);
    carry_out();
    for (BatchId batch = 0; batch < batches_; ++batch) give(batch);
  }

  void run() {
    const TimePoint limit = now_ + minutes(60);
    while (done_ < batches_ && now_ < limit) step();
    EXPECT_EQ(done_, batches_);  // C573: it ends
  }

 private:
  struct Worker {
    TimePoint ready_at;
    bool ready = false;
    bool killed = false;
    std::optional<TimePoint> gone_at;
    std::deque<Work> inbox;
    bool running = false;
    std::uint64_t holds = 0;
    std::uint64_t wants = 0;
  };

  // One is ended every second, and the youngest may hold next to nothing: what all together take
  // in a second must be less than the last twentieth, or it is a matter of luck.
  void draw_speed(std::uint32_t slots) {
    const std::uint32_t gentle = kTotal / 25 / kStepsPerSecond / slots;
    gentle_ = random_.per_mille(500);
    rate_ = gentle_ ? random_.between(gentle / 2, gentle) : random_.between(gentle, 20 * gentle);
  }

  void give(BatchId batch) {
    supervisor_->give(Work{{1, batch, ++picked_}, 1, 0, "x"}, now_, orders_);
    carry_out();
  }

  void step() {
    now_ += kStep;
    for (auto it = workers_.begin(); it != workers_.end();) {
      const auto one = it++;  // which may be gone after the next line
      live(one->first, one->second);
    }
    if (now_ >= sample_at_) {
      supervisor_->sampled({{.total = kTotal, .available = available()}}, now_, orders_);
      sample_at_ = now_ + supervisor_->sample_again_in();
      carry_out();
    }
    EXPECT_TRUE(available() > 0 || others_ > 0 || !gentle_);  // C572: nothing for the kernel to do
  }

  void live(ProcessNumber process, Worker& worker) {
    if (worker.gone_at) {
      if (now_ >= *worker.gone_at) exit(process);
      return;
    }
    if (!worker.ready) {
      if (now_ < worker.ready_at) return;
      worker.ready = true;
      worker.ready_at = now_;
      worker.holds = own_;
      supervisor_->ready(process, {.process = process}, now_, orders_);
      carry_out();
      return;
    }
    if (!worker.running && !worker.inbox.empty()) {
      worker.running = true;
      worker.wants = own_ + random_.between(1, kTotal / 2);
    }
    if (!worker.running) return;
    worker.holds += rate_;
    if (worker.holds >= worker.wants) answer(process, worker);
  }

  void answer(ProcessNumber process, Worker& worker) {
    AttemptRecord record;
    record.token = worker.inbox.front().token;
    record.elapsed_us = 1'000'000;
    worker.inbox.pop_front();
    worker.running = false;
    worker.holds = own_;
    supervisor_->answered(process, record, now_, orders_);
    carry_out();
  }

  void exit(ProcessNumber process) {
    const Worker worker = workers_.at(process);
    workers_.erase(process);
    WorkerEnd end{.process = process, .signal = worker.killed ? 9 : 0};
    std::vector<Work> unread(worker.inbox.begin(), worker.inbox.end());
    if (worker.running) {
      end.page = {WorkerPhase::kRun, unread[0].token.batch, unread[0].token.picked, now_};
      unread.erase(unread.begin());
    }
    supervisor_->exited(end, std::move(unread), now_, {}, orders_);
    carry_out();
  }

  [[nodiscard]] std::uint64_t available() const {
    std::uint64_t used = others_;
    for (const auto& [process, worker] : workers_) used += worker.holds;
    return used < kTotal ? kTotal - used : 0;
  }

  void carry_out() {
    for (std::size_t i = 0; i < orders_.size(); ++i) {
      Order order = std::move(orders_[i]);
      std::visit([this](auto& one) { carry_out(one); }, order);
    }
    orders_.clear();
    supervisor_->check_invariants();
  }

  void carry_out(const order::StartWorker& one) {
    workers_[one.process].ready_at = now_ + random_.between(milliseconds(50), seconds(2));
  }
  void carry_out(order::Send& one) { workers_.at(one.process).inbox.push_back(one.work); }
  void carry_out(const order::TakeBack& one) {
    Worker& worker = workers_.at(one.process);
    std::vector<Work> works;
    while (works.size() < one.count && worker.inbox.size() > (worker.running ? 1 : 0)) {
      works.push_back(worker.inbox.back());
      worker.inbox.pop_back();
    }
    supervisor_->taken_back(one.process, std::move(works), now_, orders_);
  }
  void carry_out(const order::Shutdown& one) {
    workers_.at(one.process).gone_at = now_ + milliseconds(20);
  }
  void carry_out(const order::Kill& one) {
    Worker& worker = workers_.at(one.process);
    worker.killed = true;
    worker.gone_at = now_ + random_.between(milliseconds(10), milliseconds(100));
    EXPECT_GE(now_ - killed_at_, seconds(1));  // C572
    killed_at_ = now_;
    bool others = false;
    for (const auto& [process, other] : workers_) {
      if (other.gone_at) continue;
      others = true;
      EXPECT_FALSE(worker.ready && (!other.ready || worker.ready_at < other.ready_at)) << process;
    }
    EXPECT_TRUE(others);
  }
  void carry_out(const order::ReportAttempt& one) {
    const AttemptStatus status = one.record.status;
    EXPECT_TRUE(status == AttemptStatus::kRunDone || status == AttemptStatus::kReturned);
    if (status == AttemptStatus::kRunDone) {
      ++done_;
    } else {
      supervisor_->give(Work{{1, one.record.token.batch, ++picked_}, 1, 0, "x"}, now_, orders_);
    }
  }
  template <class Other>
  void carry_out(const Other& /*one*/) {}

  Random random_;
  TimePoint now_ = TimePoint(seconds(1000));
  std::unique_ptr<Supervisor> supervisor_;
  Orders orders_;
  std::map<ProcessNumber, Worker> workers_;
  std::uint32_t batches_ = 0;
  std::uint32_t picked_ = 0;
  std::uint32_t done_ = 0;
  bool gentle_ = false;
  std::uint64_t rate_ = 0;    // what a running mini-batch takes more in each step
  std::uint64_t own_ = 0;     // what a worker holds between two of them
  std::uint64_t others_ = 0;  // what is used by whom we do not know
  TimePoint sample_at_ = now_;
  TimePoint killed_at_;
};

// C572 C573
TEST(HungryMachine, TheJobEndsAndNobodyIsChargedAndTheKernelHasNothingToDo) {
  play_storms<HungryMachine>(kMachines);
}

}  // namespace
}  // namespace windrow::sim
