// SPDX-License-Identifier: Apache-2.0
//
// The host's side: start, packets in and out, kill. What workers do is in fake_worker_life.cc.
#include "fake_worker_host.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace windrow::sim {

using std::chrono::microseconds;
using std::chrono::milliseconds;

FakeWorkerHost::FakeWorkerHost(Surroundings& world, FakeLoop& loop, Sink& sink)
    : world_(world), loop_(loop), sink_(sink), self_(std::make_shared<FakeWorkerHost*>(this)) {}

FakeWorkerHost::~FakeWorkerHost() { *self_ = nullptr; }

FakeWorkerHost::Worker* FakeWorkerHost::find(ProcessNumber process) {
  const auto found = workers_.find(process);
  return found == workers_.end() ? nullptr : &found->second;
}

void FakeWorkerHost::start(ProcessNumber process, const WorkerCommand& /*command*/) {
  const bool fresh = workers_.emplace(process, Worker{.number = process}).second;
  if (!fresh) world_.truth.fail("a process number is used twice");
  Worker& worker = workers_.at(process);
  worker.said = world_.clock.now();
  worker.reads_ahead = world_.fault(world_.scenario.worker_faults);
  world_.trace.note("worker starts", process);
  if (world_.scenario.init == InitKind::kFlaky && world_.fault(world_.scenario.init_faults / 8)) {
    worker.alive = false;
    WorkerExit exit{.started = false, .why = "cannot start it"};
    loop_.deliver([this, process, exit] {
      find(process)->ended = true;
      sink_.on_exit(process, exit);
    });
    return;
  }
  later(worker, world_.random.between(milliseconds(1), milliseconds(60)), [this](Worker& one) {
    begin(one);
  });
}

bool FakeWorkerHost::send(ProcessNumber process,
                          const std::array<char, kPacketHeaderSize>& header,
                          std::string_view payload) {
  Worker* const worker = find(process);
  if (worker == nullptr || worker->ended) return false;
  Packet packet{.header = header, .payload = std::string(payload)};
  const std::optional<Command> command = decode_command(packet);
  CHECK(command);
  if (command->kind == CommandKind::kBundle && !worker->bundles) {
    world_.truth.fail("a worker was given a bundle that it does not understand");
  }
  if (command->kind == CommandKind::kBatch || command->kind == CommandKind::kBundle) {
    if (worker->alive && !worker->ready) {
      world_.truth.fail("a worker that is not ready was given work");
    }
    if (worker->killed) world_.truth.fail("a worker that was killed was given work");
    if (worker->inbox.size() >= world_.scenario.queue_max) return false;
    if (world_.fault(world_.scenario.worker_faults / 10)) return false;  // no memory
  }
  worker->inbox.push_back(std::move(packet));
  pump(*worker);
  return true;
}

std::optional<Packet> FakeWorkerHost::take_back(ProcessNumber process) {
  Worker* const worker = find(process);
  if (worker == nullptr || worker->inbox.empty()) return std::nullopt;
  Packet packet = std::move(worker->inbox.front());
  worker->inbox.pop_front();
  return packet;
}

WorkerPage FakeWorkerHost::page(ProcessNumber process) {
  Worker* const worker = find(process);
  if (worker == nullptr) return {};
  WorkerPage page = worker->page;
  if (page.phase != WorkerPhase::kStarting) page.since = loop_.from_monotonic(page.since);
  return page;
}

// A worker leaks a little with every mini-batch that it has read.
WorkerMemory FakeWorkerHost::memory(ProcessNumber process) {
  const Worker* const worker = find(process);
  return worker == nullptr ? WorkerMemory{} : WorkerMemory{worker->begun, worker->begun};
}

void FakeWorkerHost::forget_peak(ProcessNumber /*process*/) {}  // what has leaked stays

void FakeWorkerHost::kill(ProcessNumber process) {
  Worker* const worker = find(process);
  if (worker == nullptr) return;
  worker->killed = true;
  if (!worker->alive) return;
  later(*worker, world_.random.between(microseconds(10), milliseconds(20)), [this](Worker& one) {
    die(one, 9);
  });
}

void FakeWorkerHost::forget(ProcessNumber process) {
  const auto found = workers_.find(process);
  if (found == workers_.end()) return;
  CHECK(found->second.ended);
  workers_.erase(found);
}

std::size_t FakeWorkerHost::living() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(workers_, [](const auto& one) { return one.second.alive; }));
}

void FakeWorkerHost::later(Worker& worker, Duration delay, Then then) {
  world_.clock.after(delay, [self = self_, number = worker.number, todo = std::move(then)] {
    if (*self == nullptr) return;
    Worker* const found = (*self)->find(number);
    if (found != nullptr && found->alive) todo(*found);
  });
}

void FakeWorkerHost::mark(Worker& worker, WorkerPhase phase, const Token& token) {
  worker.page = {phase, token.batch, token.picked, world_.clock.now(), {}};
  const bool loaded = phase == WorkerPhase::kRun || phase == WorkerPhase::kSerialise;
  if (loaded && world_.scenario.table && world_.random.per_mille(900)) {
    const auto rows = items_of(worker.read.front().payload).size();
    worker.page.items = static_cast<std::uint32_t>(rows);
  }
}

bool FakeWorkerHost::say(Worker& worker, Answer answer, std::string payload) {
  answer.payload_size = payload.size();
  answer.start_ns = static_cast<std::uint64_t>(worker.page.since.time_since_epoch().count());
  // While more of a bundle is to be done.
  if (worker.bundles && !worker.read.empty() && world_.random.per_mille(800)) {
    append_to_bundle(encode_answer(answer), payload, worker.held);
    return false;
  }
  say_held(worker);
  deliver(worker, Packet{.header = encode_answer(answer), .payload = std::move(payload)});
  return true;
}

void FakeWorkerHost::say_held(Worker& worker) {
  if (worker.held.empty()) return;
  Answer bundle{.kind = AnswerKind::kBundle};
  bundle.payload_size = worker.held.size();
  deliver(worker, Packet{.header = encode_answer(bundle), .payload = std::move(worker.held)});
  worker.held.clear();
  worker.told.clear();
}

// Packets arrive in order, and the end of the worker after all of them.
void FakeWorkerHost::deliver(Worker& worker, Packet packet) {
  const TimePoint now = world_.clock.now();
  worker.said = std::max(worker.said, now + world_.random.between(Duration(0), microseconds(200)));
  loop_.deliver(
      [this, number = worker.number, said = std::move(packet)]() mutable {
        world_.trace.note("worker says", number, said.payload.size());
        sink_.on_packet(number, std::move(said));
      },
      worker.said - now);
}

// It shows nothing, and what it answers from now on is too late.
void FakeWorkerHost::show_stack(ProcessNumber process) {
  if (const Worker* const worker = find(process)) note_guilty(*worker);
}

// The one that the page names is to blame; if it names none, the first that was read.
std::optional<Token> FakeWorkerHost::note_guilty(const Worker& worker) {
  const WorkerPhase phase = worker.page.phase;
  const bool inside =
      phase == WorkerPhase::kLoad || phase == WorkerPhase::kRun || phase == WorkerPhase::kSerialise;
  std::optional<Token> guilty;
  for (const std::deque<Packet>* const packets : {&worker.told, &worker.read}) {
    for (const Packet& packet : *packets) {
      const Token token = decode_command(packet)->token;
      const bool named = token.batch == worker.page.batch && token.picked == worker.page.picked;
      if (!guilty && (named || !inside)) guilty = token;
    }
  }
  if (guilty) world_.truth.died_with(*guilty);
  return guilty;
}

void FakeWorkerHost::die(Worker& worker, int signal, int exit_code) {
  worker.alive = false;
  const std::optional<Token> guilty = note_guilty(worker);
  world_.trace.note("worker ends",
                    worker.number,
                    static_cast<std::uint64_t>(signal),
                    guilty ? guilty->batch : UINT64_MAX);
  WorkerExit exit{.exit_code = exit_code, .signal = signal, .memory_peak = 1U << 20U};
  const TimePoint now = world_.clock.now();
  worker.said = std::max(worker.said, now) + world_.random.between(Duration(0), milliseconds(3));
  loop_.deliver(
      [this, number = worker.number, exit] {
        find(number)->ended = true;
        sink_.on_exit(number, exit);
      },
      worker.said - now);
}

}  // namespace windrow::sim
