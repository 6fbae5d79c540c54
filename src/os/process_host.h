// SPDX-License-Identifier: Apache-2.0
//
// The real worker processes: started by the zygote, each under its own reaper.
//
// Thread: the loop's. Ownership: loop, zygote and sink outlive the host; the destructor ends all
// workers (their reapers see the control sockets close). Failure: as WorkerHost says. A reaper that
// was killed is a worker that died of signal 9. A worker whose tree cannot be killed within ten
// seconds (no permission, stuck in the kernel) is reported as ended all the same. A zygote or
// reaper that owes a report is woken and in the end given up (os/stuck_helper.h).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "os/epoll_loop.h"
#include "os/memory.h"
#include "os/packet_socket.h"
#include "os/reaper.h"
#include "os/worker_host.h"
#include "os/zygote.h"

namespace windrow {

class ProcessHost final : public WorkerHost {
 public:
  ProcessHost(EpollLoop& loop, Zygote& zygote);
  ~ProcessHost() override;
  ProcessHost(ProcessHost&&) = delete;
  ProcessHost& operator=(ProcessHost&&) = delete;

  // Who is told. REQUIRES: called before the first start.
  void set_sink(Sink& sink) { sink_ = &sink; }

  // Told in a sentence when a zygote or reaper had to be woken or given up. May be left empty.
  std::function<void(const std::string&)> on_trouble;

  // REQUIRES: `process` is not in use; argv is not empty.
  void start(ProcessNumber process, const WorkerCommand& command) override;
  bool send(ProcessNumber process,
            const std::array<char, kPacketHeaderSize>& header,
            std::string_view payload) override;
  std::optional<Packet> take_back(ProcessNumber process) override;
  WorkerPage page(ProcessNumber process) override;
  void rest(Duration duration) override { loop_.rest(duration); }
  [[nodiscard]] std::optional<int> pid(ProcessNumber process) override;
  WorkerMemory memory(ProcessNumber process) override;
  void forget_peak(ProcessNumber process) override;
  void show_stack(ProcessNumber process) override { order(process, kReaperShowStack); }
  void kill(ProcessNumber process) override;

  // REQUIRES: on_exit has come, or the process was never started.
  void forget(ProcessNumber process) override;

 private:
  struct Worker;

  Worker* find(ProcessNumber process);
  void order(ProcessNumber process, char what);
  Status launch(const WorkerCommand& command, Worker& worker);
  void read_answers(Worker& worker);
  void read_control(Worker& worker);
  void end(Worker& worker, const WorkerExit& exit);
  void drain(Worker& worker);
  void watch_helpers();
  void look_at_helpers();
  void care_for(Worker& worker);
  void give_up(Worker& worker);
  void tell(const std::string& trouble) const;

  EpollLoop& loop_;
  Zygote& zygote_;
  Sink* sink_ = nullptr;
  PacketReader reader_;
  OomKills oom_kills_;
  bool watching_ = false;  // a look at the helpers is due
  std::unordered_map<ProcessNumber, std::unique_ptr<Worker>> workers_;
  std::shared_ptr<ProcessHost*> self_;  // what posted callbacks hold weakly
};

}  // namespace windrow
