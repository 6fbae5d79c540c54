// SPDX-License-Identifier: Apache-2.0
//
// The supervisor alone in a storm: workers that start, answer, lie and die in any order, and memory
// that comes and goes. Whatever happens, every mini-batch that it was given is reported exactly
// once, and who had to go for lack of memory is not charged and was not the oldest.
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/supervise/supervisor.h"
#include "random.h"
#include "storm.h"

namespace windrow::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kEvents = 400;

class Storm {
 public:
  explicit Storm(std::uint64_t seed) : random_(seed) {
    SuperviseLimits limits;
    limits.slots = random_.between(1, 4);
    limits.run_timeout = random_.between(milliseconds(500), seconds(5));
    if (random_.per_mille(300)) limits.wear.batches_max = random_.between(1, 5);
    if (random_.per_mille(300)) limits.init_limit = random_.between(seconds(1), seconds(9));
    limits.failed_max = random_.between(0, 10);
    supervisor_ = std::make_unique<Supervisor>(limits);
    supervisor_->begin(now_, orders_);
    carry_out();
  }

  void run() {
    for (int i = 0; i < kEvents; ++i) {
      now_ += random_.between(Duration(0), milliseconds(200));
      if (random_.per_mille(20)) now_ += seconds(random_.between(1, 100));
      happen();
      carry_out();
    }
    supervisor_->stop(StopMode::kNow, now_, orders_);
    carry_out();
    while (!inboxes_.empty()) {
      end(inboxes_.begin()->first);
      carry_out();
    }
    EXPECT_TRUE(stopped_);
    EXPECT_EQ(reported_, given_);
  }

 private:
  ProcessNumber draw_process() {
    if (inboxes_.empty() || random_.per_mille(20)) return 1000;
    auto it = inboxes_.begin();
    std::advance(it, static_cast<std::ptrdiff_t>(random_.below(inboxes_.size())));
    return it->first;
  }

  void happen() {
    const ProcessNumber process = draw_process();
    switch (random_.below(22)) {
      case 0:
      case 1:
      case 2:
      case 3:
        give();
        return;
      case 4:
        supervisor_->take_back(random_.between(1, 3), now_, orders_);
        return;
      case 5:
        if (random_.per_mille(20)) {
          supervisor_->stop(static_cast<StopMode>(random_.below(3)), now_, orders_);
        }
        return;
      case 6:
      case 7:
        supervisor_->ready(process, {.process = process}, now_, orders_);
        return;
      case 8:
        if (random_.per_mille(200)) {
          supervisor_->load_failed(process, {.status = LoadStatus::kException}, now_, orders_);
        }
        return;
      case 9:
        if (random_.per_mille(100)) supervisor_->misbehaved(process, "it lied", now_, orders_);
        return;
      case 10:
        if (process != 1000 && random_.per_mille(300)) end(process);
        return;
      case 11:
        supervisor_->pause(random_.per_mille(200), now_, orders_);
        return;
      case 12:
      case 13:
        check();
        return;
      case 14:
      case 15:
        sample();
        return;
      default:
        answer(process);
        return;
    }
  }

  // Mostly fine, and short for some samples in a row.
  void sample() {
    if (random_.per_mille(300)) available_ = random_.per_mille(400) ? 900 : random_.below(200);
    std::vector<MemoryRoom> rooms{{.total = 1000, .available = available_}};
    if (random_.per_mille(30)) rooms.clear();
    supervisor_->sampled(rooms, now_, orders_);
    EXPECT_GT(supervisor_->sample_again_in(), Duration(0));
  }

  void give() {
    const Token token{1, static_cast<BatchId>(given_.size()), 1};
    given_.insert(token);
    supervisor_->give(Work{token, 1, 0, "x"}, now_, orders_);
  }

  // Mostly what the worker has read; sometimes, from a liar, what it has not.
  void answer(ProcessNumber process) {
    const auto inbox = inboxes_.find(process);
    if (inbox == inboxes_.end()) {
      EXPECT_FALSE(supervisor_->expects(process, Token{}));
      return;
    }
    auto& [unread, read] = inbox->second;
    if (read.empty() && !unread.empty() && random_.per_mille(900)) {
      read.push_back(unread.front());
      unread.pop_front();
    }
    const Token token = !read.empty()     ? read.front().token
                        : !unread.empty() ? unread.front().token
                                          : Token{1, 5, 5};
    if (!supervisor_->expects(process, token)) return;
    if (!read.empty()) read.pop_front();
    AttemptRecord record;
    record.token = token;
    record.elapsed_us = random_.between(1, 3000);
    supervisor_->answered(process, record, now_, orders_);
  }

  WorkerPage draw_page(ProcessNumber process) {
    WorkerPage page;
    page.phase = static_cast<WorkerPhase>(random_.below(8));  // one more than there are
    page.since = now_ - random_.between(Duration(0), seconds(40));
    const auto& read = inboxes_.at(process).read;
    if (!read.empty()) {
      page.batch = read.front().token.batch;
      page.picked = random_.per_mille(950) ? 1 : 2;
    }
    return page;
  }

  void check() {
    std::map<ProcessNumber, WorkerPage> pages;
    for (const ProcessNumber process : supervisor_->live()) {
      if (random_.per_mille(950)) pages[process] = draw_page(process);
    }
    supervisor_->check(pages, now_, orders_);
  }

  void end(ProcessNumber process) {
    WorkerEnd end{.process = process, .started = !random_.per_mille(50), .why = "no such program"};
    end.exit_code = static_cast<int>(random_.below(3));
    end.signal = static_cast<int>(random_.below(33));
    end.page = draw_page(process);
    auto& unread = inboxes_.at(process).unread;
    std::vector<Work> works(unread.begin(), unread.end());
    inboxes_.erase(process);
    std::erase(ready_, process);
    supervisor_->exited(end, std::move(works), now_, {}, orders_);
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
    EXPECT_TRUE(inboxes_.try_emplace(one.process).second);
  }
  void carry_out(order::Send& one) {
    if (random_.per_mille(50)) {
      supervisor_->unsent(one.process, std::move(one.work), now_);
    } else {
      inboxes_.at(one.process).unread.push_back(std::move(one.work));
    }
  }
  void carry_out(const order::TakeBack& one) {
    auto& unread = inboxes_.at(one.process).unread;
    std::vector<Work> works;
    while (works.size() < one.count && !unread.empty()) {
      works.push_back(unread.front());
      unread.pop_front();
    }
    supervisor_->taken_back(one.process, std::move(works), now_, orders_);
  }
  void carry_out(const order::Shutdown& one) { std::erase(ready_, one.process); }
  void carry_out(const order::NoteDeath& /*one*/) {}
  void carry_out(const order::ShowStack& one) {
    EXPECT_TRUE(inboxes_.contains(one.process));
    std::erase(ready_, one.process);
  }
  void carry_out(const order::Kill& one) {
    EXPECT_TRUE(inboxes_.contains(one.process));
    if (one.why.starts_with("memory")) {
      short_of_memory_.insert(one.process);
      // C572: somebody else continues, and has been ready longer if this one is.
      EXPECT_GE(inboxes_.size(), 2U);
      EXPECT_FALSE(!ready_.empty() && ready_.front() == one.process);
    }
    std::erase(ready_, one.process);
  }
  void carry_out(const order::ReportAttempt& one) {
    EXPECT_TRUE(reported_.insert(one.record.token).second);
    const AttemptStatus status = one.record.status;
    const bool charged = status != AttemptStatus::kReturned && status != AttemptStatus::kRunDone;
    EXPECT_FALSE(charged && short_of_memory_.contains(one.record.process));  // C572
  }
  void carry_out(const order::ReportLoad& one) {
    if (one.load.status == LoadStatus::kDone) ready_.push_back(one.load.process);
  }
  void carry_out(const order::ReportWindow& one) { EXPECT_GT(one.window, 0U); }
  void carry_out(const order::ReportTakenBack& /*one*/) {}
  void carry_out(const order::Note& one) { EXPECT_FALSE(one.text.empty()); }
  void carry_out(const order::Warn& one) {
    EXPECT_FALSE(one.text.empty());
    EXPECT_FALSE(std::exchange(warned_, true));  // C574
  }
  void carry_out(const order::ReportGaveUp& one) { EXPECT_FALSE(one.cause.empty()); }
  void carry_out(const order::AllStopped& /*one*/) {
    EXPECT_FALSE(stopped_);
    stopped_ = true;
  }

  struct Inbox {
    std::deque<Work> unread;
    std::deque<Work> read;
  };

  Random random_;
  TimePoint now_ = TimePoint(seconds(1000));
  std::unique_ptr<Supervisor> supervisor_;
  Orders orders_;
  std::map<ProcessNumber, Inbox> inboxes_;
  std::set<Token> given_;
  std::set<Token> reported_;
  std::vector<ProcessNumber> ready_;  // and not on their way out, the oldest first
  std::set<ProcessNumber> short_of_memory_;
  std::uint64_t available_ = 900;
  bool warned_ = false;
  bool stopped_ = false;
};

TEST(SupervisorStorm, WhateverWorkersDoEveryMiniBatchIsReportedExactlyOnce) {
  play_storms<Storm>();
}

}  // namespace
}  // namespace windrow::sim
