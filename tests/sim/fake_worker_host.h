// SPDX-License-Identifier: Apache-2.0
//
// Worker processes that speak the real packets and write the real page, and do everything wrong
// that a process can: die at any point, hang, answer late, twice, with garbage or for another
// mini-batch, read ahead.
//
// Workers are processes of their own: they continue while their agent is paused, and end with it.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>

#include "os/fake_loop.h"
#include "os/worker_host.h"
#include "surroundings.h"
#include "wire/worker/packets.h"

namespace windrow::sim {

class FakeWorkerHost final : public WorkerHost {
 public:
  // `loop` is the agent's.
  FakeWorkerHost(Surroundings& world, FakeLoop& loop, Sink& sink);
  ~FakeWorkerHost() override;

  void start(ProcessNumber process, const WorkerCommand& command) override;
  bool send(ProcessNumber process,
            const std::array<char, kPacketHeaderSize>& header,
            std::string_view payload) override;
  std::optional<Packet> take_back(ProcessNumber process) override;
  WorkerPage page(ProcessNumber process) override;
  void rest(Duration /*duration*/) override {}
  std::optional<int> pid(ProcessNumber /*process*/) override { return std::nullopt; }
  WorkerMemory memory(ProcessNumber process) override;
  void forget_peak(ProcessNumber process) override;
  void show_stack(ProcessNumber process) override;
  void kill(ProcessNumber process) override;
  void forget(ProcessNumber process) override;

  [[nodiscard]] std::size_t living() const;

 private:
  // What goes wrong with one hand-out.
  enum class Mishap : std::uint8_t {
    kNone,
    kExitsIdle,
    kDiesUnmarked,  // after reading, before it says so in its page
    kDiesInLoad,
    kDiesInRun,
    kDiesInSerialise,
    kDiesAnswered,  // after its answer, before it is idle
    kHangsInLoad,
    kHangsInRun,
    kHangsInSerialise,
    kHangsAnswered,
    kRaises,
    kLate,
    kAnswersTwice,
    kWrongToken,
    kGarbage,
    kWrongSize,
    kAnswersUnread,  // for what is still in its queue
  };
  static constexpr std::uint64_t kMishaps = 18;

  struct Worker {
    ProcessNumber number = 0;
    std::deque<Packet> inbox;
    std::deque<Packet> read;  // and not answered
    WorkerPage page;          // with times of the clock
    bool alive = true;
    bool ended = false;  // its end was delivered
    bool killed = false;
    bool ready = false;
    bool busy = false;
    bool reads_ahead = false;
    bool bundles = false;     // it understands them
    std::string held;         // answers that it has not sent yet
    std::deque<Packet> told;  // the commands of these
    std::uint64_t begun = 0;  // mini-batches
    TimePoint said;           // when its last packet arrives

    // REQUIRES: it has read something.
    [[nodiscard]] const Packet& owed() const { return told.empty() ? read.front() : told.front(); }
  };
  using Then = std::function<void(Worker&)>;

  Worker* find(ProcessNumber process);
  void later(Worker& worker, Duration delay, Then then);
  void mark(Worker& worker, WorkerPhase phase, const Token& token = {});
  // False when it is held back.
  bool say(Worker& worker, Answer answer, std::string payload);
  void say_held(Worker& worker);
  void deliver(Worker& worker, Packet packet);
  std::optional<Token> note_guilty(const Worker& worker);
  void die(Worker& worker, int signal, int exit_code = 0);

  void begin(Worker& worker);
  void init(Worker& worker);
  void init_failed(Worker& worker, std::uint32_t flags);
  void get_ready(Worker& worker);
  void pump(Worker& worker);
  void read_one(Worker& worker);
  void turn(Worker& worker);
  void shut_down(Worker& worker);
  void load(Worker& worker, const Command& command, Mishap mishap);
  void run(Worker& worker, const Command& command, Mishap mishap);
  void serialise(Worker& worker, const Command& command, Mishap mishap);
  void answer(Worker& worker, const Command& command, Mishap mishap);
  void answer_failed(Worker& worker, const Command& command, std::uint32_t flags);
  void go_idle(Worker& worker);
  void answer_unread(Worker& worker);
  Mishap draw_mishap();
  [[nodiscard]] Poison poison_of(const Worker& worker) const;

  Surroundings& world_;
  FakeLoop& loop_;
  Sink& sink_;
  std::map<ProcessNumber, Worker> workers_;
  std::shared_ptr<FakeWorkerHost*> self_;
};

}  // namespace windrow::sim
