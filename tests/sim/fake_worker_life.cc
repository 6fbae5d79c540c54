// SPDX-License-Identifier: Apache-2.0
//
// The life of a simulated worker: start, init, one mini-batch after the other, shutdown.
#include <utility>

#include "base/check.h"
#include "fake_worker_host.h"
#include "journal/plan_file.h"

namespace windrow::sim {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr int kSegmentationFault = 11;
constexpr const char* kError =
    R"({"type": "ValueError", "message": "no", "traceback": "line 1", "method": "run"})";

// What a worker says that its mini-batch took: a short one so little that bundles come of it.
std::uint32_t elapsed_us(Duration run_max) {
  return static_cast<std::uint32_t>(run_max < milliseconds(1) ? 25 : run_max / microseconds(1));
}

}  // namespace

void FakeWorkerHost::begin(Worker& worker) {
  if (worker.inbox.empty()) {
    world_.truth.fail("a worker got no start packet");
    return;
  }
  worker.inbox.pop_front();
  mark(worker, WorkerPhase::kInit);
  later(worker, world_.random.between(microseconds(100), milliseconds(300)), [this](Worker& one) {
    init(one);
  });
}

void FakeWorkerHost::init(Worker& worker) {
  InitKind kind = world_.scenario.init;
  if (kind == InitKind::kFlaky) {
    const bool bad = world_.fault(world_.scenario.init_faults);
    kind = bad ? static_cast<InitKind>(2 + world_.random.below(3)) : InitKind::kWorks;
  }
  switch (kind) {
    case InitKind::kWorks:
    case InitKind::kFlaky:
      get_ready(worker);
      return;
    case InitKind::kRaises:
      init_failed(worker, 0);
      return;
    case InitKind::kRefused:
      init_failed(worker, kFlagRefused);
      return;
    case InitKind::kDies:
      die(worker, kSegmentationFault);
      return;
    case InitKind::kHangs:
      return;
  }
}

void FakeWorkerHost::init_failed(Worker& worker, std::uint32_t flags) {
  say(worker, Answer{.kind = AnswerKind::kInitFailed, .flags = flags}, kError);
  if (world_.fault(20)) return;  // and does not end
  later(worker, world_.random.between(microseconds(10), milliseconds(5)), [this](Worker& one) {
    die(one, 0, 72);
  });
}

void FakeWorkerHost::get_ready(Worker& worker) {
  worker.ready = true;
  worker.bundles = world_.random.per_mille(700);
  say(worker, Answer{.kind = AnswerKind::kReady, .flags = worker.bundles ? kFlagBundles : 0}, "");
  if (world_.fault(world_.scenario.worker_faults / 10)) {
    say(worker, Answer{.kind = AnswerKind::kReady}, "");
  }
  mark(worker, WorkerPhase::kIdle);
  pump(worker);
}

// Makes the worker continue to read, if it is idle and there is something to read.
void FakeWorkerHost::pump(Worker& worker) {
  if (!worker.alive || !worker.ready || worker.busy) return;
  if (worker.inbox.empty() && worker.read.empty()) return;
  worker.busy = true;
  later(worker, world_.random.between(microseconds(1), microseconds(50)), [this](Worker& one) {
    turn(one);
  });
}

FakeWorkerHost::Mishap FakeWorkerHost::draw_mishap() {
  if (!world_.fault(world_.scenario.worker_faults)) return Mishap::kNone;
  return static_cast<Mishap>(1 + world_.random.below(kMishaps - 1));
}

// Of what the worker has in hand.
Poison FakeWorkerHost::poison_of(const Worker& worker) const {
  const Packet& packet = worker.read.front();
  const Scenario& scenario = world_.scenario;
  const auto found = scenario.poison.find(decode_command(packet)->token.batch);
  if (found != scenario.poison.end()) return found->second;
  if (scenario.bad_items.empty()) return Poison::kNone;
  for (const std::string& path : items_of(packet.payload)) {
    const auto bad = scenario.bad_items.find(path);
    if (bad != scenario.bad_items.end()) return bad->second;
  }
  return Poison::kNone;
}

void FakeWorkerHost::turn(Worker& worker) {
  worker.busy = false;
  const Mishap mishap = draw_mishap();
  if (mishap == Mishap::kExitsIdle && worker.read.empty()) {
    die(worker, 0, 3);
    return;
  }
  if (mishap == Mishap::kAnswersUnread && worker.read.empty()) answer_unread(worker);
  while (!worker.inbox.empty() && (worker.read.empty() || worker.reads_ahead)) {
    read_one(worker);
  }
  if (worker.read.empty()) return;  // taken back meanwhile
  const Command command = *decode_command(worker.read.front());
  worker.busy = true;
  if (command.kind == CommandKind::kShutdown) {
    shut_down(worker);
  } else if (mishap == Mishap::kDiesUnmarked) {
    die(worker, kSegmentationFault);
  } else {
    world_.truth.began(command.token);
    ++worker.begun;
    world_.trace.note("worker loads", worker.number, command.token.batch, command.token.picked);
    mark(worker, WorkerPhase::kLoad, command.token);
    later(worker,
          world_.random.between(microseconds(1), microseconds(20)),
          [this, command, mishap](Worker& one) { load(one, command, mishap); });
  }
}

// All commands of a bundle are read at once.
void FakeWorkerHost::read_one(Worker& worker) {
  Packet packet = std::move(worker.inbox.front());
  worker.inbox.pop_front();
  if (decode_command(packet)->kind != CommandKind::kBundle) {
    worker.read.push_back(std::move(packet));
    return;
  }
  std::optional<std::vector<Packet>> commands = split_bundle(packet.payload);
  CHECK(commands);
  for (Packet& one : *commands) worker.read.push_back(std::move(one));
}

void FakeWorkerHost::shut_down(Worker& worker) {
  worker.read.clear();
  mark(worker, WorkerPhase::kShutdown);
  if (world_.fault(world_.scenario.worker_faults / 4)) {
    if (world_.random.per_mille(500)) die(worker, kSegmentationFault);
    return;  // or hangs
  }
  later(worker, world_.random.between(microseconds(10), milliseconds(50)), [this](Worker& one) {
    say(one, Answer{.kind = AnswerKind::kGoodbye}, world_.random.per_mille(50) ? kError : "");
    die(one, 0);
  });
}

void FakeWorkerHost::load(Worker& worker, const Command& command, Mishap mishap) {
  const Poison poison = poison_of(worker);
  if (mishap == Mishap::kDiesInLoad || poison == Poison::kDiesInLoad) {
    die(worker, kSegmentationFault);
    return;
  }
  if (mishap == Mishap::kHangsInLoad || poison == Poison::kHangsInLoad) return;
  if (poison == Poison::kLoadError) {
    answer_failed(worker, command, kFlagLoad);
    return;
  }
  mark(worker, WorkerPhase::kRun, command.token);
  Duration takes = world_.random.between(world_.scenario.run_min, world_.scenario.run_max);
  if (mishap == Mishap::kLate) {
    const Duration limit = world_.scenario.limits.run_timeout;
    takes = world_.random.between(limit - milliseconds(20), limit + milliseconds(60));
  }
  later(worker, takes, [this, command, mishap](Worker& one) { run(one, command, mishap); });
}

void FakeWorkerHost::run(Worker& worker, const Command& command, Mishap mishap) {
  const Poison poison = poison_of(worker);
  if (mishap == Mishap::kDiesInRun || poison == Poison::kDiesInRun) {
    die(worker, 9);
    return;
  }
  if (mishap == Mishap::kHangsInRun || poison == Poison::kHangsInRun) return;
  if (mishap == Mishap::kRaises || poison == Poison::kRaises || poison == Poison::kWrongType) {
    answer_failed(worker, command, poison == Poison::kWrongType ? kFlagWrongType : 0);
    return;
  }
  mark(worker, WorkerPhase::kSerialise, command.token);
  later(worker,
        world_.random.between(microseconds(1), microseconds(20)),
        [this, command, mishap](Worker& one) { serialise(one, command, mishap); });
}

void FakeWorkerHost::serialise(Worker& worker, const Command& command, Mishap mishap) {
  const Poison poison = poison_of(worker);
  if (mishap == Mishap::kDiesInSerialise || poison == Poison::kDiesInSerialise) {
    die(worker, 6);
  } else if (poison == Poison::kSerialiseError) {
    answer_failed(worker, command, kFlagSerialise);
  } else if (mishap != Mishap::kHangsInSerialise) {
    answer(worker, command, mishap);
  }
}

void FakeWorkerHost::answer(Worker& worker, const Command& command, Mishap mishap) {
  Returned returned = returned_for(worker.read.front().payload);
  Answer answer{.kind = AnswerKind::kDone, .token = command.token, .returned = returned.count};
  const Limits& limits = world_.scenario.limits;
  const auto items = static_cast<std::uint32_t>(items_of(worker.read.front().payload).size());
  if (world_.scenario.table) answer.items = items;
  if ((returned.count > items && limits.strict_results) ||
      (returned.count < items && limits.retry_short_returns)) {
    world_.truth.raised(command.token);
  }
  answer.elapsed_us = elapsed_us(world_.scenario.run_max);
  const bool wrong =
      mishap == Mishap::kWrongToken || mishap == Mishap::kGarbage || mishap == Mishap::kWrongSize;
  // It owes an answer for the first that the engine has none for, whatever it has read since.
  if (wrong) world_.truth.died_with(decode_command(worker.owed())->token);
  if (mishap == Mishap::kWrongToken) {
    ++(world_.random.per_mille(500) ? answer.token.picked : answer.token.batch);
    say(worker, answer, returned.rows);
    return;  // and is ended for it
  }
  if (mishap == Mishap::kGarbage || mishap == Mishap::kWrongSize) {
    Packet packet{.header = encode_answer(answer), .payload = "short"};
    if (mishap == Mishap::kGarbage) packet.header.fill(static_cast<char>(world_.random.next()));
    deliver(worker, std::move(packet));
    return;
  }
  Packet packet = std::move(worker.read.front());
  worker.read.pop_front();
  const bool told = say(worker, answer, returned.rows);
  if (!told) worker.told.push_back(std::move(packet));
  if (mishap == Mishap::kAnswersTwice) say(worker, answer, std::move(returned.rows));
  if (mishap == Mishap::kHangsAnswered) return;
  if (mishap == Mishap::kDiesAnswered) {
    die(worker, kSegmentationFault);
  } else {
    go_idle(worker);
  }
}

void FakeWorkerHost::answer_failed(Worker& worker, const Command& command, std::uint32_t flags) {
  Packet packet = std::move(worker.read.front());
  worker.read.pop_front();
  world_.truth.raised(command.token);
  Answer answer{.kind = AnswerKind::kFailed, .token = command.token, .flags = flags};
  if (world_.scenario.table && flags != kFlagLoad && world_.random.per_mille(900)) {
    answer.items = static_cast<std::uint32_t>(items_of(packet.payload).size());
  }
  if (!say(worker, answer, kError)) worker.told.push_back(std::move(packet));
  go_idle(worker);
}

void FakeWorkerHost::go_idle(Worker& worker) {
  later(worker, world_.random.between(Duration(0), microseconds(5)), [this](Worker& one) {
    if (one.held.empty()) mark(one, WorkerPhase::kIdle);
    one.busy = false;
    pump(one);
  });
}

// A liar: says that something failed which it has not even read.
void FakeWorkerHost::answer_unread(Worker& worker) {
  if (worker.inbox.empty()) return;
  const Command command = *decode_command(worker.inbox.front());
  if (command.kind != CommandKind::kBatch) return;
  world_.truth.raised(command.token);
  say(worker, Answer{.kind = AnswerKind::kFailed, .token = command.token}, kError);
}

}  // namespace windrow::sim
